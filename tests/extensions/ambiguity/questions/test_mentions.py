"""Where a context mentions people: names in all their forms, and pronouns that can only be theirs."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.extensions.ambiguity.person_mentions import MentionRules, mention_rules
from nextset.extensions.ambiguity.questions.folded_words import first_words, folded, folded_words
from nextset.extensions.ambiguity.questions.mentions import located
from nextset.extensions.ambiguity.questions.person_names import name_parts
from tests.extensions.ambiguity.questions.people_texts import mentioned, question

RULES = mention_rules("en") or MentionRules()


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("Jean-Baptiste Biot met Félix Savart.", [["Jean-Baptiste Biot"], ["Félix Savart"]]),
        ("Jean Baptiste Biot met Felix Savart.", [["Jean Baptiste Biot"], ["Felix Savart"]]),
        ("J.-B. Biot met F. Savart.", [["J.-B. Biot"], ["F. Savart"]]),
        ("JB. Biot met Savart, and Savart's results.", [["Biot"], ["Savart", "Savart"]]),
        ("Sir Jean-Baptiste Biot. Dr. Savart’s.", [["Jean-Baptiste Biot"], ["Savart"]]),
        ("Jean-Baptiste Biot and Savart met. Jean left.", [["Jean-Baptiste Biot", "Jean"], ["Savart"]]),
        ("Jean left. Then Jean-Baptiste Biot came.", [["Jean-Baptiste Biot"], []]),
        ("Jean-Baptiste Quentin Biot", [["Jean-Baptiste Quentin Biot"], []]),
        ("Félix Savard, a spelling. Felix Dupont, another person.", [[], ["Félix Savard"]]),
        ("The Biot-Savart law, Biot–Savart's law, Biot/Savart.", [[], []]),
        ("Biot's first law, Savart law, the Savart wheel.", [[], []]),
        ("Savart states that Biot measures well.", [["Biot"], ["Savart"]]),
        ("Savart particles, a Biot reading, Biot indices, Savart matrices.", [[], []]),
        ("The Biot of old, and the Savart who left.", [["Biot"], ["Savart"]]),
        ("Jacques Biot and Savart", [["Biot"], ["Savart"]]),
        ("Jacques Biot is not Jean-Baptiste Biot.", [["Jean-Baptiste Biot"], []]),
        ("A Biot-Savart law. F. Savart", [[], ["F. Savart"]]),
        ("It was by Félix. Savart agreed.", [[], ["Savart"]]),
        ("", [[], []]),
    ],
)
def test_names_are_found_in_their_forms(context: str, expected: list[list[str]]) -> None:
    assert mentioned(question(context)) == expected


def test_positions_are_those_of_first_mentions() -> None:
    found = located(question("Félix Savart, then Biot, then Savart."))
    assert [person.position for person in found] == [2, 1]
    (absent, present) = located(question("Félix Savart and the Biot-Savart law."))
    assert (absent.position, absent.in_terms, present.position) == (None, True, 1)
    assert not located(question("Félix Savart."))[0].in_terms


@pytest.mark.parametrize(
    ("name", "context", "expected"),
    [
        ("Johannes Diderik van der Waals", "Van der Waals and J. D. van der Waals", 2),
        ("Wander de Haas", "Wander Johannes de Haas; Haas and De Haas", 3),
        ("Augustus De Morgan", "De Morgan, Augustus De Morgan", 2),
        ("Louis Joseph Gay-Lussac", "Gay-Lussac and Joseph Louis Gay-Lussac", 2),
        ("Paul Erdős", "Erdos, Erdős and Paul Erdos", 3),
        ("Buddy A. O'Keefe", "O’Keefe's and Buddy O'Keefe", 2),
        ("Martin King Jr.", "Martin King, Jr., and King", 2),
        ("Lord Kelvin", "Lord Kelvin; Kelvin", 2),
        ("Jean le Rond d'Alembert", "D'Alembert and Jean le Rond d’Alembert", 2),
    ],
)
def test_particles_hyphens_accents_and_suffixes(name: str, context: str, expected: int) -> None:
    (found,) = mentioned(question(context, name, item="an item"))
    assert len(found) == expected


def test_a_family_name_may_come_first_and_aliases_are_names() -> None:
    parts = name_parts("Yau Shing-Tung", "Yau", RULES)
    assert parts is not None
    assert (parts.family, [w.text for w in parts.given], parts.family_first) == (
        ("Yau",),
        ["Shing", "Tung"],
        True,
    )
    assert name_parts("Marie Curie", "Skłodowska", RULES) is None
    kelvin = question("Kelvin met William Thomson.", "William Thomson", aliases=("Lord Kelvin",))
    assert mentioned(kelvin) == [["Kelvin", "William Thomson"]]


def test_two_people_with_one_family_name_are_found_by_full_names_alone() -> None:
    text = "Carl Cori and Gerty Cori worked in Prague. Cori moved. Gerty taught."
    assert mentioned(question(text, "Carl Cori", "Gerty Cori")) == [["Carl Cori"], ["Gerty Cori", "Gerty"]]


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("Jean-Baptiste Biot published his work.", ["his"]),
        ("Biot was born in Paris. He taught there, and his notes exist.", ["He", "his"]),
        ("Biot was born. Paris was large. He taught there himself.", ["He", "himself"]),
        ("In his paper, Biot wrote about light.", ["his"]),
        ("Biot met Savart. He was ill.", []),
        ("Savart was ill. Biot helped him.", []),
        ("Savart was ill. In his paper, Biot wrote about light.", []),
        ("Biot met Isaac Newton, and his work.", []),
        ("Biot had a student. He was ill.", []),
        ("Biot was a student. He was ill.", ["He"]),
        ("He or she knows Biot.", []),
        ("Biot worked at the University of Paris in May. He left.", ["He"]),
        ("Biot knew Coulomb's law. He left; he's gone.", ["He", "he"]),
    ],
)
def test_pronouns_are_mentions_if_only_one_person_can_be_meant(context: str, expected: list[str]) -> None:
    (biot, _) = located(question(context))
    found = [context[m.start : m.end] for m in biot.mentions if m.form == "pronoun"]
    assert found == expected


def test_a_language_without_rules_has_names_alone() -> None:
    text = "Jean-Baptiste Biot et Félix Savart ont trouvé sa loi."
    assert mentioned(question(text, language="fr")) == [["Jean-Baptiste Biot"], ["Félix Savart"]]


def test_names_in_a_script_without_spaces_are_found_within_texts() -> None:
    text = question("丘成桐和张益唐是数学家。张益唐证明了它。", "张益唐", "丘成桐", language="zh")
    assert mentioned(text) == [["张益唐", "张益唐"], ["丘成桐"]]
    assert [person.position for person in located(text)] == [2, 1]


def test_sentences_begin_after_stops_that_are_not_of_abbreviations() -> None:
    text = 'Dr. A. B. Biot left. "Then" he came. In Ph.D. work, e.g. Sun.It was 5.5 m. 3 left! Yes. van Vleck'
    words = folded_words(text)
    begins = [words[i].text for i in first_words(words, RULES.not_after_a_stop, RULES.particles)]
    assert begins == ["Dr", "Then", "In", "It", "3", "Yes", "van"]


@given(st.text(max_size=60))
def test_words_are_parts_of_any_text(text: str) -> None:
    end = 0
    for word in folded_words(text):
        assert end <= word.start < word.end <= len(text)
        assert folded(text[word.start : word.end]) == word.text
        end = word.end


@given(st.text("abcÉéñüł'’ -.", max_size=40))
def test_decomposed_text_has_the_same_words(text: str) -> None:
    composed, apart = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    assert [w.text for w in folded_words(composed)] == [w.text for w in folded_words(apart)]


def test_a_name_without_letters_is_nobodys() -> None:
    text = "Anna Biot found it. Anna praised it."
    assert mentioned(question(text, "Anna Biot", "–"))[1] == []
    assert mentioned(question(text, "–", "Anna Biot"))[1] == ["Anna Biot", "Anna"]
