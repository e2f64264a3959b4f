"""Directions of languages, compared with CLDR's."""

from __future__ import annotations

import pytest
from babel import Locale
from babel.localedata import locale_identifiers

from nextset.html.text_direction import text_direction


@pytest.mark.parametrize("name", locale_identifiers())
def test_every_locale_has_its_direction(name: str) -> None:
    # Mongolian from top to bottom has no value of dir
    expected = Locale.parse(name).text_direction.replace("ttb", "ltr")
    assert text_direction(name.replace("_", "-")) == expected


@pytest.mark.parametrize(
    ("tag", "direction"), [("ar", "rtl"), ("AR-EG", "rtl"), ("ar-Latn", "ltr"), ("zh", "ltr"), ("", "auto")]
)
def test_tags(tag: str, direction: str) -> None:
    assert text_direction(tag) == direction
