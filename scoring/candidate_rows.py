"""The rows that a study's filter models score: the candidates and, for NLI, the plain expansion."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from nextset.errors import StudyError
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliItem
from nextset.scoring.candidate_sources import TABLES, CandidateSources
from nextset.scoring.row_chunks import Rows, Source, chunks, sources_of
from nextset.scoring.score_tables import form_rows
from nextset.scoring.scorer_protocol import Form
from nextset.scoring.subjects.quad_scores import check_languages
from nextset.study.item_tables import damaged_import
from nextset.study.scoring_settings import ScoringSettings

__all__ = ["RowsToScore", "candidate_rows"]


@dataclass(frozen=True)
class RowsToScore:
    """Rows to be scored."""

    form: Form
    """The form of the rows."""
    inputs: dict[str, str]
    """Digests of the artifacts and files that hold the rows."""
    chunks: Callable[[], Iterator[Rows]]
    """The rows, in parts."""


def candidate_rows(found: CandidateSources, scoring: ScoringSettings) -> RowsToScore:
    """Return the rows that the filter models score, each id once.

    Raises StudyError if there are no rows, and if ``scoring`` does not fit the language of the quads.
    """
    return _items(found) if found.form == "nli" else _quads(found, scoring)


def _quads(found: CandidateSources, scoring: ScoringSettings) -> RowsToScore:
    form, (name,) = found.form, found.names
    generated = found.artifact(name)
    sources = sources_of(generated, TABLES[name][1])
    if not sum(s.rows for s in sources):
        raise StudyError(
            f"there is nothing to filter, because the study makes no {form}s",
            file=found.file,
            remedy=f"add a section questions with {form} among its forms",
        )

    def parts() -> Iterator[Rows]:
        languages = {x for s in sources for x in pc.unique(_column(s, "language")).to_pylist()}
        check_languages(languages, form, scoring)
        return chunks(sources)

    return RowsToScore(form, {"generate": generated.digest}, parts)


def _column(source: Source, name: str) -> pa.ChunkedArray:
    return Rows(source, range(source.rows)).read((name,))[name]


def _items(found: CandidateSources) -> RowsToScore:
    generated = found.artifact("plain")
    inputs = {"generate": generated.digest}
    sources = sources_of(generated, "items")
    plain = len(sources)
    if "filled" in found.names:
        filled = found.artifact("filled")
        sources += sources_of(filled, "items")
        inputs["fill"] = filled.digest
    if "imported" in found.names:
        files = [_imported(path) for path in found.imported_files()]
        sources += files
        inputs |= {f"imported/{file.path.name}": file.sha256 for file in files}

    def parts() -> Iterator[Rows]:
        kept = _kept(sources, plain)
        if not any(k.any() for k in (kept if "plain" in found.names else kept[plain:])):
            raise found.none_found()
        return chunks(sources, keep=kept)

    return RowsToScore("nli", inputs, parts)


def _imported(path: Path) -> Source:
    try:
        file = pq.ParquetFile(path)
        _check_import(file)
    except (pa.ArrowInvalid, OSError, ValueError) as e:
        raise damaged_import(path, e) from None
    rows = file.metadata.num_rows
    return Source(path, hashlib.sha256(path.read_bytes()).hexdigest(), rows)


def _check_import(file: pq.ParquetFile) -> None:
    """Raise ValueError if `nextset import` did not write ``file``."""
    wanted, schema = arrow_schema(NliItem), file.schema_arrow
    for name in ("id", "stance_design", *form_rows("nli").columns):
        if schema.get_field_index(name) < 0 or not schema.field(name).equals(wanted.field(name)):
            raise ValueError(f"its column {name} is missing or has a different type")
    ids = file.read(["id"])["id"]
    if not pc.all(pc.match_substring_regex(ids, "^[0-9a-f]{32}$"), min_count=0).as_py():
        raise ValueError("its column id has values that are not ids")


def _kept(sources: Sequence[Source], plain: int) -> list[npt.NDArray[np.bool_]]:
    """Return True for each row of each file that is scored.

    The first row of each id is scored, but test items only if they are in the first ``plain`` files.
    """
    ids, tests = [], []
    for source in sources:
        table = Rows(source, range(source.rows)).read(("id", "stance_design"))
        # 32 hex digits as 16 bytes
        ids.append(np.frombuffer(bytes.fromhex("".join(table["id"].to_pylist())), dtype="V16"))
        tests.append(pc.equal(table["stance_design"], "test").to_numpy())
    first = np.zeros(sum(map(len, ids)), np.bool_)
    first[np.unique(np.concatenate(ids).view("S16") if ids else [], return_index=True)[1]] = True
    ends = np.cumsum([len(source_ids) for source_ids in ids])[:-1]
    return [
        kept if i < plain else kept & ~test
        for i, (kept, test) in enumerate(zip(np.split(first, ends), tests, strict=True))
    ]
