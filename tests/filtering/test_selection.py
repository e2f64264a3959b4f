"""The filter's choice: nothing is lost on the way, pairs stay whole, balance is told and mended."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.array_types import Bools
from nextset.errors import MissingStage
from nextset.filtering.balance import Parts, balance_rows, left_out, parts_by, subject_parts
from nextset.filtering.item_sets import Sets, sets_of
from nextset.filtering.rules.rule_base import rule_of
from nextset.filtering.selection import FOR_BALANCE, OWN, WITH_ITS_PAIR, Selection, select, select_by_rule
from nextset.study.filter_settings import FilterSettings
from tests.filtering.scores import CERTAIN, SILENT, answers, column, wrong_or_right

MODELS = ("a", "b")


def settings(**more: Any) -> FilterSettings:
    return FilterSettings.model_validate({"models": MODELS, "rule": "any_wrong", **more})


def table(n: int, sets: list[str | None], stances: list[str]) -> pa.Table:
    return pa.table(
        {"id": [f"i{i}" for i in range(n)], "set_id": pa.array(sets, pa.string()), "stance": stances}
    )


def choice(
    candidates: pa.Table, wrong: dict[str, list[bool | None]], chosen: FilterSettings | None = None
) -> Selection:
    chosen = chosen or settings()
    said = answers({model: wrong_or_right(given) for model, given in wrong.items()})
    rule = rule_of(chosen.rule)
    decision = rule.decide_complete(said, candidates["id"], cascade=chosen.cascade)
    return select(
        chosen, rule, decision, said, sets_of(candidates["set_id"]), parts_by("stance", candidates["stance"])
    )


def test_pairs_are_whole_or_apart() -> None:
    # i0 and i1 are a pair, i2 and i3 another, i4 stands alone
    items = table(5, ["p", "p", "q", "q", None], ["pro", "anti", "pro", "anti", "pro"])
    wrong: dict[str, list[bool | None]] = {"a": [True, False, False, False, True], "b": [False] * 5}
    kept = choice(items, wrong).kept(items, 0, "missed_by")
    assert kept["id"].to_pylist() == ["i0", "i1", "i4"]
    assert kept["kept_because"].to_pylist() == [OWN, WITH_ITS_PAIR, OWN]
    assert kept["missed_by"].to_pylist() == [["a"], [], ["a"]]
    apart = choice(items, wrong, settings(pairs="apart"))
    assert apart.kept(items, 0, "missed_by")["id"].to_pylist() == ["i0", "i4"]
    assert apart.rejected(items, 0)["reason"].to_pylist() == ["every model says neutral"] * 3


def test_missed_by_lists_the_models_that_were_asked() -> None:
    items = table(2, [None, None], ["pro", "pro"])
    wrong: dict[str, list[bool | None]] = {"a": [True, False], "b": [None, True]}
    with pytest.raises(MissingStage, match="b has no score for item i0"):
        choice(items, wrong)
    kept = choice(items, wrong, settings(cascade=True)).kept(items, 0, "missed_by")
    assert kept["missed_by"].to_pylist() == [["a"], ["b"]]


def test_an_item_without_score_stops_the_filter_in_a_cascade_too() -> None:
    items = table(1, [None], ["pro"])
    with pytest.raises(MissingStage, match="b has no score for item i0"):
        choice(items, {"a": [False], "b": [None]}, settings(cascade=True))


rows = st.lists(
    st.tuples(
        *(st.booleans(), st.booleans()),
        st.sampled_from(["p", "q", "r", None]),
        st.sampled_from(["pro", "anti"]),
    ),
    max_size=40,
)


@given(rows, st.sampled_from(["whole", "apart"]), st.booleans(), st.integers(0, 3), st.integers(1, 7))
def test_kept_and_rejected_are_all_there_was(
    said: list[tuple[bool, bool, str | None, str]], pairs: str, mend: bool, seed: int, size: int
) -> None:
    items = table(len(said), [s[2] for s in said], [s[3] for s in said])
    balance = {"reject_surplus": mend, "warn_above": 0.05, "seed": seed}
    wrong: dict[str, list[bool | None]] = {"a": [s[0] for s in said], "b": [s[1] for s in said]}
    found = choice(items, wrong, settings(pairs=pairs, balance=balance))
    # in pieces of any size
    pieces = [(start, items.slice(start, size)) for start in range(0, len(said), size)]
    kept = [found.kept(piece, start, "missed_by").to_pylist() for start, piece in pieces]
    rejected = [found.rejected(piece, start).to_pylist() for start, piece in pieces]
    all_kept = {row["id"]: row for some in kept for row in some}
    all_rejected = {row["id"]: row for some in rejected for row in some}
    assert sorted([*all_kept, *all_rejected]) == sorted(items["id"].to_pylist())
    hard = {f"i{i}" for i, s in enumerate(said) if s[0] or s[1]}
    sets: dict[str, set[str]] = defaultdict(set)
    for i, s in enumerate(said):
        sets[s[2] if s[2] is not None and pairs == "whole" else f"alone {i}"].add(f"i{i}")
    for whole in sets.values():
        assert whole <= all_kept.keys() or whole <= all_rejected.keys()
        assert mend or (whole <= all_kept.keys()) == bool(whole & hard)
    for id_, row in all_kept.items():
        assert row["kept_because"] == (OWN if id_ in hard else WITH_ITS_PAIR)
        assert bool(row["missed_by"]) == (id_ in hard)
    for row in all_rejected.values():
        assert row["reason"] in ("every model says neutral", FOR_BALANCE)
        assert mend or row["reason"] != FOR_BALANCE
    counts = Counter(items["stance"].to_pylist())
    assert {r.part: r.candidates for r in found.balance} == dict(counts)
    assert sum(r.kept for r in found.balance) == len(all_kept)


def test_a_shift_is_warned_of() -> None:
    parts = parts_by("stance", column(["pro"] * 5 + ["anti"] * 5))
    keep = np.array([True] * 4 + [False] * 5 + [True])
    anti, pro = balance_rows(parts, keep, 0.1)
    assert (pro.candidates, pro.kept, pro.before, pro.after) == (5, 4, 0.5, 0.8)
    assert pro.warning == "pro is 50.0 % of the candidates and 80.0 % of the kept items"
    assert anti.warning is not None
    assert [row.warning for row in balance_rows(parts, keep, 0.31)] == [None, None]
    assert [row.after for row in balance_rows(parts, np.zeros(10, np.bool_), 0.1)] == [None, None]


def test_balance_is_mended_in_whole_items() -> None:
    # a is a quarter of the candidates and may be 30 % of what is kept: of 25 b that is 10.7, and 11 of 36
    # would be 30.6 %
    parts = parts_by("group", column(["a"] * 60 + ["b"] * 180))
    keep = np.zeros(240, np.bool_)
    keep[40:85] = True
    found = left_out(parts, keep, np.arange(240), 0.05, 0)
    out = found.rows
    assert found.outcome == "fewest"
    assert parts.counts(keep & ~out).tolist() == [10, 25]
    assert not any(row.warning for row in balance_rows(parts, keep & ~out, 0.05))


def test_what_is_at_the_edge_is_not_warned_of() -> None:
    # in floats 0.8 − 0.7 is a little more than 0.1
    parts = parts_by("group", column(["a"] * 7 + ["b"] * 3 + ["a"] * 7 + ["b"] * 3))
    keep = np.array([True] * 7 + [False] * 3 + [True] + [False] * 6 + [True] * 2 + [False])
    assert parts.counts(keep).tolist() == [8, 2]
    assert not any(row.warning for row in balance_rows(parts, keep, 0.1))


def test_balance_is_mended_by_leaving_out_no_more_than_it_takes() -> None:
    # 40 of 100 are pro; all of them are kept, and 20 of the 60 anti: pro is 66.7 % of what is kept
    stances = ["pro"] * 40 + ["anti"] * 60
    items = table(100, [None] * 100, stances)
    wrong: dict[str, list[bool | None]] = {"a": [i < 60 for i in range(100)], "b": [False] * 100}
    chosen = settings(balance={"reject_surplus": True, "warn_above": 0.1})
    found = choice(items, wrong, chosen)
    left = found.rejected(items, 0)["reason"].to_pylist().count(FOR_BALANCE)
    # p pro and 20 anti: p / (p + 20) ≤ 0.5, so 20 pro stay
    assert left == 20
    assert [row.warning for row in found.balance] == [None, None]
    again = choice(items, wrong, chosen)
    assert again.keep.tolist() == found.keep.tolist()
    other = choice(items, wrong, settings(balance={"reject_surplus": True, "warn_above": 0.1, "seed": 1}))
    assert other.keep.tolist() != found.keep.tolist()
    assert other.keep.sum() == found.keep.sum()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=200))
def test_mending_brings_every_share_near_enough(said: list[tuple[str, bool]]) -> None:
    items = table(len(said), [None] * len(said), [s[0] for s in said])
    wrong: dict[str, list[bool | None]] = {"a": [s[1] for s in said], "b": [False] * len(said)}
    before = choice(items, wrong)
    found = choice(items, wrong, settings(balance={"reject_surplus": True, "warn_above": 0.1}))
    needed = [row for row in before.balance if row.before > 0.1]
    if all(row.kept for row in needed) and before.keep.any():
        n = int(found.keep.sum())
        # whole items: rounding each of three parts
        assert all(abs((row.after or 0) - row.before) <= 0.1 + 3 / max(1, n) for row in found.balance)
    else:
        assert found.keep.tolist() == before.keep.tolist()


def fewest_left_out(parts: Parts, keep: Bools, sets: Sets, warn_above: float) -> int | None:
    """The same by trying every choice of sets; null if none but the empty one is in balance."""
    before = parts.counts(np.ones_like(keep)) / keep.size
    found = []
    for chosen in product((False, True), repeat=len(ids := sorted(set(sets[keep].tolist())))):
        stay = keep & np.isin(sets, [i for i, c in zip(ids, chosen, strict=True) if c])
        n = int(stay.sum())
        if n and (abs(parts.counts(stay) / n - before) <= warn_above + 1e-9).all():
            found.append(int(keep.sum()) - n)
    return min(found, default=None)


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), max_size=7),
    st.lists(st.sampled_from("abc"), max_size=12),
    st.sampled_from([0.01, 0.05, 0.1, 0.2]),
    st.integers(0, 2),
)
def test_whole_sets_are_mended_by_leaving_out_the_fewest(
    hard: list[list[str]], others: list[str], warn_above: float, seed: int
) -> None:
    codes = [*chain.from_iterable(hard), *others]
    sets = np.array([i for i, some in enumerate(hard) for _ in some] + [-1] * len(others), np.int64)
    sets[sets < 0] = len(hard) + np.arange(len(others))
    parts, keep = parts_by("group", column(codes)), sets < len(hard)
    found = left_out(parts, keep, sets, warn_above, seed)
    stay = keep & ~found.rows
    for i in range(len(hard)):
        assert stay[sets == i].all() or not stay[sets == i].any()
    fewest = fewest_left_out(parts, keep, sets, warn_above) if hard else 0
    if fewest is None:
        assert (found.outcome, found.rows.sum()) == ("impossible", 0)
    else:
        assert (found.outcome, found.rows.sum()) == ("fewest", fewest)
        assert not any(row.warning for row in balance_rows(parts, stay, warn_above))


def test_nothing_is_left_out_where_no_choice_of_sets_mends_the_balance() -> None:
    # shares of 3/8, 2/8 and 3/8 within a percentage point need eight kept items, and there are six
    parts = parts_by("group", column(["b", "a", "a", "a", "c", "c", "b", "c"]))
    keep = np.array([1, 1, 1, 1, 0, 0, 1, 1], bool)
    found = left_out(parts, keep, np.arange(8) // 2, 0.01, 0)
    assert (found.outcome, found.rows.sum()) == ("impossible", 0)


def test_a_shift_stays_and_is_explained_where_no_choice_of_pairs_mends_it() -> None:
    # half of the candidates are pro; the only kept set is all pro
    items = table(4, ["p", "p", None, None], ["pro", "pro", "anti", "anti"])
    wrong: dict[str, list[bool | None]] = {"a": [True, True, False, False], "b": [False] * 4}
    found = choice(items, wrong, settings(balance={"reject_surplus": True, "warn_above": 0.6}))
    assert (found.mended, found.keep.sum()) == ("fewest", 2)
    found = choice(items, wrong, settings(balance={"reject_surplus": True, "warn_above": 0.1}))
    assert (found.mended, found.keep.sum()) == ("impossible", 2)
    assert all(
        r.warning and r.warning.endswith("; no choice of items to reject restores all shares")
        for r in found.balance
    )


def test_with_too_many_kinds_of_sets_it_says_that_the_search_stopped() -> None:
    # all pairs of 50 parts are kept, 1,225 kinds; with the rejected ones the first part is half of all, so
    # of the kept sets few may stay that do not have it
    pairs = list(combinations(range(50), 2))
    codes = [str(part) for pair in pairs for part in pair] + ["0"] * 2352
    sets = np.array([i // 2 for i in range(2450)] + list(range(1225, 1225 + 2352)))
    keep = np.arange(len(codes)) < 2450
    parts = parts_by("group", column(codes))
    found = left_out(parts, keep, sets, 0.05, 0)
    assert found.outcome == "stopped"
    warnings = [row.warning for row in balance_rows(parts, keep & ~found.rows, 0.05, found.outcome)]
    assert warnings[0] is not None
    assert warnings[0].endswith("; the search stopped before it found a choice that restores all shares")


def test_the_groups_of_quads_are_those_of_their_subjects() -> None:
    quads = pa.table(
        {
            "cluster1": ["male", "female", ""],
            "cluster2": ["female", "male", ""],
            "subject_class": ["gender", "gender", "country"],
        }
    )
    parts = subject_parts(quads)
    assert [parts.names[c] for c in parts.codes] == ["female and male", "female and male", "country"]


def test_a_kept_row_names_the_models_that_did_not_answer_it() -> None:
    """Model b refuses i0 and i2; a is wrong about i0 and i1. Without a refusal there is no such column."""
    items = table(3, [None] * 3, ["pro"] * 3)
    refusing = [SILENT, CERTAIN["neutral"], SILENT]
    first = _kept(items, {"a": wrong_or_right([True, True, False]), "b": refusing})
    assert first["missed_by"].to_pylist() == [["a"], ["a"]]
    assert first["unanswered_by"].to_pylist() == [["b"], []]
    other = _kept(items, {"a": wrong_or_right([True, True, False]), "b": wrong_or_right([False] * 3)})
    assert other.column_names == [*items.column_names, "missed_by", "kept_because"]


def _kept(items: pa.Table, said: Mapping[str, Sequence[tuple[float, ...] | None]]) -> pa.Table:
    rule, given = rule_of(settings().rule), answers(said)
    decision = rule.decide_complete(given, items["id"])
    return select_by_rule(rule, decision, given, np.arange(items.num_rows)).kept(items, 0, "missed_by")
