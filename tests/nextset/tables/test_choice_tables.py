"""Tables of choice items that a caller gives: what may be missing, and what is refused with its row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

import nextset
from nextset.errors import InputError
from nextset.tables.option_lists import with_options
from tests.choice_rows import choice_items, choice_scores

ITEMS = choice_items(3, 2)
N = ITEMS.num_rows
SCORES = choice_scores(ITEMS, "m", 1)
TEXTS = [[option["text"] for option in row] for row in ITEMS["options"].to_pylist()]


def first_option(rows: Sequence[Any]) -> list[list[float]]:
    """Return the answers of a model that always chooses the first of three options."""
    return [[1.0, 0.0, 0.0] for _ in rows]


def replaced(name: str, values: Any) -> pa.Table:
    """Return the items with other ``values`` in a column."""
    column = values if isinstance(values, pa.Array) else pa.array(values)
    return ITEMS.set_column(ITEMS.column_names.index(name), name, column)


def measured(items: pa.Table, **asked: Any) -> list[dict[str, Any]]:
    """Return the measures of `SCORES`."""
    rows: list[dict[str, Any]] = nextset.measure(items, SCORES, **asked).table().to_pylist()
    return rows


@pytest.mark.parametrize("stereotype", [pa.array([""] * N), pa.nulls(N)], ids=["empty", "null"])
def test_items_without_a_stereotype_are_scored_and_measured(stereotype: pa.Array) -> None:
    items = replaced("stereotype", stereotype)
    assert measured(items) == measured(ITEMS)
    assert nextset.score(items, models=first_option).table().num_rows == N


def test_other_items_need_their_stereotype() -> None:
    with pytest.raises(InputError, match="have no stereotype in row 0"):
        nextset.measure(
            pa.table({"id": ["a"], "label": ["neutral"], "stereotype": [""], "options": [""]}),
            pa.table({"id": ["a"], "label": ["neutral"]}),
        )


@pytest.mark.parametrize(
    "options", [TEXTS, [[{"text": text} for text in row] for row in TEXTS]], ids=["texts", "text alone"]
)
def test_options_need_only_texts(options: list[Any]) -> None:
    items = replaced("options", options)
    assert measured(items) == measured(ITEMS)
    scored = nextset.score(items, models=first_option).table()
    assert scored.equals(nextset.score(ITEMS, models=first_option).table())
    for by in ("group", "pair"):
        with pytest.raises(InputError, match="no option that is the target of its item has a group") as e:
            measured(items, by=by)
        assert '"group": "old"' in e.value.remedy


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([{"answer": "A"}, {"answer": "B"}], "without the field text"),
        ([{"text": "A", "group": 1}, {"text": "B", "group": 2}], "have the group 1, which is no text"),
        (["A", None], "have None, which is not an option"),
        (["A", " "], "without the field text"),
        ([1, 2], "have 1, which is not an option"),
        (["A"], "are 1 instead of 2 to 6"),
        ("A, B", "are 'A, B' instead of a list"),
        (None, "are None instead of a list"),
    ],
)
def test_other_options_are_refused_with_their_row(options: Any, said: str) -> None:
    items = replaced("options", [options] * N)
    for run in (lambda: measured(items), lambda: nextset.score(items, models=first_option)):
        with pytest.raises(InputError, match="the options of the items in row 0") as e:
            run()
        assert said in e.value.message
        assert '[{"text": ' in e.value.remedy


def test_whole_options_stay_as_they_are() -> None:
    assert with_options(ITEMS) is ITEMS


@pytest.mark.parametrize("name", ["unknown", "options", "context"])
@pytest.mark.parametrize("form", ["", "choice"])
def test_a_missing_column_is_named(name: str, form: str) -> None:
    items = ITEMS.drop_columns([name])
    with pytest.raises(InputError, match=f"the items lack the columns {name};"):
        nextset.score(items, models=first_option, form=form)


@pytest.mark.parametrize(
    ("name", "by"),
    [("category", "category"), ("category", "category_cue"), ("subcategory", "subcategory"), ("cue", "cue")],
)
def test_a_grouping_needs_its_column(name: str, by: str) -> None:
    with pytest.raises(InputError, match=f"needs the column {name} of the items"):
        measured(ITEMS.drop_columns([name]), by=by)


def test_a_grouping_needs_a_value() -> None:
    with pytest.raises(InputError, match="the column subcategory of the items is empty"):
        measured(ITEMS, by="subcategory")


LABELS = ITEMS["label"].to_pylist()
WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "ambiguous": (
        lambda: measured(replaced("label", [(label + 1) % 3 for label in LABELS])),
        r"the item in row 0 \(from 0\) is ambiguous, but its label is 0, and its unknown 2",
    ),
    "label": (
        lambda: measured(replaced("label", [label + 1 for label in LABELS])),
        r"the label of the items in row 0 \(from 0\) is 3, not the place of an option",
    ),
    "prediction": (
        lambda: nextset.measure(ITEMS, pa.table({"id": ITEMS["id"], "option": [3] * N})),
        r"the predictions in row 0 \(from 0\) choose option 3 of the item .*, which has 3 options",
    ),
    "large prediction": (
        lambda: nextset.measure(ITEMS, pa.table({"id": ITEMS["id"], "option": [6] * N})),
        r"the option of the predictions in row 0 \(from 0\) is 6",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_places_that_do_not_count_from_0_are_refused(name: str) -> None:
    run, said = WRONG[name]
    with pytest.raises(InputError, match=said) as e:
        run()
    assert "count options from 0" in e.value.remedy
