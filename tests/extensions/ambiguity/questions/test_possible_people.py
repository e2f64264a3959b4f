"""A pronoun near somebody else, named by one name or a noun, is not certain, and the question is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.extensions.ambiguity.questions import renaming_obstacles as why
from nextset.extensions.ambiguity.questions.balanced_copies import NotRenamed, balanced_copies
from nextset.extensions.ambiguity.questions.study_questions import load_ambiguous_questions
from nextset.extensions.ambiguity.questions.text_people import people_of_text
from tests.extensions.ambiguity.questions.people_texts import GROUPS, NAMES, question

UNCERTAIN = {why.SEVERAL, why.NOBODY, why.MISMATCH}
NAMED = [
    "Einstein", "Bohr", "Maxwell", "Dirac", "Curie", "Noether", "Fleming", "Kelly", "Reilly",
    "Clement", "Browning", "Wood", "Bell", "Rose", "Hill", "Berlin", "London", "May", "West", "Church",
    "Nobel", "Fields", "Young", "Woods", "d'Alembert", "von Neumann", "Jean-Paul", "J. Smith",
    "Irving Berlin", "Jack London", "The German Hilbert", "Max Born", "al-Khwarizmi", "BOHR",
    "Ms. Smith", "Lord Kelvin",
]  # fmt: skip
NOUNS = [
    "physicist", "editor", "critic", "reviewer", "referee", "translator", "dean", "astronomer",
    "scientist", "surgeon", "librarian", "assistant", "employee", "chemist", "judge", "clerk", "poet",
    "neighbor", "trustee", "engineer", "lecturer", "rival", "witness", "chairperson", "carpenter",
    "nurse", "claimant", "registrar", "expert",
]  # fmt: skip
SOMEBODY = [*NAMED, *(f"{a} {n}" for n in NOUNS for a in ("The", "Every", "An old"))]
SOMEBODY += ["A German", "The Italian", "An Italian", "Old Fields", "The youth"]
SOMEBODY += [f"{n.capitalize()} Einstein" for n in ("physicist", "editor")] + ["A physicist at Yale"]
AFTER = [
    "{0} praised the law. {1} later extended it.",
    "{0} praised the law, and {2} later extended it.",
    "{0} set it aside until {2} had read it.",
    "{0} wrote about the law. In 1920 {2} died.",
    "{0} saw it, and {2} came.",
    "{0} came early, and {2} left.",
    "{0}'s work helped, and {2} said so.",
    "{0}'s work helped. {1} said so.",
    "{0} lost {3} copy.",
    "It was known to {0}, and {2} praised it.",
    "It was doubted by {0}. {1} had another in mind.",
    "That was the view of {0}; {2} kept it.",
    "Much came from {0}, which pleased {4}.",
]


@given(
    st.sampled_from(SOMEBODY),
    st.sampled_from(AFTER),
    st.sampled_from(GROUPS),
    st.sampled_from(["Robert Jackson published the law.", "Robert Jackson, a chemist in Paris, found it."]),
)
def test_a_pronoun_after_somebody_else_is_refused(who: str, after: str, gender: str, first: str) -> None:
    """Reading the copy back cannot notice a wrong pronoun, so nobody who may be meant is overlooked."""
    she = gender == "female"
    inside = (
        who if who[:4] not in ("The ", "Ever", "An o", "A ph", "A Ge", "An I") else who[0].lower() + who[1:]
    )
    name = who if after.startswith("{0}") else inside
    forms = ("She", "she", "her", "her") if she else ("He", "he", "his", "him")
    text = f"{first} {after.format(name, *forms)}"
    source = question(text, "Robert Jackson", genders=(gender,), item="the law", asked="Who found the law?")
    with pytest.raises(NotRenamed) as e:
        balanced_copies(source, GROUPS, NAMES, "gender", 0)
    assert str(e.value) in UNCERTAIN | {why.TITLE}, text


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Robert Jackson was a physicist. He left.", 0),
        ("Robert Jackson later became an editor. He left.", 0),
        ("Robert Jackson, a physicist in Paris, left. He died.", 0),
        ("Robert Jackson worked as a technician in Rome. He left.", 0),
        ("Robert Jackson knew the Nobel Prize and Coulomb's law. He left.", 0),
        ("Robert Jackson worked at the Cavendish Laboratory in May 1905. He left.", 0),
        ("Robert Jackson moved to Boston, where he died.", 0),
        ("Robert Jackson worked on water, paper and power. Experiments followed. He left.", 0),
        ("Robert Jackson found it. It was doubted by a critic, and he left.", None),
        ("Robert Jackson found it. As a physicist noted, he left.", None),
        ("According to Robert Jackson, a physicist doubted it, and he left.", None),
        ("Robert Jackson liked it. It was the editor who lost his copy.", None),
        ("Robert Jackson found it. Another praised it, and he left.", None),
        ("Robert Jackson found it. Another wrote it down, and he left.", None),
        ("Robert Jackson found it. Another's work helped, and he left.", None),
        ("Robert Jackson found it. One of them praised it. He left.", None),
        ("Robert Jackson knew Bohr's theory. He published it in 1913.", None),
        ("Robert Jackson knew it. Maxwell's equations came out when he was thirty.", None),
    ],
)
def test_descriptions_and_things_are_not_somebody_else(text: str, person: int | None) -> None:
    source = question(text, "Robert Jackson", item="the law")
    (found,) = people_of_text(text, source.item, source.people, "en").references
    assert found.person == person


def test_the_pronouns_of_the_built_in_texts_are_refused_after_somebody_else() -> None:
    """A sentence before that of a pronoun whose person is named in an earlier one."""
    questions = load_ambiguous_questions(("builtin:en",), "gender", "en", Path, Path("study.yaml")).questions
    some = 0
    for source in questions:
        people = people_of_text(source.context, source.item, source.people, source.language)
        for reference in people.references:
            begin = max(i for i in people.begins if i <= reference.at)
            if any(begin <= m.first < reference.at for m in people.mentions):
                continue
            start = people.words[begin].start
            for who in ("Einstein", "The editor", "A physicist at Yale", "Wood"):
                some += 1
                text = f"{source.context[:start]}{who} praised it. {source.context[start:]}"
                with pytest.raises(NotRenamed):
                    balanced_copies(replace(source, context=text), GROUPS, NAMES, "gender", 0)
    assert some >= 4
