"""The sizes of the packs: the table of word_lists/README.md, and what a whole pack has at least."""

from __future__ import annotations

import pytest

from nextset.generation.lint.pack_rules.attribute_sources import PLAIN
from nextset.generation.questions.question_set import QuestionSet
from nextset.word_lists import FOLDER
from tests.word_lists.shipped_packs import LANGUAGES, pack_of

OTHERS = [language for language in LANGUAGES if language != "en"]


def of_class(language: str) -> dict[str, QuestionSet]:
    """The question sets of a pack by class."""
    return {s.name: s for s in pack_of(language).sets if s.form == "question"}


def attributes(questions: QuestionSet) -> dict[str, set[str]]:
    """The sources of the attributes of a class, by name, without those of places."""
    found = (a.attribute for t in questions.templates for a in t.by_attribute)
    return {a.name: {a.source} for a in found if a.kind != "place"}


def row(language: str, questions: QuestionSet) -> str:
    """A line of the table."""
    every = {a.attribute.name for t in questions.templates for a in t.by_attribute}
    of_persons = attributes(questions)
    places = len(every) - len(of_persons)
    sources = {a.attribute.name: a.attribute.source for t in questions.templates for a in t.by_attribute}
    documented = sum(source != PLAIN for source in sources.values())
    cells = [
        language,
        questions.name,
        f"{len(questions.templates)}",
        f"{sum(map(len, questions.subjects))}",
        f"{len(every)}" + (f", {places} of places" if places else ""),
        "–" if questions.name == "gender" else f"{documented}",
        f"{questions.n_pairs:,}",
        f"{questions.rows:,}",
    ]
    return f"| {' | '.join(cells)} |"


def test_the_readme_shows_the_sizes() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = "\n".join(row(language, s) for language in OTHERS for s in of_class(language).values())
    assert f"|---|---|---|---|---|---|---|---|\n{rows}\n" in readme, rows


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pack_is_whole(language: str) -> None:
    classes = of_class(language)
    more = ["gender_sentiment", "ethnicity_sentiment"] if language == "en" else []
    assert list(classes) == ["gender", "nationality", "ethnicity", "religion", *more]
    statements = {s.name for s in pack_of(language).sets if s.form == "statement"}
    assert statements == set(classes)
    assert all(len(s.templates) >= 4 for s in pack_of(language).sets)
    assert len(attributes(classes["gender"])) >= 30
    assert len(classes["nationality"].subjects[0]) >= 40
    for name in ("nationality", "ethnicity", "religion"):
        assert len(classes[name].subjects[0]) >= 8
        assert len(attributes(classes[name])) >= 20
