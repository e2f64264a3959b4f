"""What a study's filter models are asked about: candidates, and for NLI the plain expansion."""

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
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliItem
from nextset.scoring.rows import Rows, Source, chunks, sources_of
from nextset.scoring.score_tables import form_rows
from nextset.scoring.scorer import Form
from nextset.scoring.subjects.quad_scores import check_languages
from nextset.study.item_tables import damaged_import, nothing_to_filter
from nextset.study.study_folder import Study

__all__ = ["Candidates", "candidate_rows"]

QUADS: dict[Form, str] = {"question": "quads", "statement": "statements"}
"""The table of `generate` that holds a form."""


@dataclass(frozen=True)
class Candidates:
    """Rows to be scored."""

    form: Form
    """What they are."""
    inputs: dict[str, str]
    """Digests of what they lie in."""
    chunks: Callable[[], Iterator[Rows]]
    """The rows, in parts."""


def candidate_rows(study: Study) -> Candidates:
    """What the filter's models are asked about, each id once; raises StudyError when there is nothing."""
    form = study.filter.form
    return _items(study) if form == "nli" else _quads(study, form)


def _quads(study: Study, form: Form) -> Candidates:
    generated = open_artifact(study.out / "generate")
    sources = sources_of(generated, QUADS[form]) if QUADS[form] in {s.table for s in generated.shards} else []
    if not sum(s.rows for s in sources):
        raise StudyError(
            f"there is nothing to filter: the study makes no {form}s",
            file=study.file,
            remedy=f"add a section questions with {form} among its forms",
        )

    def parts() -> Iterator[Rows]:
        languages = {x for s in sources for x in pc.unique(_column(s, "language")).to_pylist()}
        check_languages(languages, form, study.settings.scoring)
        return chunks(sources)

    return Candidates(form, {"generate": generated.digest}, parts)


def _column(source: Source, name: str) -> pa.ChunkedArray:
    return Rows(source, range(source.rows)).read((name,))[name]


def _items(study: Study) -> Candidates:
    chosen = study.filter.candidates
    generated = open_artifact(study.out / "generate")
    inputs = {"generate": generated.digest}
    sources = sources_of(generated, "items")
    plain = len(sources)
    if "filled" in chosen:
        filled = open_artifact(study.out / "fill")
        sources += sources_of(filled, "items")
        inputs["fill"] = filled.digest
    if "imported" in chosen:
        files = [_imported(path) for path in sorted(study.imported.glob("*.parquet"))]
        sources += files
        inputs |= {f"imported/{file.path.name}": file.sha256 for file in files}

    def parts() -> Iterator[Rows]:
        kept = _kept(sources, plain)
        if not any(k.any() for k in (kept if "plain" in chosen else kept[plain:])):
            raise nothing_to_filter(study)
        return chunks(sources, keep=kept)

    return Candidates("nli", inputs, parts)


def _imported(path: Path) -> Source:
    try:
        file = pq.ParquetFile(path)
        _check_import(file)
    except (pa.ArrowInvalid, OSError, ValueError) as e:
        raise damaged_import(path, e) from None
    rows = file.metadata.num_rows
    return Source(path, hashlib.sha256(path.read_bytes()).hexdigest(), rows)


def _check_import(file: pq.ParquetFile) -> None:
    """Raise ValueError for a file that `nextset import` did not write."""
    wanted, found = arrow_schema(NliItem), file.schema_arrow
    for name in ("id", "stance_design", *form_rows("nli").columns):
        if found.get_field_index(name) < 0 or not found.field(name).equals(wanted.field(name)):
            raise ValueError(f"its column {name} is missing or of another type")
    ids = file.read(["id"])["id"]
    if not pc.all(pc.match_substring_regex(ids, "^[0-9a-f]{32}$"), min_count=0).as_py():
        raise ValueError("its column id holds something else than ids")


def _kept(sources: Sequence[Source], plain: int) -> list[npt.NDArray[np.bool_]]:
    """Which rows of each file count: the first of each id; test items only in the first ``plain`` files."""
    ids, tests = [], []
    for source in sources:
        table = Rows(source, range(source.rows)).read(("id", "stance_design"))
        # 32 hex digits as 16 bytes
        ids.append(np.frombuffer(bytes.fromhex("".join(table["id"].to_pylist())), dtype="V16"))
        tests.append(pc.equal(table["stance_design"], "test").to_numpy())
    first = np.zeros(sum(map(len, ids)), np.bool_)
    first[np.unique(np.concatenate(ids).view("S16") if ids else [], return_index=True)[1]] = True
    ends = np.cumsum([len(some) for some in ids])[:-1]
    return [
        kept if i < plain else kept & ~test
        for i, (kept, test) in enumerate(zip(np.split(first, ends), tests, strict=True))
    ]
