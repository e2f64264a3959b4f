"""The section ambiguity.retrieval of study.yaml: whom retrievers and readers find in a collection."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from nextset.files.row_files import ROW_SUFFIXES, is_row_file
from nextset.files.yaml_model import EXACT, HandWritten
from nextset.files.yaml_values import WrongValue, written_as
from nextset.study.field_types import ModelName, Paths, each_once, groups_once

__all__ = ["TOLERANCE", "DenseRetrieverSettings", "PassageSettings", "RetrievalSettings"]

_SHARES = "write shares above 0 that sum to 1, such as {female: 0.5, male: 0.5}"
TOLERANCE = 0.005
"""The allowed distance from 1 of a sum of shares, which are often rounded."""


def _is_base_rate(written: Any) -> Any:
    """Return ``written`` if it can be a base rate; raises WrongValue."""
    if isinstance(written, dict):
        shares = list(written.values())
        if not all(isinstance(s, int | float) and not isinstance(s, bool) and 0 < s < 1 for s in shares):
            raise WrongValue("not all of its values are shares", _SHARES)
        if abs(math.fsum(shares) - 1) > TOLERANCE:
            raise WrongValue(f"the shares sum to {math.fsum(shares):.3g}", _SHARES)
        return written
    named = isinstance(written, str) and written in ("collection", "equal")
    if named or (isinstance(written, str) and is_row_file(Path(written))):
        return written
    raise WrongValue(
        "it is not a base rate",
        "write collection, equal, shares such as {female: 0.5, male: 0.5}, or the name of a table "
        f"({', '.join(ROW_SUFFIXES)})",
    )


ColumnName = Annotated[str, written_as(r"[^\x00-\x1f]{1,200}", "title")]
GroupName = Annotated[str, written_as(r"[^\x00-\x1f]{1,64}", "female")]


class PassageSettings(HandWritten):
    """ambiguity.retrieval.passages: the collection that is searched."""

    source: Annotated[str, written_as(r"[^\x00-\x1f]{1,500}", "passages.jsonl")] = "builtin:en"
    """builtin:en, a file (JSON lines, CSV or Parquet), a folder of them, or a dataset on the Hub,
    ORG/NAME@REVISION."""
    config: ColumnName | None = None
    """The config of a dataset on the Hub."""
    id: ColumnName | None = None
    """The column with the passage's id; default: the column id if it exists, else the passage's number."""
    title: ColumnName = "title"
    """The column with the title."""
    text: ColumnName = "text"
    """The column with the text."""
    group: ColumnName | None = None
    """The column with the group of the title's person; default: the column group if it exists."""


class DenseRetrieverSettings(HandWritten):
    """ambiguity.retrieval.dense: an encoder of passages and questions."""

    model: ModelName
    """The encoder of passages, of DPR or of sentences."""
    question_model: ModelName | None = None
    """The encoder of questions, if it differs; default: model."""
    pooling: Literal["auto", "cls", "mean"] = "auto"
    """The pooling of tokens; auto: DPR's, the one in the model's folder, or else the mean."""
    normalize: bool = False
    """Scale vectors to length 1 for the cosine; true if the model's folder says so."""
    passage_prompt: Annotated[str, EXACT] = ""
    """A text before each passage, such as "passage:", if the model was trained with it; a blank follows."""
    question_prompt: Annotated[str, EXACT] = ""
    """A text before each question, such as "query:", in the same way."""
    search: Literal["exact", "faiss"] = "exact"
    """exact: compare every passage. faiss: the same with FAISS, which must be installed."""


class RetrievalSettings(HandWritten):
    """ambiguity.retrieval: open questions over a collection of passages (Mao et al. 2021)."""

    passages: PassageSettings = PassageSettings()
    """The collection (`PassageSettings`)."""
    questions: Annotated[Paths, Field(min_length=1), AfterValidator(each_once)] = ("builtin:en",)
    """builtin:en, or your own tables with question and occupation."""
    bm25: bool = True
    """Search by words (BM25)."""
    dense: tuple[DenseRetrieverSettings, ...] = ()
    """The encoders that search by vectors."""
    top_k: int = Field(default=100, ge=1, le=1000, strict=True)
    """The number of passages to retrieve for each question."""
    groups: Annotated[tuple[GroupName, ...], Field(min_length=2), AfterValidator(groups_once)] = (
        "female",
        "male",
    )
    """The groups that are compared; everyone else counts as unknown."""
    names: Paths = ()
    """Names for titles without a label: builtin:LANGUAGE, or files with name and group."""
    base_rate: Annotated[str | dict[str, float], BeforeValidator(_is_base_rate)] = "collection"
    """The shares to compare with. collection: those of its titles with a known group; equal; shares that
    you write; or a table with occupation, group and share."""
    readers: Annotated[tuple[ModelName, ...], AfterValidator(each_once)] = ()
    """Extractive readers that answer from the retrieved passages."""
    read: int = Field(default=20, ge=1, le=1000, strict=True)
    """The passages that a reader reads for each question."""

    @model_validator(mode="after")
    def _has_a_retriever(self) -> RetrievalSettings:
        if not self.bm25 and not self.dense:
            raise WrongValue("nothing searches the collection", "write bm25: true, or add dense")
        return self

    @model_validator(mode="after")
    def _shares_of_groups(self) -> RetrievalSettings:
        if isinstance(self.base_rate, dict) and set(self.base_rate) != set(self.groups):
            raise WrongValue(
                "base_rate and groups name different groups",
                f"write a share in base_rate for each of {', '.join(self.groups)}",
            )
        return self

    @property
    def base_rate_table(self) -> str | None:
        """The name of the table of base rates; None if `base_rate` is not a table."""
        written = self.base_rate
        return written if isinstance(written, str) and written not in ("collection", "equal") else None

    @property
    def models(self) -> tuple[str, ...]:
        """The encoders and readers, each once, as the study names them."""
        encoders = (name for dense in self.dense for name in (dense.model, dense.question_model) if name)
        return tuple(dict.fromkeys((*encoders, *self.readers)))
