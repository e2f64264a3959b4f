"""Directions of languages, compared with CLDR's.

The languages are listed here: a later CLDR may add languages that are written from right to left.
"""

from __future__ import annotations

import pytest
from babel import Locale

from nextset.html.text_direction import text_direction

RIGHT_TO_LEFT = (
    "apc", "ar", "ar-EG", "ary", "az-Arab-IQ", "bal", "bal-Arab", "bgn", "bqi", "brh", "ckb", "dv", "fa",
    "fa-AF", "ff-Adlm", "he", "ks", "ks-Arab", "lrc", "mzn", "nqo", "pa-Arab", "ps", "rhg-Rohg", "sd", "sdh",
    "skr", "syr", "trw", "ug", "ur", "uz-Arab-AF", "yi",
)  # fmt: skip
LEFT_TO_RIGHT = (
    "az", "bal-Latn", "bn", "de", "el", "en", "es", "ff", "ff-Latn", "fr", "hi", "ja", "ko", "ks-Deva", "ku",
    "mn", "pa", "pa-Guru", "pt-BR", "ru", "sd-Deva", "sr-Latn", "sw", "tr", "uz", "uz-Latn", "zh", "zh-Hant",
)  # fmt: skip


@pytest.mark.parametrize(
    ("tag", "direction"),
    [*((tag, "rtl") for tag in RIGHT_TO_LEFT), *((tag, "ltr") for tag in LEFT_TO_RIGHT)],
)
def test_a_language_has_the_direction_that_cldr_gives(tag: str, direction: str) -> None:
    assert text_direction(tag) == Locale.parse(tag, sep="-").text_direction == direction


def test_a_language_that_cldr_does_not_have() -> None:
    assert text_direction("arc") == "rtl"  # Aramaic, which some releases of CLDR have


def test_a_language_from_top_to_bottom_is_left_to_right() -> None:
    """The attribute dir has no value for it."""
    assert text_direction("mn-Mong") == "ltr"


@pytest.mark.parametrize(
    ("tag", "direction"), [("ar", "rtl"), ("AR-EG", "rtl"), ("ar-Latn", "ltr"), ("zh", "ltr"), ("", "auto")]
)
def test_tags(tag: str, direction: str) -> None:
    assert text_direction(tag) == direction
