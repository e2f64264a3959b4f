"""The German and Spanish words that fill asks for, beside the packs and templates of these languages."""

from __future__ import annotations

import pytest
import yaml

from nextset.bbnli_templates import FOLDER as TEMPLATES
from nextset.generation.templates.yaml_format import read_yaml_template
from nextset.word_lists import FOLDER
from nextset.word_lists.closed_class import closed_class_words
from nextset.word_lists.protected_groups import protected_groups

languages = pytest.mark.parametrize("language", ["de", "es"])


def subjects(language: str, name: str) -> dict[str, dict[str, str]]:
    """The forms of the subjects of a list."""
    text = (FOLDER / language / "subjects" / f"{name}.yaml").read_text(encoding="utf-8")
    return {key: entry["forms"] for key, entry in yaml.safe_load(text)["subjects"].items()}


@languages
def test_the_groups_of_the_pack_are_protected_groups(language: str) -> None:
    groups = protected_groups(language)
    assert groups is not None
    people = [*subjects(language, "ethnic_groups").values(), *subjects(language, "religions").values()]
    people += [
        {key: form for key, form in forms.items() if key.startswith("dem")}
        for forms in subjects(language, "countries").values()
    ]
    named = {form for forms in people for form in forms.values()}
    # a mask is filled with one word; Zeuge Jehovas is a group only as a whole
    missing = {form for form in named if not any(map(groups.named_by, form.split()))}
    assert missing <= {"Zeuge Jehovas", "Zeugen Jehovas", "Zeugin Jehovas"}


@languages
def test_the_words_that_fill_a_mask_name_no_group_and_are_no_function_words(language: str) -> None:
    groups, closed = protected_groups(language), closed_class_words(language)
    assert groups is not None
    assert closed is not None
    for file in (TEMPLATES / language).glob("*/*.yaml"):
        template = read_yaml_template(file)
        words = {word for listed in template.lists.values() for word in listed}
        assert [word for word in words if groups.named_by(word)] == []
        assert closed.functions.isdisjoint(word.lower() for word in words)
        assert all(any(map(groups.named_by, group.split())) for group in template.groups)


@pytest.mark.parametrize(
    ("language", "word", "named"),
    [
        ("de", "Frauen", True),
        ("de", "frauen", True),
        ("de", "jüdischen", True),
        ("de", "junge", False),  # young
        ("de", "Junge", True),  # a boy
        ("de", "weiße", False),
        ("de", "ehrgeizig", False),
        ("es", "mujeres", True),
        ("es", "Gitanas", True),
        ("es", "marroquíes", True),
        ("es", "pacientes", False),
    ],
)
def test_words_by_which_groups_are_called(language: str, word: str, named: bool) -> None:
    groups = protected_groups(f"{language}-{language.upper()}")
    assert groups is not None
    assert groups.named_by(word) == named
