"""The first sound of English words, as a reader says them."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.sound_rules.english_articles import begins_with_vowel_sound

AN = """
    hour hourly honest Honest honesty honor honour honorary heir heiress heirloom
    apple idle umbrella uncle ugly usher us utter utmost urban urgent Urdu uninformed unimportant
    unidentified unideal unirrigated unironed unissued Uzbek Uber
    onerous onion only oncology eight every Egyptian Asian Israeli élite Éclair Österreicher Ørsted
    FBI NBA MRI HIV EU LGBT NGO NGOs MP's SMS HTML AIDS FBI-led X-ray x-ray A F 8 80 8th 11 18 18-year-old
    11,000 1865 1890s “honest ‘idle (awkward
"""
A = """
    house hotel happy history homage herb Hungarian horizon hone
    union unit unique uniform university universal unicorn unilateral unanimous UNESCO unisex unimodal
    use used useful usual user using usury US UK UN USB UFO UK's US-born
    ubiquitous Ukrainian ukulele Ugandan uranium urine urologist Uruguayan uterus utility utopia utensil
    Utah Uyghur Uighur
    European euro euphemism eulogy EUROPEAN ewe one one-off oneself once once-great Ouija
    woman young year yellow YMCA
    NATO NASA FIFA UNIX PhD BBC CEO TV DNA T-shirt U-turn B 1 2 10 100 110 180 1100000 7 2019
"""


AN += (
    " LGBTQ LGBTQ+ LGBTQIA+ HBCU NAACP NAACP's MP3 HIV LAPD NYPD ROTC NCAA LSAT FDIC AARP SEIU MSNBC AAPI "
    "MSc mRNA fMRI eBay iPhone 11,000 18000 1800s 8-year-old S&P MPs F-16"
)
A += (
    " STEM SWAT FIFA FEMA NASDAQ HIPAA SARS BIPOC NOAA FOIA SIM RAM UCLA UEFA UNHCR UNICEF USAID MAN PhD pH "
    "U-turn one-off one-time European 110 118 100-year-old Oaxacan WASP UN US UK TV"
)


@pytest.mark.parametrize("word", AN.split())
def test_an(word: str) -> None:
    assert begins_with_vowel_sound(word)


@pytest.mark.parametrize("word", A.split())
def test_a(word: str) -> None:
    assert not begins_with_vowel_sound(word)


@pytest.mark.parametrize("word", ["", " ", "--", "“"])
def test_what_has_no_letter_has_no_sound(word: str) -> None:
    assert not begins_with_vowel_sound(word)


@given(st.sampled_from("bcdfgjklmnpqrstvwxyz"), st.text(string.ascii_lowercase, min_size=1))
def test_a_consonant_letter_but_h_is_a_consonant(first: str, rest: str) -> None:
    assert not begins_with_vowel_sound(first + rest)


@given(st.text())
def test_any_text_is_judged(word: str) -> None:
    assert begins_with_vowel_sound(word) in (True, False)
