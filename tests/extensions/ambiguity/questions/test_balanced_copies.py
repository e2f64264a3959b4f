"""Copies with other names: everything about a person changes with the name, or nothing is replaced."""

from __future__ import annotations

import re

import pytest

from nextset.errors import WordListError
from nextset.extensions.ambiguity.person_mentions import GENDERS, MentionRules, mention_rules
from nextset.extensions.ambiguity.questions import renaming_obstacles as why
from nextset.extensions.ambiguity.questions.balanced_copies import (
    CHANGED,
    NO_NAMES,
    NotRenamed,
    balanced_copies,
)
from nextset.extensions.ambiguity.questions.given_names import GivenName
from nextset.extensions.ambiguity.questions.source_questions import SourceQuestion
from nextset.files.yaml_reader import read_yaml
from nextset.word_lists import FOLDER
from tests.extensions.ambiguity.questions.people_texts import GROUPS, NAMES, question

ANN = (GivenName("Ann", "female", "female"), GivenName("Bea", "female", "female"))
BOB = (GivenName("Bob", "male", "male"), GivenName("Carl", "male", "male"))


def copies(source: SourceQuestion, names: tuple[GivenName, ...] = (*ANN, *BOB)) -> list[str]:
    return [copy.context for copy in balanced_copies(source, GROUPS, names, "gender", 0)]


@pytest.mark.parametrize(
    ("context", "female", "male"),
    [
        ("Félix Savart left.", "F Savart left.", "M Savart left."),
        ("Sir Félix Savart left.", "Dame F Savart left.", "Sir M Savart left."),
        ("Mr. Savart left.", "Mrs. F Savart left.", "Mr. M Savart left."),
        ("Professor Savart left.", "Professor F Savart left.", "Professor M Savart left."),
        ("Félix Savart, Sir Félix.", "F Savart, Dame F.", "M Savart, Sir M."),
        ("F. Savart, or Félix Savart.", "I. Savart, or F Savart.", "J. Savart, or M Savart."),
        ("Félix Savart's and Savart’s.", "F Savart's and Savart’s.", "M Savart's and Savart’s."),
        ("Félix Savart took his book.", "F Savart took her book.", "M Savart took his book."),
        ("Savart said it was his.", "F Savart said it was hers.", "M Savart said it was his."),
        ("Savart saw himself.", "F Savart saw herself.", "M Savart saw himself."),
        ("Félix Savart left. HE died.", "F Savart left. SHE died.", "M Savart left. HE died."),
        ("Savart left. He's gone.", "F Savart left. She's gone.", "M Savart left. He's gone."),
        ("Savart left. A prize was given to him.", "F Savart left. A prize was given to her.",
         "M Savart left. A prize was given to him."),
    ],
)  # fmt: skip
def test_titles_possessives_initials_and_pronouns_follow(context: str, female: str, male: str) -> None:
    names = (GivenName("Ida", "female", None), GivenName("Jo", "male", None))
    wanted = [re.sub(r"\bF\b", "Ida", female), re.sub(r"\bM\b", "Jo", male)]
    assert copies(question(context, "Félix Savart"), names) == wanted


def test_names_are_exchanged_between_the_copies() -> None:
    made = copies(question("Jean-Baptiste Biot met Félix Savart at Biot's home; J.-B. Biot left."))
    found = [
        re.findall(r"(\w+)-(\w+) Biot met (\w+) Savart at Biot's home; (\w)\.-(\w)\. Biot", t) for t in made
    ]
    ((a, b, c, initial_a, initial_b),), ((d, e, f, initial_d, initial_e),) = found
    assert ({a, b}, {d, e}) == ({"Ann", "Bea"}, {"Bob", "Carl"})
    assert (c, f) == (d, a)
    assert (initial_a, initial_b, initial_d, initial_e) == (a[0], b[0], d[0], e[0])


def test_a_given_name_with_a_bare_apostrophe_gets_a_name_in_s() -> None:
    names = (*ANN, *BOB, GivenName("Doris", "female", None), GivenName("James", "male", None))
    made = copies(question("Charles Biot left. Charles' notes and Charles’ work.", "Charles Biot"), names)
    assert made == [
        "Doris Biot left. Doris' notes and Doris’ work.",
        "James Biot left. James' notes and James’ work.",
    ]
    assert copies(question("Charles Biot left. Charles's notes.", "Charles Biot"), (ANN[0], BOB[0])) == [
        "Ann Biot left. Ann's notes.",
        "Bob Biot left. Bob's notes.",
    ]


def test_a_woman_gets_the_name_and_pronouns_of_a_man() -> None:
    text = (
        "Dame Gerty Cori and her team left. The prize was hers; she kept it herself, and they gave her a bag."
    )
    (_, male) = copies(question(text, "Gerty Cori", genders=("female",)))
    assert male in {
        f"Sir {name} Cori and his team left. The prize was his; he kept it himself, and they gave him a bag."
        for name in ("Bob", "Carl")
    }


REFUSED = [
    ("Félix Savart and the Biot-Savart law.", why.UNNAMED),
    ("Jacques Biot met Félix Savart.", why.NAMESAKE),
    ("J.-B. Biot met Félix Savart.", why.INITIALS),
    ("Lord Biot met Félix Savart.", why.NOBLE),
    ("Here is a Jean-Baptiste Biot. Félix Savart left.", why.ARTICLE),
    ("JEAN-BAPTISTE BIOT is not Biot. Félix Savart left.", why.STRAY),
    ("Jean left before Jean-Baptiste Biot met Félix Savart.", why.STRAY),
    ("Jean-Baptiste Biot met Félix Savart. He left.", why.SEVERAL),
    ("He left. Biot met Félix Savart.", why.NOBODY),
    ("Jean-Baptiste Biot, Count of X, met Félix Savart.", why.TITLE),
    ("Félix Savart met Jean-Baptiste Biot, 1st Baron Biotton.", why.TITLE),
    ("Ms. Biot met Félix Savart.", why.TITLE),
    ("Jean-Baptiste Biot met the brother of Félix Savart.", why.NOUN),
    ("Jean-Baptiste Biot, a Frenchman, met Félix Savart.", why.NOUN),
    ("Félix Savart left. Dame Jean-Baptiste Biot came.", why.MISMATCH),
    ("Félix Savart left. Jean-Baptiste Biot took her bag.", why.MISMATCH),
    ("Félix Savart left. Jean-Baptiste Biot said that he gave his lectures.", CHANGED),
]


@pytest.mark.parametrize(("context", "reason"), REFUSED)
def test_what_is_not_certain_is_refused(context: str, reason: str) -> None:
    with pytest.raises(NotRenamed, match=f"^{reason}$"):
        copies(question(context))


def test_her_that_may_be_an_object_or_a_possessive_is_refused() -> None:
    for text in ("made her famous", "gave her lectures", "and her newly found law", "with her and others"):
        with pytest.raises(NotRenamed, match=why.UNCLEAR):
            copies(question(f"Gerty Cori left, {text}.", "Gerty Cori", genders=("female",)))


def test_a_question_with_a_given_name_is_refused() -> None:
    with pytest.raises(NotRenamed, match=why.ASKED):
        copies(question("Félix Savart left.", "Félix Savart", asked="Who was Félix Savart?"))


def test_names_that_the_texts_have_are_not_used_and_too_few_are_refused() -> None:
    with pytest.raises(NotRenamed, match=NO_NAMES):
        copies(question("Félix Savart met ann and Bea.", "Félix Savart"))
    assert copies(question("Félix Savart met Bea and Carl.", "Félix Savart")) == [
        "Ann Savart met Bea and Carl.",
        "Bob Savart met Bea and Carl.",
    ]


def test_groups_that_are_not_genders_keep_pronouns_and_take_names_of_that_gender() -> None:
    names = (
        GivenName("Anna", "Italy", "female"),
        GivenName("Bruno", "Italy", "male"),
        GivenName("Chloé", "France", "female"),
        GivenName("Didier", "France", "male"),
    )
    text = question("Félix Savart took his bag.", "Félix Savart")
    with pytest.raises(NotRenamed, match=NO_NAMES):
        balanced_copies(text, ("Italy", "France"), (names[0], names[2]), "country", 0)
    made = balanced_copies(text, ("Italy", "France"), (names[1], names[3]), "country", 0)
    assert [copy.context for copy in made] == ["Bruno Savart took his bag.", "Didier Savart took his bag."]
    assert [copy.people[0].attributes for copy in made] == [
        {"gender": "male", "country": "Italy"},
        {"gender": "male", "country": "France"},
    ]


def test_an_alias_without_given_names_gets_the_title() -> None:
    rich = "William Thomson left. Lord Kelvin was rich."
    text = question(rich, "William Thomson", aliases=("Lord Kelvin",))
    (female, _) = balanced_copies(text, GROUPS, (ANN[0], BOB[0]), "gender", 0)
    assert female.context == "Ann Thomson left. Lady Kelvin was rich."
    assert female.people[0].aliases == ("Lady Kelvin",)


def test_another_seed_draws_other_names() -> None:
    text = question("Félix Savart left.", "Félix Savart")
    drawn = [balanced_copies(text, GROUPS, NAMES, "gender", seed) for seed in range(9)]
    assert len({tuple(copy.context for copy in copies) for copies in drawn}) > 5


GENDERED = [
    "bachelor", "landlord", "landlady", "duke", "duchess", "alumnus", "alumna", "spinster",
    "schoolmistress", "headmaster", "fisherman", "workman", "policeman", "foreman", "congressman",
    "cameraman", "Frenchman", "Welshman", "queen", "king", "prince", "princess", "emperor", "empress",
    "hero", "heroine", "waiter", "waitress", "actor", "actress", "ballerina", "Freemason", "housewife",
    "househusband", "lesbian", "patriarch", "matriarch", "monk", "nun", "priestess", "abbess", "abbot",
    "widow", "widower", "bride", "groom", "father", "mother", "son", "daughter", "brother", "sister",
    "aunt", "uncle", "nephew", "niece", "wife", "husband", "lord", "lady", "baron", "baroness",
    "count", "countess", "earl", "marquis", "knight", "girl", "boy", "seamstress", "governess",
    "stewardess", "stepmother",
]  # fmt: skip


@pytest.mark.parametrize("noun", GENDERED)
def test_nouns_of_one_gender_are_refused(noun: str) -> None:
    for text in (f"Félix Savart was a {noun} in Lyon.", f"Félix Savart, an old {noun}, left."):
        with pytest.raises(NotRenamed, match=why.NOUN):
            copies(question(text, "Félix Savart"))


def test_all_words_that_only_one_gender_can_have_are_nouns_of_one_gender() -> None:
    rules = mention_rules("en") or MentionRules()
    lists = read_yaml(FOLDER / "en" / "gendered_words.yaml", WordListError).data
    for word in (*lists["f"], *lists["m"]):
        assert " " in word or rules.genders_of(word) or rules.is_gendered(word, begins=False), word


@pytest.mark.parametrize(
    "text",
    [
        "Félix Savart Jr. left.",
        "Félix Savart, Sr., left.",
        "Félix Savart was created Baron in 1900.",
        "Félix Savart became Lord Rayleigh.",
    ],
)
def test_suffixes_and_titles_of_one_gender_are_refused(text: str) -> None:
    with pytest.raises(NotRenamed, match=why.TITLE):
        copies(question(text, "Félix Savart"))


def test_words_with_such_endings_that_are_no_such_nouns_are_kept() -> None:
    rest = (
        "made progress in the process and had success in business; the human Congress, less stress, a "
        "Bachelor of Arts, a bachelor's degree, Feynman and Newman in Bremen, a count of photons, and what "
        "is known as the Pigou-Knight paradox."
    )
    made = copies(question(f"Félix Savart {rest}", "Félix Savart"), (ANN[0], BOB[0]))
    assert made == [f"Ann Savart {rest}", f"Bob Savart {rest}"]


def test_places_that_are_named_after_saints_are_no_mentions() -> None:
    text = "Félix Savart lived in Saint Félix, a town near St. Félix. Félix left."
    made = copies(question(text, "Félix Savart"), (ANN[0], BOB[0]))
    assert made[0] == "Ann Savart lived in Saint Félix, a town near St. Félix. Ann left."


@pytest.mark.parametrize("seed", range(8))
def test_names_are_drawn_among_those_of_the_needed_gender(seed: int) -> None:
    names = [
        GivenName(f"{first}{'abcdefgh'[i]}", group, gender)
        for group in ("x", "y", "z")
        for gender, first in zip(GENDERS, (f"Fem{group}", f"Mal{group}"), strict=True)
        for i in range(2)
    ]
    text = question(
        "Félix Savart took his bag. Marie Biot took her bag. Jo Dupont left.",
        *("Félix Savart", "Marie Biot", "Jo Dupont"),
        genders=("male", "female", "male"),
    )
    for copy in balanced_copies(text, ("x", "y", "z"), names, "group", seed):
        assert re.fullmatch(
            r"Mal\w+ Savart took his bag\. Fem\w+ Biot took her bag\. \w+ Dupont left\.", copy.context
        )
        assert len({p.name.split()[0] for p in copy.people}) == 3


def test_the_words_that_are_in_the_way_are_named() -> None:
    with pytest.raises(NotRenamed) as e:
        copies(question("Félix Savart left. Einstein agreed, and he stayed.", "Félix Savart"))
    assert e.value.place == "'he' in “…left. Einstein agreed, and he stayed.”"
    with pytest.raises(NotRenamed) as e:
        copies(question("Félix Savart left."))
    assert (str(e.value), e.value.place) == (why.UNNAMED, "'Jean-Baptiste Biot'")
