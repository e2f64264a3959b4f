"""The grammar of mask constraints: what is written is read, and what is read is written the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nextset.files.yaml_values import WrongValue
from nextset.study.mask_constraint import (
    CATEGORIES,
    FORMS,
    LIST_NAME,
    MaskConstraint,
    parse_constraint,
    parse_form,
)

LISTS = st.from_regex(LIST_NAME, fullmatch=True)
CONSTRAINTS = st.builds(
    MaskConstraint,
    st.lists(st.sampled_from([*CATEGORIES, *FORMS]), unique=True, max_size=4).map(tuple),
    st.just("") | LISTS,
    st.just("") | LISTS,
).filter(lambda c: not c.within or c.within != c.without)
ANCHORS = st.lists(LISTS, unique=True, max_size=6)


@st.composite
def anchored(draw: st.DrawFn) -> MaskConstraint:
    constraint, words = draw(CONSTRAINTS), draw(ANCHORS)
    if not words:
        return constraint
    like = draw(st.integers(1, len(words)))
    only = not constraint.within and draw(st.booleans())
    return replace(constraint, like=tuple(words[:like]), unlike=tuple(words[like:]), only=only)


@given(anchored())
@example(MaskConstraint())
@example(MaskConstraint(("adj", "verb.ing"), "inn", "nothing"))
def test_a_constraint_is_read_as_it_is_written(constraint: MaskConstraint) -> None:
    assert parse_constraint(str(constraint)) == constraint


WORDS = ("adj", "in", "not", "only", "like", "unlike", "dirty", "dirty,", "not clean", "clean,", ",")


@given(
    st.text("adjvernouit.| _AN1,", max_size=14) | st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
)
@example("in not")
@example("not in in not")
@example("adj  in x")
@example("in x in y")
@example("not x in y")
@example("adj|")
@example("in ")
@example("adj not ")
def test_a_text_is_in_the_grammar_or_refused_with_a_remedy(text: str) -> None:
    try:
        assert str(parse_constraint(text)) == text.replace(" unlike", ", unlike").replace(",, ", ", ")
    except WrongValue as e:
        assert e.remedy


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ADJ", "'ADJ' in 'ADJ' is neither a category nor a form"),
        ("adj.plural", "'adj.plural' in 'adj.plural' is neither"),
        ("verb|verb", "'verb' is repeated"),
        ("in occupations not occupations", "excludes every word"),
        ("in a b", "is not a constraint of a mask"),
        ("in not", "'not' is not the name of a list"),
        ("unlike clean", "has unlike or only without like"),
        ("adj unlike clean, like dirty", "has unlike or only without like"),
        ("only dirty, filthy", "has unlike or only without like"),
        ("adj like dirty, dirty", "'dirty' is repeated"),
        ("adj like dirty, unlike clean, dirty", "'dirty' is repeated"),
        ("adj like dirty, like clean", "in place of a word"),
        ("in places only like dirty, unlike clean", "has in and only"),
        ("not Sizes", "'Sizes' is not the name of a list"),
    ],
)
def test_what_is_wrong_is_said(text: str, says: str) -> None:
    with pytest.raises(WrongValue, match=says):
        parse_constraint(text)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        (" adj", "adj"),
        ("adj ", "adj"),
        ("adj | noun", "adj|noun"),
        ("noun. plural", "noun.plural"),
        ("adj  in sizes", "adj in sizes"),
    ],
)
def test_extra_spaces_are_named(text: str, bare: str) -> None:
    with pytest.raises(WrongValue, match="extra spaces") as caught:
        parse_constraint(text)
    assert caught.value.remedy == f"write {bare!r}"
    assert parse_constraint(bare)


def test_a_form_is_one_of_a_category() -> None:
    assert [parse_form(form) for form in ("", *FORMS)] == ["", *FORMS]
    for text in ("verb", "adj", "verb.base|verb.past", "base", "in x"):
        with pytest.raises(WrongValue, match="is not a form"):
            parse_form(text)
