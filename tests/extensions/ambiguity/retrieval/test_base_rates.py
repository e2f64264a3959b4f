"""Base rates: of the collection, given, and from tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import InputError
from nextset.extensions.ambiguity.retrieval.base_rates import base_rates, read_base_rates
from nextset.extensions.ambiguity.retrieval.title_groups import title_groups
from nextset.word_lists.name_groups import NameGroups

GROUPS = ("female", "male")
TITLES = title_groups(
    pa.table({"title": ["A B", "C D", "E F", "G H"], "group": ["female", "male", "male", ""]}),
    GROUPS,
    NameGroups({}),
)
GOOD = "occupation,group,share,source\nnurse,female,0.87,census\nnurse,male,0.13,census\n"


@pytest.mark.parametrize(
    ("written", "shares"),
    [
        ("collection", [1 / 3, 2 / 3]),
        ("equal", [0.5, 0.5]),
        ({"male": 0.7, "female": 0.3}, [0.3, 0.7]),
    ],
)
def test_one_base_rate_for_all(written: str | dict[str, float], shares: list[float]) -> None:
    found = base_rates(written, GROUPS, TITLES, None)
    assert found.of(["nurse", ""]).tolist() == [pytest.approx(shares)] * 2
    assert [row.group for row in found.rows()] == ["female", "male"]
    assert all(row.source for row in found.rows())


def test_a_collection_without_known_groups_has_no_base_rate() -> None:
    none = title_groups(pa.table({"title": ["A"], "group": [""]}), GROUPS, NameGroups({}))
    found = base_rates("collection", GROUPS, none, None)
    assert np.isnan(found.of(["nurse"])).all()
    assert not list(found.rows())


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_table_by_occupation(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"rates.{ending}"
    rows = [{"occupation": "nurse", "group": g, "share": s} for g, s in (("Female", 0.87), ("male", 0.13))]
    file.write_text(GOOD if ending == "csv" else "\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = read_base_rates(file, GROUPS)
    assert found.of([" Nurse", "judge"])[0].tolist() == pytest.approx([0.87, 0.13])
    assert np.isnan(found.of(["judge"])).all()
    assert {row.source for row in found.rows()} == ({"census"} if ending == "csv" else {""})


@pytest.mark.parametrize(
    ("text", "line", "message", "remedy"),
    [
        (GOOD.replace("occupation,", "ocupation,"), 1, "no column 'occupation'", "'ocupation'"),
        (GOOD.replace("0.13", "0.23"), 2, "sum to 1.1", "sum to 1"),
        (GOOD.replace("0.13", "nan"), 3, "not a share", "above 0"),
        (GOOD.replace("0.13", "0"), 3, "not a share", "above 0"),
        (GOOD.replace("0.13", "13%"), 3, "not a share", "above 0"),
        (GOOD.replace("nurse,male", "nurse,men"), 3, "not a group", "female, male"),
        (GOOD.replace("nurse,male", "nurse,female"), 3, "repeated", "one row"),
        (GOOD.replace("nurse,male", " ,male"), 3, "not a text", "a text"),
        ("\n".join(GOOD.split("\n")[:2]), 2, "no share of male", "one row per group"),
        ("occupation,group,share\n", None, "no rows", "occupation"),
    ],
)
def test_a_wrong_table_is_refused(
    tmp_path: Path, text: str, line: int | None, message: str, remedy: str
) -> None:
    file = tmp_path / "rates.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_base_rates(file, GROUPS)
    assert message in caught.value.message
    assert remedy in caught.value.remedy
    assert (caught.value.file, caught.value.line) == (file, line)


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.just("female")


@given(st.lists(st.fixed_dictionaries({"occupation": VALUES, "group": VALUES, "share": VALUES}), max_size=4))
def test_any_table_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]]
) -> None:
    file = tmp_path_factory.mktemp("rates") / "rates.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    try:
        found = read_base_rates(file, GROUPS)
    except InputError as e:
        assert e.remedy
    else:
        assert all(0 < row.share <= 1 for row in found.rows())
