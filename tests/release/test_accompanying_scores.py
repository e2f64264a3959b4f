"""Scores as they are published."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.artifacts.artifact import Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.errors import ArtifactError, DamagedShard
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.nli_items import NliScore
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.records.question_quads import QuadScore
from nextset.release.accompanying_data.score_selection import (
    SCORE_STAGES,
    IdHashes,
    scores_of_partition,
    scores_to_release,
)


def item_id(n: int) -> str:
    return hashlib.blake2b(str(n).encode(), digest_size=16).hexdigest()


def score(item: int, model: str = "m", role: str = "filter", revision: str = "r", p: float = 0.5) -> NliScore:
    return NliScore(
        item_id=item_id(item),
        model=model,
        revision=revision,
        role=role,  # type: ignore[arg-type]
        precision="float32",
        mode="canonical",
        entailment=p,
        neutral=1 - p,
        contradiction=None,
        truncated=False,
    )


def artifact(folder: Path, shards: Sequence[pa.Table]) -> Path:
    parts = [Part("scores", lambda t=t: PartResult(t)) for t in shards]  # type: ignore[misc]
    build(folder, Recipe("score", 1), lambda: parts)
    return folder


def ids(numbers: Iterable[int]) -> pa.Array:
    return pa.array([item_id(n) for n in numbers], pa.string())


def released(folders: Sequence[Path], numbers: Iterable[int]) -> pa.Table | None:
    wanted = ids(numbers)
    return scores_of_partition(scores_to_release(folders, IdHashes.of([wanted])), wanted)


def test_scores_of_released_items_alone_sorted_and_once(tmp_path: Path) -> None:
    first = artifact(
        tmp_path / "score",
        [table_of([score(i, m) for i in range(6)], NliScore) for m in ("m2", "m1")],
    )
    # asked again by the audit: the same model in the same way, and another one
    again = [score(1, "m1", "audit", p=0.25), score(1, "other", "audit"), score(3, "m1", "audit", "r2")]
    second = artifact(tmp_path / "score_audit", [table_of(again, NliScore)])
    table = released([first, second, tmp_path / "score_release"], [1, 3, 99])
    assert table is not None
    assert table.schema.equals(arrow_schema(NliScore))
    got = [(r["item_id"], r["model"], r["revision"], r["role"]) for r in table.to_pylist()]
    assert got == sorted(
        [
            (item_id(1), "m1", "r", "filter"), (item_id(1), "m2", "r", "filter"),
            (item_id(1), "other", "r", "audit"), (item_id(3), "m1", "r", "filter"),
            (item_id(3), "m1", "r2", "audit"), (item_id(3), "m2", "r", "filter"),
        ]
    )  # fmt: skip
    assert 0.25 not in table["entailment"].to_pylist()


def test_the_filter_model_is_kept_whatever_came_first(tmp_path: Path) -> None:
    audit = artifact(tmp_path / "score_audit", [table_of([score(1, role="audit")], NliScore)])
    filtered = artifact(tmp_path / "score", [table_of([score(1)], NliScore)])
    table = released([audit, filtered], [1])
    assert table is not None
    assert table["role"].to_pylist() == ["filter"]


def test_scores_of_questions(tmp_path: Path) -> None:
    empty = arrow_schema(QuadScore).empty_table()
    values = {
        name: [1.0 if pa.types.is_float64(kind) else False if pa.types.is_boolean(kind) else "canonical"]
        for name, kind in zip(empty.schema.names, empty.schema.types, strict=True)
    }
    table = pa.table({**values, "item_id": ids([4])}, schema=empty.schema)
    folder = artifact(tmp_path / "score", [empty, table])
    found = released([folder], [4])
    assert found is not None
    assert found.equals(table)


@pytest.mark.parametrize("first", ["old", "new"])
def test_scores_of_an_earlier_version_are_released_with_new_ones(tmp_path: Path, first: str) -> None:
    """An earlier version wrote no outcomes: its models answered every prompt, with probabilities."""
    added = (*OUTCOMES, "votes")
    old = table_of([score(1, "m1")], NliScore).drop_columns(list(added))
    new = table_of([replace(score(1, "m2"), refused=0.5, votes=True)], NliScore)
    written = {"old": artifact(tmp_path / "score", [old]), "new": artifact(tmp_path / "score_audit", [new])}
    folders = list(written.values())
    table = released(folders if first == "old" else folders[::-1], [1])
    assert table is not None
    assert table.schema.equals(arrow_schema(NliScore))
    assert table.select(["model", "refused", "votes"]).to_pylist() == [
        {"model": "m1", "refused": 0.0, "votes": False},
        {"model": "m2", "refused": 0.5, "votes": True},
    ]


def test_scores_with_only_some_outcomes_are_refused(tmp_path: Path) -> None:
    some = table_of([score(1)], NliScore).drop_columns(["votes"])
    with pytest.raises(ArtifactError, match="columns that this version of nextset does not write"):
        released([artifact(tmp_path / "score", [some])], [1])


def test_without_scores_there_is_no_table(tmp_path: Path) -> None:
    assert released([tmp_path / name for name in SCORE_STAGES], [1]) is None
    folder = artifact(tmp_path / "score", [table_of([score(1)], NliScore)])
    assert released([folder], [2]) is None
    assert released([folder], []) is None
    # what the hashes let through is compared in full
    assert scores_of_partition([open_artifact(folder).table("scores")], ids([2])) is None


def test_scores_of_two_forms_are_refused(tmp_path: Path) -> None:
    one = artifact(tmp_path / "score", [table_of([score(1)], NliScore)])
    other = artifact(tmp_path / "score_audit", [arrow_schema(QuadScore).empty_table()])
    with pytest.raises(ArtifactError, match="in a different form") as caught:
        released([one, other], [1])
    assert str(other) in caught.value.remedy


def test_a_table_that_holds_no_scores_is_refused(tmp_path: Path) -> None:
    folder = artifact(tmp_path / "score", [pa.table({"item_id": ["x"]})])
    with pytest.raises(ArtifactError, match="columns that this version of nextset does not write"):
        released([folder], [1])


def test_a_shard_cut_in_half_is_reported(tmp_path: Path) -> None:
    folder = artifact(tmp_path / "score", [table_of([score(i) for i in range(50)], NliScore)])
    (shard,) = folder.glob("*/*.parquet")
    shard.write_bytes(shard.read_bytes()[:-200])
    with pytest.raises(DamagedShard):
        released([folder], [1])
    json.loads((folder / "manifest.json").read_text())
    with pytest.raises(pa.ArrowInvalid):
        pq.read_table(shard)


@given(st.sets(st.text(max_size=20), max_size=9), st.lists(st.text(max_size=20), max_size=9))
def test_no_id_of_the_set_is_missed(held: set[str], asked: list[str]) -> None:
    hashes = IdHashes.of([pa.array(sorted(held), pa.string())])
    found = hashes.may_hold(pa.array([*asked, *held], pa.string())).tolist()
    assert all(found[len(asked) :])


def test_hardly_any_other_id_is_let_through() -> None:
    hashes = IdHashes.of([ids(range(5_000)), ids(range(5_000, 10_000))])
    assert hashes.may_hold(ids(range(20_000))).tolist() == [True] * 10_000 + [False] * 10_000


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from(["m1", "m2"]), st.sampled_from(["filter", "audit"]))
    ),
    st.sets(st.integers(0, 4)),
    st.integers(1, 4),
)
def test_it_is_what_a_dictionary_would_keep(
    asked: list[tuple[int, str, str]], wanted: set[int], parts: int
) -> None:
    rows = [score(item, model, role, p=i / 100) for i, (item, model, role) in enumerate(asked)]
    kept: dict[tuple[str, str], NliScore] = {}
    for row in sorted(rows, key=lambda r: r.role != "filter"):
        kept.setdefault((row.item_id, row.model), row)
    wanted_ids = {item_id(n) for n in wanted}
    expected = [row for key, row in sorted(kept.items()) if key[0] in wanted_ids]
    tables = [table_of(rows[i::parts], NliScore) for i in range(parts)] if parts == 1 else []
    step = max(1, len(rows) // parts)
    tables = tables or [table_of(rows[i : i + step], NliScore) for i in range(0, len(rows), step)]
    found = scores_of_partition(tables, ids(wanted))
    assert (found.to_pylist() if found else []) == table_of(expected, NliScore).to_pylist()
