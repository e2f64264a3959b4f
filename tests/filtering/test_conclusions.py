"""The sentences and warnings of the filter's report, by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from nextset.array_types import Bools
from nextset.cluster_bootstrap import template_clusters
from nextset.filtering.balance import Parts, parts_by
from nextset.filtering.conclusions import failed_controls, held_out_conclusions
from nextset.filtering.controls import ControlRow, controls
from tests.filtering.scores import answers, column, wrong_or_right


def texts(missed: list[bool], kept: list[bool], stereotypes: list[str]) -> list[tuple[str, str]]:
    """Kind and text of what is said of a held-out model m."""
    clusters = template_clusters(
        pa.table({"stereotype": column(stereotypes), "template_id": column(stereotypes)})
    )
    rows = held_out_conclusions(
        answers({"m": wrong_or_right(missed)}), np.array(kept), clusters, [by("stereotype", stereotypes)]
    )
    assert [row.warning for row in rows] == [row.kind != "held_out" for row in rows]
    return [(row.kind, row.text) for row in rows]


def by(name: str, values: list[str]) -> Parts:
    return parts_by(name, column(values))


def many(missed_of_kept: int, n: int = 10) -> tuple[list[bool], list[bool], list[str]]:
    """Ten stereotypes of ten items each: half are kept, and m misses some of these and none of the others."""
    missed = [i % 10 < missed_of_kept for i in range(10 * n)]
    return missed, [i % 10 < 5 for i in range(10 * n)], [f"s{i // 10}" for i in range(10 * n)]


def test_hard_beyond_the_models_that_chose() -> None:
    # in each stereotype 1 of 5 kept items is missed and 1 of 10 candidates: 80 − 90 = −10 points in all draws
    assert texts(*many(1)) == [
        (
            "held_out",
            "On the kept items, the held-out model m is 10.0 points worse [−10.0, −10.0]: the items are hard "
            "beyond the filter models.",
        )
    ]


PASSING = [ControlRow("f", "filter", 2, 3), ControlRow("m", "held_out", 3, 3)]


@pytest.mark.parametrize(
    ("model", "tests", "end"),
    [
        ("m", PASSING, ": the items are hard beyond the filter models."),
        ("m", [ControlRow("g", "filter", 0, 3), *PASSING], ": the items are hard beyond the filter models."),
        ("m", [ControlRow("f", "filter", 1, 3), PASSING[1]], "no filter model passes the test items."),
        ("m", [PASSING[0], ControlRow("m", "held_out", 1, 3)], "m does not pass the test items."),
        # another held-out model passes: that says nothing about m
        ("m", [PASSING[0], ControlRow("o", "held_out", 3, 3)], "m does not pass the test items."),
        ("builtin:m", [], "it is a small model for trying the tool."),
    ],
)
def test_a_drop_shows_nothing_unless_the_models_pass_the_test_items(
    model: str, tests: list[ControlRow], end: str
) -> None:
    missed, kept, stereotypes = many(1)
    table = pa.table({"stereotype": column(stereotypes), "template_id": column(stereotypes)})
    said = answers({model: wrong_or_right(missed)})
    (row,) = held_out_conclusions(said, np.array(kept), template_clusters(table), [], tests)
    begin = f"On the kept items, the held-out model {model} is 10.0 points worse [−10.0, −10.0]"
    objects = not end.startswith(":")
    between = ". This does not show whether the items are hard beyond the filter models: " if objects else ""
    assert row.text == begin + between + end


def test_not_hard_beyond_them() -> None:
    missed, kept, stereotypes = many(1)
    ((kind, text),) = texts(missed, [not k for k in kept], stereotypes)
    assert "is 10.0 points better [10.0, 10.0]: the items are not hard beyond the filter models" in text
    # None missed at all: the draws say nothing, so Wilson's interval of as many effective rows counts. 50
    # kept items in clusters of 5, alike by 0.3, weigh 50 / (1 + 0.3 · 4) = 22.7; 3.84 / 26.5 = 14.5 %.
    (_, said), (kind, warned) = texts(*many(0))
    assert "is as good as before [−14.5, 14.5]: the items are not shown to be hard" in said
    assert kind == "interval"
    assert "the interval of m includes 0" in warned


def test_one_stereotype_carries_the_drop() -> None:
    # eight stereotypes; of s0 all kept items are missed, of the others none: 4 of 32 kept, 4 of 80 candidates
    missed = [i < 4 for i in range(80)]
    kept = [i % 10 < 4 for i in range(80)]
    stereotypes = [f"s{i // 10}" for i in range(80)]
    found = dict(texts(missed, kept, stereotypes))
    assert "7.5 points worse" in found["held_out"]
    # 1 − 4/32 − (1 − 4/80) = −0.075; without s0 there is nothing missed, neither before nor after
    assert found["one_part"] == (
        "one stereotype causes most of the drop of m: without s0, m would be as good as before instead of "
        "7.5 points worse"
    )
    # two that carry it together: without one of them more than half remains
    both = [i % 40 < 4 for i in range(80)]
    assert "one_part" not in dict(texts(both, kept, stereotypes))


def test_the_drop_that_is_left_counts_from_the_candidates_that_are_left() -> None:
    # s0: 20 candidates, 10 kept, all of these missed; s1: 90 candidates, 10 kept, 1 of these missed, 2 in all
    missed = [i < 10 for i in range(20)] + [i < 2 for i in range(90)]
    kept = [i < 10 for i in range(20)] + [1 <= i <= 10 for i in range(90)]
    found = dict(texts(missed, kept, ["s0"] * 20 + ["s1"] * 90))
    # before 98/110, after 9/20: −44.1 points; without s0 9/10 − 88/90 = −7.8; without s1 0/10 − 10/20 = −50
    assert "without s0, m would be 7.8 points worse instead of 44.1 points worse" in found["one_part"]


def test_what_is_kept_is_of_one_part() -> None:
    missed = [i < 3 for i in range(20)]
    found = dict(texts(missed, [i < 10 for i in range(20)], ["s0"] * 10 + ["s1"] * 10))
    assert found["one_part"] == "all kept items are from one stereotype: s0"
    # a study of one stereotype says so itself
    assert "one_part" not in dict(texts(missed, [i < 10 for i in range(20)], ["s0"] * 20))


def test_nothing_is_said_of_nothing() -> None:
    assert texts([True, False], [False, False], ["s", "s"]) == []
    ((_, text),) = texts([True], [True], ["s"])
    assert "too little data for an interval" in text


def test_controls_by_hand() -> None:
    said = answers({"a": wrong_or_right([True, True, False]), "b": wrong_or_right([False, True, False])})
    rows = controls(said, "filter")
    assert rows == [ControlRow("a", "filter", 1, 3), ControlRow("b", "filter", 2, 3)]
    # two of three are two thirds: enough
    (warning,) = failed_controls(rows)
    assert "fewer than two thirds of the 3 test items, whose labels are known, are right for a (1);" in (
        warning.text
    )
    assert failed_controls(rows[1:]) == []
    assert warning.text.endswith("do not filter with them: an item that they get wrong need not be hard")
    (warning,) = failed_controls(rows[:1])  # without the one that fails no model would be left
    assert warning.text.endswith("name models that were trained on NLI")
    # in a cascade, a model that was not asked about all test items is not judged by them
    assert controls(answers({"a": wrong_or_right([True, None])}), "filter") == []


@pytest.mark.parametrize("keep", [np.ones(3, np.bool_), np.zeros(3, np.bool_)])
def test_no_model_is_held_out(keep: Bools) -> None:
    clusters = template_clusters(
        pa.table({"stereotype": column(["s"] * 3), "template_id": column(["s"] * 3)})
    )
    none = answers({"a": wrong_or_right([True] * 3)}).only([])
    assert held_out_conclusions(none, keep, clusters, [by("stereotype", ["s"] * 3)]) == []
    assert controls(none, "held_out") == []
