"""How Korean words end, against the Unicode decomposition of every syllable."""

from __future__ import annotations

import unicodedata

import pytest

from nextset.generation.sound_rules.korean_particles import coda

RIEUL = "\u11af"


def test_every_syllable_ends_as_its_unicode_decomposition_says() -> None:
    for point in range(0xAC00, 0xD7A4):
        jamo = unicodedata.normalize("NFD", chr(point))
        expected = "vowel" if len(jamo) == 2 else "rieul" if jamo[2] == RIEUL else "consonant"
        assert coda(f"한{chr(point)}") == expected


# Korean readings: 일 이 삼 사 오 육 칠 팔 구 영, 십 백 천 만 억, 조
@pytest.mark.parametrize(
    ("text", "reading"),
    [
        *zip("1234567890", "일이삼사오육칠팔구영", strict=True),
        *((f"3{'0' * zeros}", "십백천만"[min(zeros, 4) - 1]) for zeros in range(1, 8)),
        ("2억", "억"),
        *zip("ABCLMNR", ["에이", "비", "씨", "엘", "엠", "엔", "알"], strict=True),
    ],
)
def test_digits_and_letters_end_as_they_are_read(text: str, reading: str) -> None:
    assert coda(text) == coda(reading)


@pytest.mark.parametrize("text", ["", "Seoul", "NATO", "1" + "0" * 12, "!", "ㄱ"])
def test_what_the_spelling_does_not_tell(text: str) -> None:
    assert coda(text) is None
