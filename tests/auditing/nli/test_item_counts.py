"""Counts of answers by template: on disk as in memory, pairs across parts, and whatever is inconsistent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.auditing.nli import item_counts
from nextset.auditing.nli.answer_counts import COUNTS
from nextset.auditing.nli.item_counts import ItemCounts, ItemSet, count_items
from nextset.auditing.nli.judged_weights import MEASURED, Selections
from nextset.errors import ArtifactError, MissingStage, NextsetError
from nextset.records.nli_items import LABELS

E, N, C = LABELS
STANCES = ("pro", "anti", "test")
Row = dict[str, Any]


def rows_of(seed: int, n: int = 40) -> list[Row]:
    """Pairs, single items and test items of three templates; some name no group, some are invalid."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for i in range(n):
        kind = rng.integers(4)
        same = {
            "domain": "d", "stereotype": f"s{rng.integers(2)}", "template_id": f"t{rng.integers(3)}",
            "hypothesis": None, "premise": "A premise.", "bindings": None, "label": N,
            "names_group": bool(rng.random() < 0.9), "unit_id": f"u{rng.integers(9)}",
            "verdict": ["valid", "valid", "invalid", None][rng.integers(4)], "stance_judged": None,
        }  # fmt: skip
        if kind == 0:
            other = {"template_id": f"t{rng.integers(3)}"}
            rows += [
                {**same, "id": f"p{i}", "stance_design": "pro", "counterpart_id": f"q{i}"},
                {**same, **other, "id": f"q{i}", "stance_design": "anti", "counterpart_id": f"p{i}"},
            ]
        else:
            label = LABELS[rng.integers(3)] if kind == 3 else N
            rows.append(
                {**same, "id": f"x{i}", "stance_design": STANCES[kind - 1], "counterpart_id": None}
                | {"label": label}
            )
    return rows


def items_of(rows: Sequence[Row]) -> pa.Table:
    fields = [(name, pa.bool_() if name == "names_group" else pa.string()) for name in rows[0]]
    return pa.Table.from_pylist(list(rows), pa.schema(fields))


def answers_of(rows: Sequence[Row], seed: int, models: Sequence[str] = ("m", "two")) -> pa.Table:
    """Answers of models at random; the model two has two labels."""
    rng = np.random.default_rng(seed)
    found = []
    for model in models:
        for row in rows:
            said = dict(zip(LABELS, rng.dirichlet([1, 1, 1]).tolist(), strict=True))
            if model == "two":
                said |= {N: None, C: None}
            found.append({"item_id": row["id"], "model": model, "revision": "r", "role": "audit"} | said)
    return pa.Table.from_pylist(found, SCORED)


SCORED = pa.schema(
    [*((name, pa.string()) for name in ("item_id", "model", "revision", "role")),
     *((name, pa.float64()) for name in LABELS)]
)  # fmt: skip


def counted(
    rows: Sequence[Row], scores: Sequence[pa.Table], judged: bool = False, at_once: int = 7
) -> ItemCounts:
    table = items_of(rows)

    def shards() -> Iterator[pa.Table]:
        for start in range(0, table.num_rows, at_once):
            yield table.slice(start, at_once)

    chosen = Selections(True, frozenset({"u1", "u2"}), {"u1": 1.0, "u2": 0.5, "u3": 0.25})
    return count_items(ItemSet("x", len(rows), shards, chosen if judged else Selections()), scores)


def same(first: ItemCounts, second: ItemCounts) -> None:
    assert (first.clusters, first.models) == (second.clusters, second.models)
    assert first.sums.keys() == second.sums.keys()
    for name, sums in first.sums.items():
        assert second.sums[name] == pytest.approx(sums, abs=1e-9)
    assert first.no_group.tolist() == second.no_group.tolist()
    assert first.not_valid.tolist() == second.not_valid.tolist()


@settings(max_examples=6)
@given(st.integers(0, 1000), st.integers(2, 30), st.booleans())
def test_parts_on_disk_give_the_counts_of_memory(seed: int, per_part: int, judged: bool) -> None:
    """Pairs lie in different parts, since parts go by the ids."""
    rows = rows_of(seed)
    scores = answers_of(rows, seed)
    whole = counted(rows, [scores], judged)
    pieces = [scores.slice(start, 11) for start in range(0, scores.num_rows, 11)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(item_counts, "PER_PART", per_part)
        same(whole, counted(rows, pieces, judged, at_once=per_part))
        same(whole, counted(rows[::-1], pieces[::-1], judged))


def test_the_counts_by_hand() -> None:
    """A pair (E, E), which is an error of two; a single anti item contradicted; a test item that is right."""
    base = rows_of(0, 1)[0] | {"names_group": True, "verdict": None, "label": N, "stereotype": "s"}
    rows = [
        base | {"id": "a", "stance_design": "pro", "counterpart_id": "b", "template_id": "t"},
        base | {"id": "b", "stance_design": "anti", "counterpart_id": "a", "template_id": "t"},
        base | {"id": "c", "stance_design": "anti", "counterpart_id": None, "template_id": "u"},
        base | {"id": "d", "stance_design": "test", "counterpart_id": None, "template_id": "u", "label": E},
        base | {"id": "e", "stance_design": "pro", "counterpart_id": None, "template_id": "u"}
        | {"names_group": False},
    ]  # fmt: skip
    said = {"a": E, "b": E, "c": C, "d": E, "e": E}
    scores = pa.Table.from_pylist(
        [
            {"item_id": i, "model": "m", "revision": "r", "role": "audit"}
            | {label: float(label == answer) for label in LABELS}
            for i, answer in said.items()
        ],
        SCORED,
    )
    found = counted(rows, [scores])
    assert [(c.stereotype, c.template) for c in found.clusters] == [("s", "t"), ("s", "u")]
    by_template = {
        name: values.tolist() for name, values in zip(COUNTS, found.sums[MEASURED][0], strict=True)
    }
    assert {name: values for name, values in by_template.items() if any(values)} == {
        "items": [2, 1], "rows": [2, 1], "not_neutral": [2, 1], "pro": [1, 1], "anti": [1, 0],
        "controls": [0, 1], "controls_right": [0, 1], "control_rows": [0, 1],
            "unswapped": [0, 1], "unswapped_right": [0, 1],
        "paired": [2, 0], "paired_rows": [2, 0], "paired_error": [2, 0], "paired_wrong": [2, 0],
    }  # fmt: skip
    assert found.no_group.tolist() == [0, 1]


@pytest.mark.parametrize("per_part", [200_000, 5])
def test_whatever_is_inconsistent_is_named(per_part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_counts, "PER_PART", per_part)
    rows = rows_of(4)
    scores = answers_of(rows, 4)
    with pytest.raises(MissingStage, match=rf"m has no score for 3 of {len(rows)} items, such as "):
        counted(rows, [scores.slice(3)])
    other = answers_of(rows[:1], 4, ["m"]).set_column(2, "revision", pa.array(["r2"]))
    with pytest.raises(ArtifactError, match="two revisions of m are mixed: r, r2"):
        counted(rows, [scores, other])
    paired = next(i for i, row in enumerate(rows) if row["counterpart_id"])
    gone = [row for i, row in enumerate(rows) if i != paired]
    with pytest.raises(ArtifactError, match=f"the counterpart {rows[paired]['id']} of item .* is missing"):
        counted(gone, [scores])
    one_way = [row if i != paired else row | {"counterpart_id": None} for i, row in enumerate(rows)]
    with pytest.raises(ArtifactError, match="or is not linked back to it"):
        counted(one_way, [scores])
    for bad in (float("nan"), None):
        broken = scores.slice(0, 1).set_column(5, N, pa.array([bad], pa.float64()))
        with pytest.raises(ArtifactError, match=r"the score of item .* by m is not a number"):
            counted(rows, [broken, scores])


@pytest.mark.parametrize("label", ["<b>", "not_entailment", None])
def test_a_label_that_there_is_not_is_named(label: str | None) -> None:
    rows = rows_of(4)
    rows[3]["label"] = label
    with pytest.raises(NextsetError, match=f"the label .* of item {rows[3]['id']} is not one of"):
        counted(rows, [answers_of(rows, 4)])


def test_an_empty_set_has_no_counts() -> None:
    rows = rows_of(1)
    found = count_items(ItemSet("x", 0, lambda: []), [answers_of(rows, 1)])
    assert (found.clusters, found.sums[MEASURED].size) == ((), 0)


def test_progress_counts_the_scores_that_were_read() -> None:
    rows, seen = rows_of(1), list[int]()
    scores = answers_of(rows, 1)
    half = scores.num_rows // 2
    table = items_of(rows)
    items = ItemSet("x", table.num_rows, lambda: [table])
    count_items(items, [scores.slice(0, half), scores.slice(half)], seen.append)
    assert seen == [half, scores.num_rows]
