"""Sets of choice items that lack an item are found, whatever it is."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.choice_rows import choice_items
from tests.complete_choice_sets import incomplete_sets


def without(table: pa.Table, *places: int) -> pa.Table:
    return table.take([i for i in range(table.num_rows) if i not in places])


def test_whole_sets_lack_nothing() -> None:
    assert incomplete_sets(choice_items(2, 2)) == []
    assert incomplete_sets(choice_items().slice(0, 0)) == []


@pytest.mark.parametrize("place", range(16))
def test_a_set_without_one_of_its_items_is_found(place: int) -> None:
    items = choice_items(2, 1)  # 2 conditions × 2 polarities × 2 versions × 2 orders per set
    assert items.num_rows == 32
    (gap,) = incomplete_sets(without(items, place))
    assert (gap.items, gap.category, gap.template_id) == (15, "age", "lost_phone_1")
    assert gap.set_id == items["set_id"][place].as_py()
    assert len(gap.lacking) == 1
    assert gap.lacking[0].startswith("1 of 2 orders of the options: ")


@pytest.mark.parametrize("condition", ["ambiguous", "disambiguated"])
@pytest.mark.parametrize("polarity", ["negative", "non_negative"])
def test_a_combination_that_is_missing_is_named(condition: str, polarity: str) -> None:
    items = choice_items(1, 1)
    rows = items.to_pylist()
    dropped = [i for i, r in enumerate(rows) if (r["condition"], r["polarity"]) == (condition, polarity)]
    assert len(dropped) == 4
    (gap,) = incomplete_sets(without(items, *dropped))
    assert gap.items == 12
    who = "person {} is the negative answer" if condition == "disambiguated" else ""
    expected = [
        ", ".join(filter(None, (f"no item: {condition}", polarity, f"{group} first", version, who.format(n))))
        for n, (group, version) in enumerate((("old", "a"), ("young", "b")), 1)
    ]
    assert list(gap.lacking) == expected


def test_a_set_of_one_condition_lacks_the_other() -> None:
    items = choice_items(1, 1)
    (gap,) = incomplete_sets(items.slice(0, 8))
    assert len(gap.lacking) == 4
    assert all("disambiguated" in lacking for lacking in gap.lacking)


def test_items_without_a_set_are_not_looked_at() -> None:
    items = choice_items(1, 1).slice(0, 1)
    nulls = pa.array([None], pa.string())
    at = items.schema.get_field_index("set_id")
    assert incomplete_sets(items.set_column(at, items.schema.field(at), nulls)) == []
