"""When an answer finds a person: by one shared token, as published, and by the family name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.auditing.selectional.name_matching import gives_family_name, shares_token


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
