"""The shipped templates of choices: counts, sources, masks, whole sets, and texts without slips."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from nextset.generation.questions.pack_choices.choice_pieces import masks_in
from nextset.word_lists import FOLDER
from tests.word_lists.shipped_choices import CHOICE_LANGUAGES, choices_of, expanded, template_names

ENGLISH = {
    "age": 6,
    "disability": 6,
    "gender": 7,
    "nationality": 6,
    "physical_appearance": 5,
    "race_ethnicity": 6,
    "race_x_gender": 4,
    "religion": 5,
    "sexual_orientation": 5,
    "socioeconomic_status": 5,
}
"""The templates per category."""
CONTENT = re.compile(r"# Content warning: ")
SLIP = re.compile(r"[\[\]{}]|\s\s|\s[,.?!]|\b(\w+) \1\b")
"""Brackets, doubled spaces, a space before a mark, and a word twice."""
SLIPS = {
    "en": re.compile(r"\ba [aeio]|\ban [b-dfgj-np-tv-z]"),
    "es": re.compile(r"\b(?:de|a) el [a-z]|\by h?i"),
}
"""Wrong articles, and words that the language's sound rules join."""

languages = pytest.mark.parametrize("language", CHOICE_LANGUAGES)


def _items(language: str) -> list[dict[str, Any]]:
    return [row for _, rows in expanded(language) for row in rows]


def test_english_has_templates_in_every_category() -> None:
    assert {category: len(names) for category, names in template_names("en").items()} == ENGLISH


@pytest.mark.parametrize("language", ["de", "es", "tr"])
def test_other_languages_have_eight_templates(language: str) -> None:
    assert sum(len(names) for names in template_names(language).values()) == 8


@languages
def test_english_has_a_control_per_category_and_the_others_have_one(language: str) -> None:
    controls = {t.category for t in choices_of(language).templates if t.is_control}
    assert controls == (set(template_names("en")) if language == "en" else {"age"})


@languages
def test_every_stereotype_has_a_source_with_its_year(language: str) -> None:
    for template in choices_of(language).templates:
        if not template.is_control:
            assert re.search(r"\((1[89]|20)\d\d\), \S", template.source or ""), template.name


@languages
def test_half_of_the_templates_have_masks_and_every_mask_is_constrained(language: str) -> None:
    templates = [t for t in choices_of(language).templates if not t.is_control]
    masked = {t.name for t in templates if t.masked}
    assert 2 * len(masked) >= len({t.name for t in templates}) > len(masked)
    for template in templates:
        assert all(str(mask) for text in template.texts.asked for mask in masks_in(text)), template.name


@languages
def test_both_people_are_in_both_roles_and_named_first(language: str) -> None:
    for name, rows in expanded(language):
        counts = Counter(
            (row["condition"], row["polarity"], row["first_group"], row["options"][row["label"]]["role"])
            for row in rows
        )
        groups = {first for _, _, first, _ in counts}
        assert len(groups) >= 2, name
        for row in rows:
            people = {option["group"] for option in row["options"]} - {""}
            assert len(people) == 2, name
            assert row["first_group"] in people, name
        sets = Counter(row["set_id"] for row in rows)
        assert set(sets.values()) == {12}, name


@languages
def test_the_right_option_is_unknown_if_and_only_if_the_context_is_ambiguous(language: str) -> None:
    for row in _items(language):
        assert (row["label"] == row["unknown"]) == (row["condition"] == "ambiguous")


@languages
def test_a_template_is_about_its_target(language: str) -> None:
    controls = {t.id for t in choices_of(language).templates if t.is_control}
    for name, rows in expanded(language):
        assert rows, name
        assert all((row["target"] is None) == (name in controls) for row in rows), name


@languages
def test_texts_have_no_slips(language: str) -> None:
    for row in _items(language):
        texts = (row["context"], row["question"], *(option["text"] for option in row["options"]))
        for text in texts:
            read = text.replace("{{MASK}}", "Xyz")
            assert not SLIP.search(read), text
            assert language not in SLIPS or not SLIPS[language].search(read), text
            assert read[0].isupper() or not read[0].isalpha(), text
        assert row["context"].endswith(".")
        assert row["question"].endswith("?")


@languages
def test_files_begin_with_a_content_warning(language: str) -> None:
    for file in (FOLDER / language / "choice").glob("*.yaml"):
        if file.name != "unknown.yaml":
            assert CONTENT.match(file.read_text(encoding="utf-8")), file


def test_the_readme_counts_the_templates() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"\| `(\w+)/choice/(?:(\w+)\.yaml)?` \| (\d+) \| (\d+) \|", readme)
    counted = []
    for language in ("en", "de", "es", "tr"):
        names: dict[str, dict[str, bool]] = {}
        for template in choices_of(language).templates:
            if not template.is_control:
                file = template.file.stem if language == "en" else ""
                names.setdefault(file, {})[template.name] = template.masked
        counted += [(language, f, str(len(n)), str(sum(n.values()))) for f, n in sorted(names.items())]
    assert listed == counted


@languages
def test_both_questions_take_equally_many_words(language: str) -> None:
    """The fills of one rank belong together, so no word may be left without a counterpart."""
    for template in choices_of(language).templates:
        masks = [list(masks_in(text)) for text in (template.texts.negative, template.texts.non_negative)]
        assert len({len(m) for m in masks}) == 1, template.name
        for negative, other in zip(*masks, strict=True):
            assert len(negative.like) == len(other.like) >= 3, template.name
