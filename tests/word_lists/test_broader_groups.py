"""broader_groups.yaml: the shipped one is read, and a wrong entry is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import WordListError
from nextset.word_lists.broader_groups import broader_groups, read_broader_groups


def test_groups_are_within_others_over_any_number_of_steps() -> None:
    groups = broader_groups()
    assert groups.is_within("Russian Orthodox", "Orthodox")
    assert groups.is_within("russian-orthodox", "Christian")  # by way of Orthodox; hyphens make no difference
    assert not groups.is_within("Christian", "Orthodox")
    assert groups.overlap("White", "Caucasian")
    assert groups.overlap("Caucasian", "White")
    assert not groups.overlap("White", "White")


NAMES = ["White", "Caucasian", "european", "Catholic", "CHRISTIAN", "Mali", "-", ""]


@given(st.lists(st.sampled_from(NAMES)))
def test_related_names_are_those_that_comparing_each_with_each_finds(names: list[str]) -> None:
    groups = broader_groups()
    expected = {
        frozenset({i, j})
        for i, one in enumerate(names)
        for j, two in enumerate(names)
        if groups.is_within(one, two) or groups.overlap(one, two)
    }
    assert {frozenset(pair) for pair in groups.related(names)} == expected


@pytest.mark.parametrize("place", ["Hong Kong", "Macau", "Taiwan", "Palestine", "Kosovo"])
def test_no_side_is_taken_on_what_is_part_of_a_state(place: str) -> None:
    groups = broader_groups()
    folded = place.casefold()
    assert folded not in groups.containing
    assert all(folded not in names for names in (*groups.sets, *groups.containing.values()))


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("format: 1\nwithin:\n  A: [B]\n  B: [A]\n", 3, "'A' is within itself"),
        (
            "format: 1\nwithin: {}\noverlapping:\n  - [A, A]\n",
            4,
            "two or more names, each once: A, A",
        ),
        (
            "format: 1\nwithin: {}\noverlapping:\n  - []\n",
            4,
            "two or more names, each once: it is empty",
        ),
        ("format: 1\nwithin: [A]\n", 2, "within"),
        ("format: 1\nbroader: {}\n", 2, "unknown key"),
    ],
)
def test_a_wrong_entry_is_named_with_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    (tmp_path / "broader_groups.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(WordListError) as caught:
        read_broader_groups(tmp_path / "broader_groups.yaml")
    assert says in caught.value.message
    assert caught.value.line == line
    assert caught.value.remedy
