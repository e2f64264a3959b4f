"""The Russian pack's forms against an independent witness: OpenCorpora's dictionary, read by pymorphy3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from nextset.generation.questions.pack import read_pack
from nextset.generation.slots import CASES, Features
from nextset.word_lists import FOLDER

pytestmark = pytest.mark.slow

TAGS = {"nom": "nomn", "gen": "gent", "dat": "datv", "acc": "accs", "ins": "ablt", "loc": "loct"}
"""From a case of the pack to that of the dictionary."""
GENDERS = {"m": "masc", "f": "femn"}

UNCONFIRMED = {
    "индуистка": "the dictionary has only the masculine индуист; буддистка and атеистка are formed alike",
}
"""Words of the pack, in the nominative, that the dictionary contradicts or lacks, and why they stay."""


@dataclass(frozen=True)
class CaseForm:
    """One form of the pack."""

    nominative: str
    text: str
    case: str
    gender: str
    """m or f; empty for a country's name."""


@cache
def dictionary() -> Any:
    import pymorphy3

    return pymorphy3.MorphAnalyzer(lang="ru")


def confirmed(form: CaseForm) -> bool:
    """Return whether some word with this nominative and gender has the form in its case."""
    words = [
        p
        for p in dictionary().parse(form.nominative)
        if p.is_known and "nomn" in p.tag and GENDERS.get(form.gender, "") in ("", p.tag.gender)
    ]
    return any(
        inflected.word == form.text.lower()
        and TAGS[form.case] in inflected.tag
        and inflected.tag.number == p.tag.number
        and (not form.gender or inflected.tag.gender == p.tag.gender)
        for p in words
        for inflected in p.lexeme
    )


def case_forms(forms: dict[Features, str], gender: str) -> Iterator[CaseForm]:
    """Yield the single-word Russian forms of a subject."""
    for key, text in forms.items():
        (case,) = key & CASES or {"nom"}
        nominative = forms[key - CASES]
        (own,) = key & set(GENDERS) or {gender}
        if " " not in text and not text.isascii():
            yield CaseForm(nominative, text, case, own)


def pack_forms() -> Sequence[CaseForm]:
    listed = {
        id(s): s for questions in read_pack(FOLDER / "ru").sets for group in questions.subjects for s in group
    }
    return [form for s in listed.values() for form in case_forms(dict(s.forms), s.gender)]


def test_the_dictionary_confirms_the_forms_of_every_subject() -> None:
    forms = pack_forms()
    assert len(forms) > 1000
    assert {form.case for form in forms} == set(TAGS)
    doubtful = [form for form in forms if form.nominative not in UNCONFIRMED and not confirmed(form)]
    assert doubtful == []


def test_the_dictionary_still_lacks_the_words_that_are_left_to_people() -> None:
    """A word that the dictionary has learnt is taken off the list."""
    forms = pack_forms()
    for word, reason in UNCONFIRMED.items():
        of_word = [form for form in forms if form.nominative == word]
        assert of_word, f"{word} is no longer in the pack"
        assert not any(map(confirmed, of_word)), reason


@pytest.mark.parametrize(
    ("nominative", "right", "wrong", "case", "gender"),
    [
        ("немец", "немцем", "немецом", "ins", "m"),
        ("немка", "немкой", "немцем", "ins", "f"),
        ("турок", "турку", "турка", "dat", "m"),
        ("православная", "православную", "православного", "acc", "f"),
        ("Пётр", "Петром", "Пётром", "ins", "m"),
        ("Любовь", "Любовью", "Любвью", "ins", "f"),
        ("Перу", "Перу", "Перой", "loc", ""),
        ("Нидерланды", "Нидерландах", "Нидерландов", "loc", ""),
    ],
)
def test_a_wrong_ending_case_or_gender_is_found(
    nominative: str, right: str, wrong: str, case: str, gender: str
) -> None:
    assert confirmed(CaseForm(nominative, right, case, gender))
    assert not confirmed(CaseForm(nominative, wrong, case, gender))
