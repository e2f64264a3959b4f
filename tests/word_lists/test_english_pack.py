"""The English pack: UnQover's sizes, its facts, our own sentences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nextset.generation.lint.pack_lint import lint_sets
from nextset.generation.questions.context_spans import render_context
from nextset.generation.questions.published_unqover import read_published
from nextset.generation.questions.question_set import QuestionSet
from nextset.word_lists import FOLDER
from tests.word_lists.shipped_packs import pack_of

CLASSES = ("gender", "nationality", "ethnicity", "religion", "gender_sentiment", "ethnicity_sentiment")
RUN = 6
"""So many words in a row, shared with a published text, are taken for a copy."""


def of(name: str, form: str = "question") -> QuestionSet:
    (found,) = [s for s in pack_of("en").sets if (s.name, s.form) == (name, form)]
    return found


# Li et al. 2020, table 1: templates, subjects, attributes; examples 1.4m, 1.2m, 74k, 39k
@pytest.mark.parametrize(
    ("name", "templates", "subjects", "attributes", "rows"),
    [
        ("gender", 4, 140, 70, 1_372_000),
        ("nationality", 12, 69, 64, 1_154_232),
        ("ethnicity", 14, 15, 50, 73_500),
        ("religion", 14, 11, 50, 38_500),
    ],
)
def test_the_sizes_are_those_of_table_1(
    name: str, templates: int, subjects: int, attributes: int, rows: int
) -> None:
    questions = of(name)
    assert len(questions.templates) == len(of(name, "statement").templates) == templates
    assert sum(map(len, questions.subjects)) == subjects
    assert len({a.attribute.name for t in questions.templates for a in t.by_attribute}) == attributes
    assert questions.rows == rows


def test_lint_finds_nothing() -> None:
    assert lint_sets(pack_of("en").sets) == []


def test_its_classes_are_these() -> None:
    sets = [(s.name, s.form) for s in pack_of("en").sets]
    assert sorted(sets) == sorted((name, form) for name in CLASSES for form in ("question", "statement"))


@pytest.mark.parametrize("form", ["question", "statement"])
@pytest.mark.parametrize("name", CLASSES)
def test_swapping_two_subjects_changes_nothing_else(name: str, form: str) -> None:
    """With stand-ins of one length the two orders are the same text, but for the stand-ins."""
    questions = of(name, form)
    first, second = questions.lists[0][0], questions.lists[1][-1]
    for template in questions.templates:
        one = render_context(questions, template, first, second)
        two = render_context(questions, template, second, first)
        found = []
        for context in (one, two):
            (a, b), (c, d) = ((s.start, s.end) for s in (context.first, context.second))
            text = context.text[:a] + "X" + context.text[b:c] + "Y" + context.text[d:]
            found.append(re.sub(r"\b([Aa])n (?=[XY])", r"\1 ", text))
        assert found[0] == found[1]


def test_the_readme_says_the_sizes() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name in dict.fromkeys(questions.name for questions in pack_of("en").sets):
        questions = of(name)
        (row,) = re.findall(rf"^\| {name} \|.*$", readme, re.MULTILINE)
        assert f"| {len(questions.templates)} |" in row
        assert f"| {questions.n_pairs:,} | {questions.rows:,} |" in row


@pytest.mark.reference
def test_the_facts_are_the_published_ones(reference: Path) -> None:
    sets = read_published(reference / "unqover_word_lists", "en").sets
    published = {s.name: s for s in sets if s.form == "question"}

    def forms(questions: QuestionSet) -> set[str]:
        texts = (text for listed in questions.subjects for s in listed for text in s.forms.values())
        return {text.lower().replace("-", " ") for text in texts}

    for ours, theirs in (("nationality", "country"), *((n, n) for n in ("gender", "ethnicity", "religion"))):
        assert forms(of(ours)) == forms(published[theirs])
    occupations = {a.text for a in of("gender").templates[0].by_attribute}
    assert occupations == {a.text for a in published["gender"].templates[0].by_attribute}


@pytest.mark.reference
def test_the_sentences_are_our_own(reference: Path) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"[\w\[\]:']+", text.lower())
        return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}

    folder = reference / "unqover_word_lists"
    files = [p for part in ("slots", "activities") for p in (folder / part).iterdir()]
    published = {run for p in files for line in p.read_text().splitlines() for run in runs(line)}
    for path in pack_of("en").files:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert runs(line).isdisjoint(published), line
