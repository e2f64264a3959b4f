"""Capitals where sentences begin, and the form in which texts are compared, by language."""

from __future__ import annotations

import pytest

from nextset.generation.templates.placeholders import place_words, render
from nextset.letter_case import all_capitals, begins_sentence, capitalised, folded
from nextset.release.counterfactuals.phrase_swap import PhraseFinder, Target, swapped

BEGINS = {
    "en": (
        "", "“", "(", "[", "No. (", "Stop! ", "Why? ", '"No." ', "She said: “", "That is plan B. ",
        "So am I. ", "He said no. ", "They sat. ", "They work in art. ", "We met in 1990. ",
        "That is item 3. ", "He went home.\n", "1. ", "Dr. Lee left. ", "\u0022"),
    "es": ("¿", "¡", "¿¡", "Ya. ¿", "Sí. — ", "— ", "Vino ayer. ", "Dijo: «"),
    "fr": (
        "« ", "«\u00a0", "«\u202f", "« Non. » ", "Oui. « ", "Il a dit : « ", "Oui ! ", "Pourquoi ? "),
    "de": ("„", "»", "Ja. „", "»Ja.« ", "Es war 1990. ", "Das ist Kunst. "),
    "ru": ("«", "Да. «", "Он сказал: «", "Это я. ", "— "),
    "el": ("Τι είναι; ", "Ναι. «"),
    "pt": ("Quem é. ", "¿"),
    "tr": ("Bu o. ", "Kim? "),
    "nl": ("", "Ja. ‘"),
}  # fmt: skip
WITHIN = {
    "en": (
        "In the U.S. ", "In the U. S. ", "e.g. ", "Men, i.e. ", "Dr. ", "Mr. ", "vs. ",
        "Doctors, etc. ", "at 5 p.m. ", "In Washington, D.C. ", "(in the U.S.) ", "At Acme Inc. ",
        "with a Ph.D. ", "Wait; ", "the \u0022", "Then ", "the so-called “", "Women — ", "that is: ",
        "In Jan. "),
    "es": ("Si llueve, ¿", "p. ej. ", "Sra. ", "En EE. UU. ", "D. ", "Pero ¡"),
    "fr": ("M. ", "MM. ", "p. ex. ", "av. ", "etc. ", "les « "),
    "de": ("z. B. ", "z.B. ", "bzw. ", "am 3. ", "Dr. ", "d. h. "),
    "ru": ("т. е. ", "т.е. ", "в 1990 г. ", "напр. ", "проф. "),
    "pt": ("Sr. ", "p. ex. "),
    "it": ("Sig. ", "ad es. ", "ecc. "),
    "nl": ("bijv. ", "d.w.z. ", "dhr. "),
    "pl": ("np. ", "tzn. ", "prof. "),
    "tr": ("bkz. ", "Doç. ", "vb. "),
    "cs": ("1. ", "např. "),
    "da": ("Bl.a. ", "f.eks. "),
    "el": ("π.χ. ", "κλπ. "),
}  # fmt: skip


@pytest.mark.parametrize(
    ("before", "language", "begins"),
    [
        (before, language, begins)
        for texts, begins in ((BEGINS, True), (WITHIN, False))
        for language, of_language in texts.items()
        for before in of_language
    ],
)
def test_a_sentence_begins_after_marks_and_not_after_abbreviations(
    before: str, language: str, begins: bool
) -> None:
    assert begins_sentence(before, len(before), language) is begins
    word, written = "women", "Women" if begins else "women"
    rendered = render(before + "{{GROUP1}}", {"GROUP1": word}, capitalise=True, language=language)
    placed = place_words(before + "{{MASK}}", [word], capitalise=True, language=language)
    assert (rendered, placed.text) == (before + written, before + written)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("women", "en", "Women"),
        ("iPhone owners", "en", "iPhone owners"),
        ("eBay", "en", "eBay"),
        ("mRNA", "en", "mRNA"),
        ("NATO", "en", "NATO"),
        ("anti-American people", "en", "Anti-American people"),
        ("x-ray", "en", "X-ray"),
        ("5-year-olds", "en", "5-year-olds"),
        ("(some) women", "en", "(Some) women"),
        ("istanbullular", "tr", "İstanbullular"),
        ("ırklar", "tr", "Irklar"),
        ("işçi", "az", "İşçi"),
        ("işçi", "tr-CY", "İşçi"),
        ("inkomst", "sv", "Inkomst"),
        ("ქალები", "ka", "ქალები"),
        ("ijsberen", "nl", "IJsberen"),
        ("ijsberen", "nl-BE", "IJsberen"),
        ("ijtihad", "en", "Ijtihad"),
        ("'s morgens", "nl", "'s Morgens"),
        ("’n man", "af", "’n Man"),
        ("«femmes»", "fr", "«Femmes»"),
        ("état", "fr", "État"),
        ("l’ONU", "fr", "L’ONU"),
        ("straße", "de", "Straße"),
        ("άνδρες", "el", "Άνδρες"),
        ("ñandú", "es", "Ñandú"),
        ("женщины", "ru", "Женщины"),
        ("ǆep", "hr", "ǅep"),
        ("և", "hy", "Եվ"),
        ("ʻohana", "haw", "ʻOhana"),
        ("النساء", "ar", "النساء"),
        ("女人", "zh", "女人"),
        ("महिलाएँ", "hi", "महिलाएँ"),
        ("", "en", ""),
    ],
)
def test_the_capital_of_a_first_word(text: str, language: str, expected: str) -> None:
    assert capitalised(text, language) == expected


@pytest.mark.parametrize(
    ("one", "other", "language", "equal"),
    [
        ("IRMAK", "ırmak", "tr", True),
        ("İZMİR", "izmir", "tr", True),
        ("IRMAK", "irmak", "tr", False),
        ("kır", "kir", "tr", False),
        ("İZMİR", "izmir", "az", True),
        ("ΟΔΟΣ", "οδός".replace("ό", "ο"), "el", True),  # the final sigma
        ("STRASSE", "straße", "de", True),
        ("ISTANBUL", "istanbul", "en", True),
        ("IRMAK", "ırmak", "", True),  # an unknown language
        ("İZMİR", "izmir", "", True),
        ("ქალი", "ᲥᲐᲚᲘ", "ka", True),
        ("a", "b", "", False),
    ],
)
def test_texts_are_compared_without_capitals(one: str, other: str, language: str, equal: bool) -> None:
    assert (folded(one, language) == folded(other, language)) is equal


def test_turkish_terms_are_found_with_and_written_with_their_capitals() -> None:
    assert all_capitals("işçi", "tr") == "İŞÇİ"
    for text, expected in (
        ("İşçiler gülüyor.", "Irgatlar gülüyor."),
        ("Bugün işçiler gülüyor.", "Bugün ırgatlar gülüyor."),
        ("BUGÜN İŞÇİLER GÜLÜYOR.", "BUGÜN IRGATLAR GÜLÜYOR."),
    ):
        found = PhraseFinder("tr", ["işçiler"]).find(text)
        made = swapped(text, found, lambda term: [Target("işçiler", "ırgatlar", True)])
        assert made.texts == (expected,)
