"""When an answer finds a person: by one shared token, as published, and by the family name."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import DependencyMissing
from nextset.extensions.ambiguity.selectional.name_matching import (
    check_tokenizer,
    gives_family_name,
    shares_token,
)


@pytest.mark.parametrize(
    ("answer", "name", "shared", "family"),
    [
        ("Betty Savart", "Betty Savart", True, True),
        ("Savart, who discovered it", "Betty Savart", True, True),
        ("BETTY", "Betty Savart", True, False),  # one shared token is enough as published
        ("", "Betty Savart", False, False),
        ("   ", "Betty Savart", False, False),
        ("no answer", "Betty Savart", False, False),  # counted as nothing missing by the published code
        ("Jeanette H. Anning", "Albert H. Erdos", True, False),  # an initial is a token
        ("Szokefalvi-Nagy", "Cynthia Gay-Lussac", True, False),  # so is a hyphen
        ("Gay-Lussac", "Cynthia Gay-Lussac", True, True),
        ("Lussac", "Cynthia Gay-Lussac", True, False),
        ("the Erdős conjecture", "Paul Erdos", False, True),  # accents do not count for the stricter rule
        ("J. Robert Oppenheimer's student", "J. Robert Oppenheimer", True, True),
        ("Martin Luther King", "Martin Luther King Jr.", True, True),
        ("Jr.", "Martin Luther King Jr.", False, False),  # a lowered name is split into jr and a point
        ("a borned thing", "Max Born", False, False),  # whole words
        ("von Bezold", "Clemens von Neumann", True, False),  # a particle
    ],
)
def test_answers_by_both_rules(answer: str, name: str, *, shared: bool, family: bool) -> None:
    assert shares_token(answer, name, "en") == shared
    assert gives_family_name(answer, name, (), "Some law", "en") == family


def test_the_name_of_the_law_names_nobody_by_the_stricter_rule() -> None:
    answer, item = "the Born-Haber cycle", "Born–Haber cycle"
    assert shares_token(answer, "Max Born", "en")
    assert not gives_family_name(answer, "Max Born", ("Fritz Haber",), item, "en")
    assert gives_family_name(f"{answer} of Born", "Max Born", ("Fritz Haber",), item, "en")


PAIR = ("Sandra Faber", "Robert Jackson")


def _found(answer: str, item: str, names: tuple[str, ...]) -> list[str]:
    """The people whom ``answer`` finds by the stricter rule."""
    return [
        name
        for name in names
        if gives_family_name(answer, name, [other for other in names if other != name], item, "en")
    ]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("the Faber-Jackson relation", ()),
        ("Faber-Jackson relation", ()),
        ("Faber-Jackson relations", ()),
        ("Faber-Jackson", ()),
        ("FABER–JACKSON", ()),
        ("Faber Jackson", ()),
        ("the Jackson relation", ()),  # a family name, and a word that is no part of the person's name
        ("Faber and Jackson", PAIR),
        ("Faber, Jackson", PAIR),
        ("Faber & Jackson", PAIR),
        ("the Faber", PAIR[:1]),  # an article makes no name of a law
        ("Faber, of the Faber-Jackson relation", PAIR[:1]),
        ("Faber", PAIR[:1]),
    ],
)
def test_parts_of_the_name_of_the_law_name_nobody(answer: str, found: tuple[str, ...]) -> None:
    for item in ("the Faber-Jackson relation", "Faber–Jackson relation"):
        assert _found(answer, item, PAIR) == list(found)


@given(
    item=st.sampled_from(["the Faber-Jackson relation", "law of Faber and Jackson", "Faber's law"]),
    data=st.data(),
)
def test_runs_of_the_name_of_the_law_find_one_person_or_nobody(item: str, data: st.DataObject) -> None:
    words = item.split()
    start = data.draw(st.integers(0, len(words) - 1))
    run = " ".join(words[start : data.draw(st.integers(start + 1, len(words)))])
    assert len(_found(run, item, PAIR)) <= 1


def test_the_name_of_a_law_of_one_person() -> None:
    coulomb, waals = ("Charles Coulomb",), ("Johannes van der Waals",)
    for answer in ("Coulomb's law", "Coulomb law", "COULOMB’S LAWS"):
        assert _found(answer, "Coulomb's law", coulomb) == []
    assert _found("Coulomb", "Coulomb's law", coulomb) == list(coulomb)
    assert _found("van der Waals", "the van der Waals force", waals) == list(waals)
    assert _found("van der Waals forces", "the van der Waals force", waals) == []
    assert _found("Gay-Lussac", "Gay-Lussac's law", ("Joseph Gay-Lussac",)) == ["Joseph Gay-Lussac"]


def test_only_given_names_distinguish_people_with_one_family_name() -> None:
    pair = ("Johannes van der Waals", "Maria van der Waals")
    assert _found("van der Waals", "x", pair) == []
    assert _found("Johannes van der Waals", "x", pair) == [pair[0]]
    assert _found("Johannes and Maria van der Waals", "x", pair) == list(pair)
    assert _found("Professor Curie", "x", ("Professor Pierre Curie", "Professor Marie Curie")) == []
    braggs = ("William H. Bragg", "William Lawrence Bragg")
    assert _found("William Bragg", "x", braggs) == [braggs[0]]  # has no name but William
    assert _found("William Lawrence Bragg", "x", braggs) == [braggs[1]]
    assert _found("H. Bragg", "x", braggs) == []


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("Moller", "Christian Møller"), ("Møller", "Christian Moller"), ("Lukasiewicz", "Jan Łukasiewicz"),
        ("Strassen", "Volker Straßen"), ("STRAẞEN", "Volker Strassen"), ("Aerts", "Anna Ærts"),
        ("YILDIZ", "Ada Yıldız"), ("Inan", "Ada İnan"), ("Thorsson", "Jon Þórsson"), ("Erdos", "Pal Erdős"),
    ],
)  # fmt: skip
def test_letters_with_strokes_and_ligatures_do_not_matter(answer: str, name: str) -> None:
    assert gives_family_name(answer, name, (), "x", "en")


def test_a_name_is_put_in_lower_case_before_it_is_split() -> None:
    """As published: spaCy leaves A.B. whole, and splits a.b. into a.b and a point."""
    assert not shares_token("A.B.", "A.B.", "en")
    assert shares_token("a.b.", "A.B.", "en")


def test_languages_whose_tokenizer_needs_a_package() -> None:
    check_tokenizer("de-AT")
    check_tokenizer("ko")  # at spaces and marks
    assert shares_token("마리 퀴리", "피에르 퀴리", "ko")
    for language in ("ja", "th", "vi"):
        if find_spec({"ja": "sudachipy", "th": "pythainlp", "vi": "pyvi"}[language]) is None:
            with pytest.raises(DependencyMissing, match=f"'{language}'") as raised:
                check_tokenizer(language)
            assert (raised.value.remedy or "").startswith("pip install ")


def test_people_with_one_family_name_need_a_given_name() -> None:
    father, son = "William Henry Bragg", "William Lawrence Bragg"
    assert not gives_family_name("Bragg", father, (son,), "Bragg's law", "en")
    assert gives_family_name("Henry Bragg", father, (son,), "Bragg's law", "en")
    assert not gives_family_name("Henry Bragg", "Lawrence Bragg", (father,), "Bragg's law", "en")


def test_other_languages() -> None:
    assert shares_token("Die Brüder Müller", "Anna Müller", "de")
    assert gives_family_name("华罗庚", "华罗庚", (), "定理", "zh")
    assert gives_family_name("Erdős", "Erdős Pál", (), "tétel", "hu")  # the family name comes first
    assert not gives_family_name("Pál", "Erdős Pál", (), "tétel", "hu")
    assert shares_token("Ada", "Ada Lovelace", "tlh")  # spaCy knows no such language


WORDS = st.text(st.characters(categories=("L", "M", "N", "P", "Z", "S")), max_size=30)


@given(answer=WORDS, name=WORDS, item=WORDS)
def test_any_texts_have_a_verdict(answer: str, name: str, item: str) -> None:
    shares_token(answer, name, "en")
    found = gives_family_name(answer, name, (item,), item, "en")
    assert not (found and not answer.strip())


@given(name=st.from_regex(r"[A-Z][a-z]{2,8} [A-Z][a-z]{3,9}", fullmatch=True))
def test_a_name_finds_itself(name: str) -> None:
    assert shares_token(f"It was {name}.", name, "en")
    assert gives_family_name(f"It was {name}.", name, (), "", "en")


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Albert-László Barabási", ("Albert-László Barabási",)),
        ("Albert L. Barabási", ("Albert-László Barabási",)),
        ("Albert", ("Réka Albert",)),
        ("Réka Albert", ("Réka Albert",)),
        ("Barabási, Albert", ("Albert-László Barabási", "Réka Albert")),
        ("Réka Albert and Albert-László Barabási", ("Albert-László Barabási", "Réka Albert")),
    ],
)
def test_a_family_name_that_is_the_given_name_of_another_person(answer: str, found: tuple[str, ...]) -> None:
    people = ("Albert-László Barabási", "Réka Albert")
    assert _found(answer, "the Barabási–Albert model", people) == list(found)


def test_a_family_name_within_that_of_another_person_is_not_the_shorter_one() -> None:
    people = ("Bob Smith", "Ann Smith-Jones")
    assert _found("Smith-Jones", "x", people) == [people[1]]
    assert _found("Ann Smith-Jones", "x", people) == [people[1]]
    assert _found("Smith", "x", people) == [people[0]]
    assert _found("Smith and Smith-Jones", "x", people) == list(people)
    assert _found("Joseph Henry", "x", ("Henry Joseph", "Joseph Henry")) == ["Joseph Henry"]
    assert _found("Henry Joseph", "x", ("Henry Joseph", "Joseph Henry")) == ["Henry Joseph"]
    assert not gives_family_name("Kovács Erdős", "Nagy Kovács", ("Erdős Kovács",), "x", "hu")


def test_the_family_name_is_the_one_that_the_file_gives() -> None:
    families = {
        "Tu Youyou": "Tu",
        "Santiago Ramón y Cajal": "Ramón y Cajal",
        "Jan van der Waals": "van der Waals",
    }
    for answer, name, found in (
        ("Tu", "Tu Youyou", True),
        ("Youyou", "Tu Youyou", False),
        ("Tu Youyou", "Tu Youyou", True),
        ("Cajal", "Santiago Ramón y Cajal", False),
        ("Ramon y Cajal", "Santiago Ramón y Cajal", True),
        ("Waals", "Jan van der Waals", True),
    ):
        assert gives_family_name(answer, name, (), "x", "en", families) == found
    sisters = {"Tu Youyou": "Tu", "Tu Lin": "Tu"}
    assert not gives_family_name("Tu", "Tu Youyou", ("Tu Lin",), "x", "en", sisters)
    assert gives_family_name("Tu Youyou", "Tu Youyou", ("Tu Lin",), "x", "en", sisters)
