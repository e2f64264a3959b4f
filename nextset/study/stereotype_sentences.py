"""The sentences that state a stereotype and its opposite, from template files to the pages that show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pydantic import Field

from nextset.artifacts.artifact import open_artifact
from nextset.files.yaml_model import ForPeople

__all__ = [
    "SENTENCE_COLUMNS",
    "SentencesByName",
    "StereotypeRow",
    "StereotypeSentences",
    "by_name",
    "stated_stereotypes",
    "with_sentences",
]

SENTENCE_COLUMNS = ("pro_sentence", "anti_sentence")
"""The columns with the stereotype and its opposite."""


class StereotypeSentences(ForPeople):
    """A stereotype and its opposite, each as a plain sentence in the language of the texts."""

    pro: str = Field(min_length=1)
    """The stereotype."""
    anti: str = Field(min_length=1)
    """Its opposite, or the same about the other group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StereotypeRow:
    """A stereotype that its template file states as a sentence."""

    language: str
    """BCP 47 tag."""
    stereotype: str
    """The stereotype's name."""
    pro_sentence: str
    """The stereotype as a sentence."""
    anti_sentence: str
    """Its opposite as a sentence."""


SentencesByName = Mapping[tuple[str, str], tuple[str, str]]
"""The stereotype and its opposite as sentences, by language and name of the stereotype."""


def by_name(rows: Iterable[StereotypeRow]) -> SentencesByName:
    """Return the sentences of ``rows`` by language and name."""
    return {(r.language, r.stereotype): (r.pro_sentence, r.anti_sentence) for r in rows}


def stated_stereotypes(out: Path) -> tuple[StereotypeRow, ...]:
    """Return the stereotypes that the templates of the study in ``out`` state as sentences.

    Imported items and files without sentences have none. Raises MissingStage before `generate` has run.
    """
    generated = open_artifact(out / "generate")
    if "stereotypes" not in generated.tables:
        return ()
    return tuple(StereotypeRow(**row) for row in generated.table("stereotypes").to_pylist())


def with_sentences(rows: pa.Table, sentences: SentencesByName) -> pa.Table:
    """Return ``rows``, which have a language and a stereotype, with the columns `SENTENCE_COLUMNS`.

    A stereotype that ``sentences`` lacks has null in both.
    """
    names = zip(rows["language"].to_pylist(), rows["stereotype"].to_pylist(), strict=True)
    stated = [sentences.get(name, (None, None)) for name in names]
    for i, column in enumerate(SENTENCE_COLUMNS):
        rows = rows.append_column(column, pa.array([pair[i] for pair in stated], pa.string()))
    return rows
