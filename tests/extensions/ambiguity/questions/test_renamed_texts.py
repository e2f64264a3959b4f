"""Properties of copies, for texts that are put together from sentences with slots for people."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.extensions.ambiguity.questions.balanced_copies import NotRenamed, balanced_copies
from nextset.extensions.ambiguity.questions.folded_words import folded, folded_words
from nextset.extensions.ambiguity.questions.mentions import located
from nextset.extensions.ambiguity.questions.question_rows import Balance, question_rows
from nextset.extensions.ambiguity.questions.source_questions import SourceQuestion
from tests.extensions.ambiguity.questions.people_texts import GROUPS, NAMES, question

GIVEN = ["Jean-Baptiste", "Ettore", "Émile", "Karl Friedrich", "Jürgen", "Wim K.", "Zoltan"]
FAMILY = ["Biot", "Savart", "van der Waals", "O'Keefe", "Erdős", "de Broglie", "Gay-Lussac", "Jonas"]
SENTENCES = [
    "{0.family} later praised {1.family}'s work.",
    "{0.titled} taught in Paris, and {0.possessive} notes are lost.",
    "In 1843 {0.family} wrote that the idea was {0.independent}.",
    "{0.first} came from Lyon.",
    "{0.full} taught {0.reflexive}.",
    "{0.family} worked in Rome. {0.Subject} then moved to Pisa, where a prize was given to {0.object}.",
    "{0.initials} was a member; {0.possessive} “two” most famous papers, and {0.possessive} house, remain.",
    "The law holds in a vacuum – and in Göttingen.",
    "Coulomb's law and the Biot–Savart law are older.",
    "Dr. {1.full} said: “{1.family}’s law”.",
]


@dataclass(frozen=True)
class Person:
    """A person of a text, whose slots are forms of the name and pronouns."""

    given: str
    """Given names and initials."""
    family: str
    """The family name."""
    gender: str
    """female or male."""

    def of(self, female: str, male: str) -> str:
        """The form of the person's gender."""
        return female if self.gender == "female" else male

    full = property(lambda self: f"{self.given} {self.family}")
    titled = property(lambda self: f"{self.of('Dame', 'Sir')} {self.full}")
    first = property(lambda self: re.split("[ -]", self.given)[0])
    initials = property(
        lambda self: re.sub(r"\w+\.?", lambda m: m[0][0] + ".", self.given) + f" {self.family}"
    )
    Subject = property(lambda self: self.of("She", "He"))
    object = property(lambda self: self.of("her", "him"))
    possessive = property(lambda self: self.of("her", "his"))
    independent = property(lambda self: self.of("hers", "his"))
    reflexive = property(lambda self: self.of("herself", "himself"))


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, list[Person]]:
    """A template and its people, who are two or three."""
    n = draw(st.integers(2, 3))
    given_names = draw(st.lists(st.sampled_from(GIVEN), min_size=n, max_size=n, unique=True))
    families = draw(st.lists(st.sampled_from(FAMILY), min_size=n, max_size=n, unique=True))
    genders = draw(st.lists(st.sampled_from(GROUPS), min_size=n, max_size=n))
    people = [Person(*parts) for parts in zip(given_names, families, genders, strict=True)]
    lines = ["It was found by " + " and ".join(f"{{{i}.full}}" for i in range(n)) + " in 1820."]
    for _ in range(draw(st.integers(0, 4))):
        sentence = draw(st.sampled_from(SENTENCES))
        a, b = draw(st.permutations(range(n)))[:2]
        lines.append(sentence.replace("{0.", "{#.").replace("{1.", f"{{{b}.").replace("{#.", f"{{{a}."))
    return " ".join(lines), people


def source_of(template: str, people: list[Person]) -> SourceQuestion:
    return question(
        template.format(*people), *(p.full for p in people), genders=tuple(p.gender for p in people)
    )


@given(texts(), st.integers(0, 3))
@settings(max_examples=60)
def test_a_copy_is_the_template_with_the_new_names(made: tuple[str, list[Person]], seed: int) -> None:
    """The template says what every word of a copy has to be; no such text is refused."""
    template, people = made
    source = source_of(template, people)
    for copy in balanced_copies(source, GROUPS, NAMES, "gender", seed):
        renamed = [
            Person(new.name.removesuffix(f" {old.family}"), old.family, new.attributes["gender"])
            for new, old in zip(copy.people, people, strict=True)
        ]
        assert copy.context == template.format(*renamed)
        old_names = {w.text for p in people for w in folded_words(p.given) if len(w.text) > 1}
        assert not old_names & {w.text for w in folded_words(copy.context)}
        for found, person in zip(located(copy), renamed, strict=True):
            texts_of = {copy.context[m.start : m.end] for m in found.mentions if m.form == "name"}
            assert person.full in texts_of
            assert all(person.family.split()[-1] in t or t == person.first for t in texts_of)


@given(texts(), st.integers(0, 3))
@settings(max_examples=30)
def test_every_group_has_every_place_once(made: tuple[str, list[Person]], seed: int) -> None:
    copies = balanced_copies(source_of(*made), GROUPS, NAMES, "gender", seed)
    places = Counter(
        (found.position, found.person.attributes["gender"]) for c in copies for found in located(c)
    )
    assert set(places.values()) == {1}
    assert len(places) == 2 * len(made[1])
    assert [
        next(f.person.attributes["gender"] for f in located(c) if f.position == 1) for c in copies
    ] == list(GROUPS)


@given(st.lists(texts(), min_size=1, max_size=4, unique_by=lambda t: t[0].format(*t[1])), st.integers(0, 9))
@settings(max_examples=15)
def test_other_questions_change_nothing(made: list[tuple[str, list[Person]]], seed: int) -> None:
    balance = Balance(GROUPS, NAMES, seed)
    sources = [source_of(*one) for one in made]
    alone = [q.context for s in sources for q in question_rows([s], "gender", balance).questions]
    together = question_rows(sources, "gender", Balance(GROUPS, NAMES[::-1], seed))
    assert [q.context for q in together.questions] == alone
    assert {q.parent_id for q in together.questions} == {s.id for s in sources}
    groups = Counter((a.position, a.group) for a in together.answers)
    assert {n for (place, group), n in groups.items() if groups[place, "male"] != n} == set()


VOCABULARY = [
    *(
        "Jean",
        "Baptiste",
        "Jean-Baptiste",
        "Biot",
        "Biot's",
        "Félix",
        "Savart",
        "Savart’s",
        "BIOT",
        "J.",
        "F.",
    ),
    *("He", "he", "his", "him", "her", "hers", "she", "himself", "Sir", "Dame", "Mr.", "Lord", "Ms.", "Dr."),
    *(
        "and",
        "or",
        "the",
        "a",
        "of",
        "law",
        "brother",
        "student",
        "met",
        "gave",
        "made",
        "own",
        "great",
        "Paris",
    ),
    *(".", ",", ";", "-", "–", "(", ")", "'", "’", "\n\n", "In", "When", "Gauss", "University", "newly", "2"),
]
PRONOUNS = {"he", "she", "his", "her", "him", "hers", "himself", "herself"}
TITLES = {"Sir", "Dame", "Mr", "Mrs", "Lord", "Lady"}


@given(st.lists(st.sampled_from(VOCABULARY), max_size=25), st.randoms(use_true_random=False))
@settings(max_examples=120)
def test_of_any_words_nothing_but_names_titles_and_pronouns_changes(
    words: list[str], generator: random.Random
) -> None:
    """Or the text is refused; no given name or gendered word of a person is left."""
    text = "Jean-Baptiste Biot met Félix Savart. "
    for word in words:
        text += word if generator.random() < 0.1 or word in ".,;-–)'’" else f" {word}"
    source = question(text)
    try:
        copies = balanced_copies(source, GROUPS, NAMES, "gender", 0)
    except NotRenamed:
        return
    new = {name.name for name in NAMES}
    for copy in copies:
        before, after = folded_words(text), folded_words(copy.context)
        assert len(before) == len(after)
        for old, now in zip(before, after, strict=True):
            if old.text == now.text:
                follows = next((w for w in before if w.start > old.start), None)
                other = follows is not None and follows.is_capital  # Jean Gauss is somebody else
                assert old.text not in ("Jean", "Baptiste", "Felix") or other
                continue
            own = now.text in {folded(n) for n in new} or (old.is_initial and now.is_initial)
            pronoun = {old.text.partition("'")[0].lower(), now.text.partition("'")[0].lower()} <= PRONOUNS
            assert own or pronoun or {old.text, now.text} <= TITLES
        assert [w.glue for w in before] == [w.glue for w in after]
        for found in located(copy):
            wanted = {"female": {"she", "her", "hers", "herself"}, "male": {"he", "him", "his", "himself"}}
            for mention in found.mentions:
                if mention.form == "pronoun":
                    shown = copy.context[mention.start : mention.end].lower()
                    assert shown in wanted[found.person.attributes["gender"]]
