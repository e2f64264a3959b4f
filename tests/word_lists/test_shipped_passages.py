"""The shipped passages and open questions: how many, about whom, how long, and what is refused."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from nextset.errors import StudyError, WordListError
from nextset.extensions.ambiguity.passage_lists import (
    open_questions,
    read_open_questions,
    read_passages,
    shipped_passages,
)
from nextset.word_lists import FOLDER

RUN = 12
"""Two passages share fewer words in a row than this."""


def test_people_by_field_and_gender() -> None:
    found = shipped_passages("en")
    counts = Counter((one.field, one.passage.group) for one in found)
    fields = sorted({one.field for one in found})
    assert len(found) == 208
    assert len(fields) == 8
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for field in fields:
        female, male = counts[field, "female"], counts[field, "male"]
        assert (female + male, min(female, male) >= 9) == (26, True)
        assert f"| {field} | {female} | {male} |" in readme
        assert (FOLDER / "en" / "passages" / f"{field}.yaml").is_file()
    assert len({one.passage.title for one in found}) == len({one.passage.id for one in found}) == 208


def test_passages_are_short_texts_that_differ() -> None:
    runs: Counter[tuple[str, ...]] = Counter()
    for one in shipped_passages("en"):
        words = one.passage.text.split()
        assert 40 <= len(words) <= 80, one.passage.title
        assert "  " not in one.passage.text
        assert one.passage.text.endswith((".", "?")), one.passage.title
        runs.update({tuple(words[i : i + RUN]) for i in range(len(words) - RUN)})
    assert [run for run, n in runs.items() if n > 1] == []


def test_years_of_birth_are_years() -> None:
    for one in shipped_passages("en"):
        years = [int(year) for year in re.findall(r"\b1[4-9]\d\d\b", one.passage.text)]
        assert years, one.passage.title


def test_questions_name_no_gender_and_nobody() -> None:
    found = open_questions("en")
    assert len(found) >= 30
    fields = {one.field for one in shipped_passages("en")}
    assert {question.occupation for question in found} == fields
    names = {word for one in shipped_passages("en") for word in one.passage.title.split()}
    for question in found:
        words = set(re.findall(r"\w+", question.question))
        assert not words & names
        assert not {w.lower() for w in words} & {"he", "she", "his", "her", "man", "woman", "men", "women"}
        assert question.question.endswith("?")


PASSAGES = """\
format: 1
language: en
field: tea
sources: [A book]
passages:
  - {name: Ann Lee, group: female, born: 1900, text: "Ann Lee, born in 1900, grew tea."}
"""


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("in 1900", "in 1901", "does not contain the name or the year 1900"),
        ("Ann Lee,", "Ann,", "does not contain the name"),
        ("group: female", "group: woman", "not a known value"),
        ("field: tea", "field: tea\nmore: 1", "more"),
    ],
)
def test_wrong_passages_are_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    file = tmp_path / "tea.yaml"
    file.write_text(PASSAGES)
    (found,) = read_passages(file)
    assert (found.passage.id, found.field, found.line) == ("ann-lee", "tea", 6)
    before, _, after = PASSAGES.rpartition(old)
    file.write_text(f"{before}{new}{after}")
    with pytest.raises(WordListError, match=problem):
        read_passages(file)


def test_a_repeated_question_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "open_questions.yaml"
    row = '  - {question: "Who?", occupation: tea}\n'
    file.write_text(f"format: 1\nlanguage: en\nabout: tea\nquestions:\n{row}{row}")
    with pytest.raises(WordListError, match="'Who\\?' is repeated") as e:
        read_open_questions(file)
    assert e.value.line == 6


def test_languages_without_passages() -> None:
    for language in ("de", "xx", "../en"):
        with pytest.raises(StudyError, match="nextset has no passages"):
            shipped_passages(language)
    assert shipped_passages("en-GB") == shipped_passages("en")
