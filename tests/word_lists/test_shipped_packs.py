"""What holds of every shipped language pack: lint, and letters of its script alone."""

from __future__ import annotations

import pytest
import regex  # type: ignore[import-untyped]
from babel import Locale
from babel.core import get_global

from nextset.generation.lint.pack_lint import lint_pack
from nextset.generation.questions.context_spans import render_context
from nextset.scoring.masks.word_pattern import MASK
from tests.word_lists.shipped_packs import LANGUAGES, entries_of, pack_of

SCRIPTS = {"Latn": "Latin", "Cyrl": "Cyrillic", "Arab": "Arabic", "Deva": "Devanagari", "Hans": "Han"}
"""The Unicode names of CLDR's codes of scripts."""


def script_of(language: str) -> str:
    """The script in which CLDR's likely subtags write the language."""
    return SCRIPTS[get_global("likely_subtags")[language].split("_")[1]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_lint_finds_nothing_that_is_not_accepted(language: str) -> None:
    assert lint_pack(pack_of(language)).open == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_in_the_script_of_its_language(language: str) -> None:
    """By Unicode's property Script; marks and punctuation are Common or Inherited.

    An English key that stands for a base form that no template takes does not count.
    """
    script = script_of(language)
    other = regex.compile(rf"[^\p{{Script={script}}}\p{{Common}}\p{{Inherited}}]")
    pack = pack_of(language)
    texts = {t for e in entries_of(pack) for key, t in e.forms.items() if key or t != e.name}
    for questions in pack.sets:
        one, two = questions.lists
        for template in questions.templates:
            texts.add(render_context(questions, template, one[0], two[-1]).text)
            texts |= {a.text.replace(MASK, "") for a in template.by_attribute}
    wrong = {text: found for text in texts if (found := other.findall(text))}
    assert wrong == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_direction_is_that_of_cldr(language: str) -> None:
    order = {"left-to-right": "ltr", "right-to-left": "rtl"}
    assert pack_of(language).direction == order[Locale.parse(language).character_order]
