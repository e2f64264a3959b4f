"""What is counted as prose, and how the readers' judgments are counted."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from scripts.reading_figures import (
    SAMPLE,
    WORDS,
    matches,
    prose_lines,
    read_twice,
    words_to_the_first_result,
)


def test_only_comments_and_strings_of_code_are_prose(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text('x = walk  # a walk\ny = f"the {walk} is none"\n\n"""One\nroom."""\n', encoding="utf-8")
    lines = dict(prose_lines(file))
    assert lines[1] == "# a walk"
    assert "is none" in lines[2]
    assert "y = " not in lines[2]
    assert (lines[4], lines[5]) == ('"""One', 'room."""')


def test_every_line_of_a_page_is_prose(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("# Title\n\nA line.\n", encoding="utf-8")
    assert list(prose_lines(file)) == [(1, "# Title"), (2, ""), (3, "A line."), (4, "")]


@pytest.mark.parametrize("tutorial", ["extend_bbnli", "extend_bbq"])
def test_a_newcomer_has_an_own_result_after_1200_words(tutorial: str) -> None:
    assert 900 < words_to_the_first_result(tutorial) <= 1200


def test_matches_name_the_file_and_line() -> None:
    (found,) = (m for m in matches({"title": r"^# Plain English$", "glossary": r"^# Glossary$"}))
    assert (found.entry, found.file, found.line, found.text) == (
        "glossary",
        "docs/glossary.md",
        1,
        "# Glossary",
    )


def test_judgments_are_counted_by_state() -> None:
    rows = [
        {"state": "before", "twice": "1"},
        {"state": "before", "twice": "0"},
        {"state": "after", "twice": "0"},
    ]
    assert (read_twice(rows, "before"), read_twice(rows, "after")) == ((1, 2), (0, 1))


@pytest.mark.parametrize("state", ["before", "after"])
def test_the_sample_has_200_sentences_and_two_readers(state: str) -> None:
    with SAMPLE.open(encoding="utf-8", newline="") as f:
        rows = [row for row in csv.DictReader(f) if row["state"] == state]
    assert len({row["sentence"] for row in rows}) == 200
    assert sorted({row["reader"] for row in rows}) == ["1", "2"]
    assert len(rows) == 400
    assert all(row["reason"] for row in rows if row["twice"] == "1")


def test_the_word_list_is_read() -> None:
    import re

    import yaml

    for entry in yaml.safe_load(WORDS.read_text(encoding="utf-8")):
        assert set(entry) == {"avoid", "use", "pattern", "before"}
        re.compile(entry["pattern"])
