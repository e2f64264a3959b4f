"""The groups of titles."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.extensions.ambiguity.retrieval.title_groups import (
    GROUP_SOURCES,
    TitleGroups,
    source_counts,
    title_groups,
)
from nextset.word_lists.name_groups import NameGroups

NAMES = NameGroups({"mary": "Female", "robin": "", "alex": "nonbinary"})


def groups(rows: list[tuple[str, str]]) -> TitleGroups:
    table = pa.table(
        {
            "title": pa.array([title for title, _ in rows], pa.string()),
            "group": pa.array([group for _, group in rows], pa.string()),
        }
    )
    return title_groups(table, ("female", "male"), NAMES)


@pytest.mark.parametrize(
    ("title", "labels", "group", "source"),
    [
        ("Mary A", ["male"], "male", "label"),  # a label is more certain than a name
        ("Mary A", [" FEMALE "], "female", "label"),
        ("Mary A", ["", "female"], "female", "label"),
        ("Mary A", [""], "female", "names"),
        ("Mary A", ["nonbinary"], "unknown", "other_group"),
        ("Mary A", ["female", "male"], "unknown", "two_labels"),
        ("Robin A", [""], "unknown", "two_groups"),
        ("Alex A", [""], "unknown", "other_group"),
        ("Qux A", [""], "unknown", "none"),
        ("", [""], "unknown", "none"),
    ],
)
def test_where_a_group_is_from(title: str, labels: list[str], group: str, source: str) -> None:
    found = groups([(title, label) for label in labels])
    assert found.titles == (title,)
    assert (found.name(0), found.sources[0]) == (group, source)
    assert found.passages.tolist() == [len(labels)]


def test_shares_count_each_title_once() -> None:
    found = groups([("A B", "female"), ("A B", "female"), ("C D", "male"), ("E F", "male"), ("G H", "")])
    assert found.shares is not None
    assert found.shares.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert groups([("G H", "")]).shares is None


@given(
    st.lists(
        st.tuples(st.sampled_from(["Mary A", "Robin B", "C D", ""]), st.sampled_from(["", "female", "x"])),
        max_size=12,
    )
)
def test_every_passage_has_a_title_with_a_source(rows: list[tuple[str, str]]) -> None:
    found = groups(rows)
    assert int(found.passages.sum()) == len(rows)
    assert set(found.sources) <= set(GROUP_SOURCES)
    places = found.of(title for title, _ in rows)
    assert sum(source_counts(found, places).values()) == len(rows)
    known = [source in ("label", "names") for source in found.sources]
    assert (found.codes >= 0).tolist() == known
    assert found.codes.dtype == np.int64
