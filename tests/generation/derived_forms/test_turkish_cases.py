"""Turkish cases: worked examples, and vowel harmony over made-up words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.derived_forms.turkish_cases import lower_case, turkish_cases

CASES = ("acc", "dat", "loc", "abl", "gen", "ins")
# Checked one by one: Türk Dil Kurumu, Yazım Kılavuzu (kesme işareti; ünlü uyumu; ünsüz benzeşmesi).
EXAMPLES = """
    Türkiye: Türkiye’yi Türkiye’ye Türkiye’de Türkiye’den Türkiye’nin Türkiye’yle
    Ahmet: Ahmet’i Ahmet’e Ahmet’te Ahmet’ten Ahmet’in Ahmet’le
    Zonguldak: Zonguldak’ı Zonguldak’a Zonguldak’ta Zonguldak’tan Zonguldak’ın Zonguldak’la
    Ali: Ali’yi Ali’ye Ali’de Ali’den Ali’nin Ali’yle
    Irak: Irak’ı Irak’a Irak’ta Irak’tan Irak’ın Irak’la
    İran: İran’ı İran’a İran’da İran’dan İran’ın İran’la
    Kürt: Kürt’ü Kürt’e Kürt’te Kürt’ten Kürt’ün Kürt’le
    Alman: Alman’ı Alman’a Alman’da Alman’dan Alman’ın Alman’la
    Peru: Peru’yu Peru’ya Peru’da Peru’dan Peru’nun Peru’yla
    ABD: ABD’yi ABD’ye ABD’de ABD’den ABD’nin ABD’yle
    öğretmen: öğretmeni öğretmene öğretmende öğretmenden öğretmenin öğretmenle
    işçi: işçiyi işçiye işçide işçiden işçinin işçiyle
    avukat: avukatı avukata avukatta avukattan avukatın avukatla
    polis: polisi polise poliste polisten polisin polisle
    doktor: doktoru doktora doktorda doktordan doktorun doktorla
    sürücü: sürücüyü sürücüye sürücüde sürücüden sürücünün sürücüyle
"""
WITH_SPACES = {
    "Çek Cumhuriyeti": ["’ni", "’ne", "’nde", "’nden", "’nin", "’yle"],
    "Amerika Birleşik Devletleri": ["’ni", "’ne", "’nde", "’nden", "’nin", "’yle"],
    "temizlik işçisi": ["ni", "ne", "nde", "nden", "nin", "yle"],
    "Bosna-Hersek": ["’i", "’e", "’te", "’ten", "’in", "’le"],
    "Güney Afrika": ["’yı", "’ya", "’da", "’dan", "’nın", "’yla"],
}
LINES = [line.strip().split(": ") for line in EXAMPLES.strip().splitlines()]


@pytest.mark.parametrize(("word", "expected"), LINES)
def test_examples(word: str, expected: str) -> None:
    assert derived(word) == expected.split()


@pytest.mark.parametrize("word", WITH_SPACES)
def test_the_second_word_may_be_in_the_possessive(word: str) -> None:
    assert derived(word) == [word + suffix for suffix in WITH_SPACES[word]]


def derived(word: str, *features: str) -> list[str | None]:
    forms = {frozenset(features): word}
    found = [turkish_cases(forms, frozenset({case, *features})) for case in CASES]
    assert all(form is None or form.stem == word for form in found)
    return [form.text if form else None for form in found]


def test_plurals_and_demonyms_in_li_have_no_apostrophe() -> None:
    assert derived("Türkler", "pl")[:2] == ["Türkleri", "Türklere"]
    assert derived("Suriyeli", "dem")[:2] == ["Suriyeliyi", "Suriyeliye"]
    assert derived("Güney Koreli", "dem")[:2] == ["Güney Koreliyi", "Güney Koreliye"]
    assert derived("İtalyan", "dem")[:2] == ["İtalyan’ı", "İtalyan’a"]


@pytest.mark.parametrize("word", ["kitap", "şehir", "hak", "psikolog"])
def test_a_stem_that_may_change_before_a_vowel_does_not_before_a_consonant(word: str) -> None:
    assert [form is None for form in derived(word)] == [True, True, False, False, True, False]


@pytest.mark.parametrize(
    "word",
    [
        "Kemal",
        "Suriyeli",
        "saat",
        "kalp",
        "su",
        "ev hanımı",
        "Washington",
        "Québec",
        "TİP",
        "PKK",
        "C3",
        "Ö.",
        "-",
        "Hz. ",
        "Jack",
        "Beth",
        "Bill",
        "Lee",
        "AIDS",
        "Türkler",
        "Adalar",
    ],
)
def test_no_rule_is_safe(word: str) -> None:
    assert derived(word) == [None] * 6


def test_only_one_case_can_be_derived_and_only_from_a_listed_form() -> None:
    forms = {frozenset[str](): "Ali"}
    for key in ({"acc", "dat"}, {"nom"}, set[str](), {"acc", "pl"}):
        assert turkish_cases(forms, frozenset(key)) is None
    for base in ({"nom"}, {"sg"}, {"nom", "sg"}):
        found = turkish_cases({frozenset(base): "Ali"}, frozenset({"dat"}))
        assert found is not None
        assert found.text == "Ali’ye"


SYLLABLES = st.tuples(st.sampled_from("bcdfgğhjkmnprsştvyz"), st.sampled_from("aeıioöuü")).map("".join)
WORDS = st.tuples(st.lists(SYLLABLES, min_size=2, max_size=4), st.sampled_from([*"mnrzşsf", ""])).map(
    lambda parts: "".join(parts[0]) + parts[1]
)


@given(WORDS, st.sampled_from(CASES), st.booleans())
def test_suffixes_follow_the_last_vowel_and_never_bring_two_vowels_together(
    word: str, case: str, is_name: bool
) -> None:
    base = word[0].replace("i", "İ").upper() + word[1:] if is_name else word
    found = turkish_cases({frozenset(): base}, frozenset({case}))
    if found is None:
        return
    assert found.stem == base
    assert found.suffix.startswith("’") == is_name
    suffix = found.suffix.lstrip("’")
    vowel = [c for c in lower_case(base) if c in "aeıioöuü"][-1]
    front, rounded = vowel in "eiöü", vowel in "oöuü"
    for letter in suffix:
        if letter in "aeıioöuü":
            assert (letter in "eiöü") == front
            assert letter in "ae" or (letter in "uü") == rounded
    assert not (word[-1] in "aeıioöuü" and suffix[0] in "aeıioöuü")
    assert not (word[-1] in "fstkçşhp" and suffix[0] == "d")
    assert not (word[-1] not in "fstkçşhp" and suffix[0] == "t")


@given(st.text(), st.sampled_from(CASES))
def test_any_text_is_a_word_or_none(text: str, case: str) -> None:
    found = turkish_cases({frozenset(): text}, frozenset({case}))
    assert found is None or found.stem == text
