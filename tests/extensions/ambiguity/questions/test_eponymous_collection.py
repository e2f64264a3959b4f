"""The questions that come with nextset: everybody is named, and every name can be replaced."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import nextset
from nextset.extensions.ambiguity.person_mentions import MentionRules, mention_rules
from nextset.extensions.ambiguity.questions.balanced_copies import balanced_copies
from nextset.extensions.ambiguity.questions.folded_words import first_words, folded_words
from nextset.extensions.ambiguity.questions.mentions import located
from nextset.extensions.ambiguity.questions.source_questions import SourceQuestion
from nextset.extensions.ambiguity.questions.study_questions import load_ambiguous_questions
from tests.extensions.ambiguity.questions.people_texts import GROUPS, NAMES


@pytest.fixture(scope="module")
def questions() -> tuple[SourceQuestion, ...]:
    return load_ambiguous_questions(("builtin:en",), "gender", "en", Path, Path("study.yaml")).questions


def test_everybody_is_named_in_full_and_every_name_can_be_replaced(
    questions: tuple[SourceQuestion, ...],
) -> None:
    for question in questions:
        for person in located(question):
            names = [question.context[m.start : m.end] for m in person.mentions if m.form == "name"]
            assert person.person.name in names, question.key
        copies = balanced_copies(question, GROUPS, NAMES, "gender", 0)
        assert len(copies) == 2, question.key


def test_texts_have_two_to_four_sentences_and_items_their_names(
    questions: tuple[SourceQuestion, ...],
) -> None:
    rules = mention_rules("en") or MentionRules()
    for question in questions:
        begins = first_words(folded_words(question.context), rules.not_after_a_stop, rules.particles)
        assert 2 <= len(begins) <= 4, question.key
        assert question.origin == "builtin:en"
        for person in question.people:
            assert person.name.split()[-1] in question.item.replace("-", " ").split() or (
                person.name.split()[-1] in question.item
            ), question.key
        assert question.item in question.question


def test_keys_and_items_are_not_repeated(questions: tuple[SourceQuestion, ...]) -> None:
    for values in (
        [q.key for q in questions],
        [q.item for q in questions],
        [q.context for q in questions],
    ):
        assert len(set(values)) == len(values) == 106


def test_the_readme_has_the_numbers(questions: tuple[SourceQuestion, ...], root: Path) -> None:
    page = " ".join((root / "word_lists" / "README.md").read_text(encoding="utf-8").split())
    women = Counter(p.group("gender") for q in questions for p in q.people)["female"]
    everyone = sum(len(q.people) for q in questions)
    assert f"{women} of the {everyone} people are women" in page
    files = Counter(q.file.stem for q in questions)
    fields = ("physics", "mathematics", "chemistry", "biology", "psychology")
    numbers = ".* ".join(rf"(\d+) of {field}" for field in fields)
    found = re.search(rf"names of two to four people: {numbers}", page)
    assert found is not None
    names = ("physics", "mathematics", "chemistry", "life_and_earth", "mind_and_society")
    assert [int(n) for n in found.groups()] == [files[name] for name in names]


@pytest.mark.slow
def test_lint_finds_nothing_in_them_and_finds_who_is_not_named(root: Path, tmp_path: Path) -> None:
    folder = root / "word_lists" / "en"
    linted = nextset.lint(folder)
    assert {f.rule for f in linted.findings} & {"unnamed-person", "fixed-names"} == set()
    assert {folder / "eponymous" / "physics.yaml", folder / "group_terms.yaml"} <= set(linted.files)
    text = (folder / "eponymous" / "life_and_earth.yaml").read_text(encoding="utf-8")
    file = tmp_path / "mine.yaml"
    file.write_text(
        text.replace("Alfred Hershey and Martha Chase", "Alfred Hershey and his wife").replace(
            "Chase was", "She was"
        ),
        encoding="utf-8",
    )
    found = nextset.lint(file).findings
    assert [(f.rule, f.name) for f in found] == [("unnamed-person", "hershey_chase")]
    file.write_text(text.replace("Alfred Hershey and", "Lord Hershey and"), encoding="utf-8")
    assert [(f.rule, f.line) for f in nextset.lint(file).findings] == [
        ("fixed-names", text[: text.index("  hershey_chase:")].count("\n") + 1)
    ]
