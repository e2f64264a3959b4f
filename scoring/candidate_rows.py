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

from nextset.artifacts.artifact import open_artifact
from nextset.errors import StudyError
from nextset.forms import Form, FormName
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliItem
from nextset.scoring.candidate_sources import TABLES, CandidateSources
from nextset.scoring.row_chunks import Rows, Source, chunks, sources_of
from nextset.study.item_tables import damaged_import

__all__ = ["RowsToScore", "generated_rows", "item_rows"]


@dataclass(frozen=True)
class RowsToScore:
    """Rows to be scored."""

    form: FormName
    inputs: dict[str, str]
    """Digests of the artifacts and files that hold the rows."""
    chunks: Callable[[], Iterator[Rows]]
    """The rows, in parts."""


def generated_rows(
    sources: CandidateSources, form: Form, check_languages: Callable[[set[str]], None]
) -> RowsToScore:
    """Return the candidates of ``form`` that the stages generate and fill made.

    ``check_languages`` is called with the tags of their languages. Raises StudyError if there are no rows.
    """
    made = {stage: open_artifact(sources.out / stage) for stage, _ in map(TABLES.__getitem__, sources.names)}
    files = [
        f for stage, table in map(TABLES.__getitem__, sources.names) for f in sources_of(made[stage], table)
    ]
    if not sum(file.rows for file in files):
        raise StudyError(
            f"there is nothing to filter, because the study makes no {form.noun}",
            file=sources.file,
            remedy=f"let the section {form.section} make {form.noun}" if form.section else "",
        )

    def parts() -> Iterator[Rows]:
        check_languages({x for file in files for x in pc.unique(_column(file, "language")).to_pylist()})
        return chunks(files)

    return RowsToScore(form.name, {stage: artifact.digest for stage, artifact in made.items()}, parts)


def _column(source: Source, name: str) -> pa.ChunkedArray:
    return Rows(source, range(source.rows)).read((name,))[name]


def item_rows(candidates: CandidateSources, form: FormName, columns: Sequence[str]) -> RowsToScore:
    """Return the candidates and the plain expansion of NLI items, each id once.

    An imported file must have ``columns``. Raises StudyError if there are no candidates.
    """
    generated = candidates.artifact("plain")
    inputs = {"generate": generated.digest}
    sources = sources_of(generated, "items")
    plain = len(sources)
    if "filled" in candidates.names:
        filled = candidates.artifact("filled")
        sources += sources_of(filled, "items")
        inputs["fill"] = filled.digest
    if "imported" in candidates.names:
        files = [_imported(path, columns) for path in candidates.imported_files()]
        sources += files
        inputs |= {f"imported/{file.path.name}": file.sha256 for file in files}

    def parts() -> Iterator[Rows]:
        kept = _kept(sources, plain)
        if not any(k.any() for k in (kept if "plain" in candidates.names else kept[plain:])):
            raise candidates.none_found()
        return chunks(sources, keep=kept)

    return RowsToScore(form, inputs, parts)


def _imported(path: Path, columns: Sequence[str]) -> Source:
    try:
        file = pq.ParquetFile(path)
        _check_import(file, columns)
    except (pa.ArrowInvalid, OSError, ValueError) as e:
        raise damaged_import(path, e) from None
    rows = file.metadata.num_rows
    return Source(path, hashlib.sha256(path.read_bytes()).hexdigest(), rows)


def _check_import(file: pq.ParquetFile, columns: Sequence[str]) -> None:
    """Raise ValueError if `nextset import` did not write ``file``."""
    wanted, schema = arrow_schema(NliItem), file.schema_arrow
    for name in ("id", "stance_design", *columns):
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
