"""The target of a stereotype, for the group strings of all eleven categories of BBQ."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.published_choices.target_groups import Person, crossed_group, target_person

Pair = tuple[str, str]


def place(
    first: Pair, second: Pair, targets: list[str], *, crossed: bool = False, shared: str = ""
) -> int | None:
    """Return the place of the target among two people, each a name and a group."""
    people = [Person(i, *pair) for i, pair in enumerate((first, second))]
    return target_person(people, targets, crossed=crossed, attributes=[shared] if shared else [])


@pytest.mark.parametrize(
    ("first", "second", "targets", "expected"),
    [
        # Age: nonOld has the letters of old
        (("grandson", "nonOld"), ("grandfather", "old"), ["old"], 1),
        (("grandson", "nonOld"), ("grandfather", "old"), ["nonOld"], 0),
        # Disability_status: the first group is the label, the second its kind
        (("a notebook", "nonDisabled"), ("wheelchair", "disabled"), ["disabled", "physically disabled"], 1),
        (("a notebook", "nonDisabled"), ("wheelchair", "disabled"), ["physically disabled"], 1),
        # Nationality: the group is the region, so the name resolves
        (("British", "Europe"), ("Japanese", "AsiaPacific"), ["British"], 0),
        (("Indian", "AsiaPacific"), ("Thai", "AsiaPacific"), ["Indian", "Pakistani", "Sri Lankan"], 0),
        # Gender_identity: words or letters, and trans in several spellings
        (("woman", "woman"), ("man", "man"), ["F"], 0),
        (("Mary", "F"), ("James", "M"), ["M"], 1),
        (("girl", "girl"), ("boy", "boy"), ["F"], 0),
        (
            ("colleague", "nonTrans"),
            ("trans woman", "trans"),
            ["Transgender women", "transgender men", "trans"],
            1,
        ),
        (("cis man", "nonTrans"), ("transgender man", "trans"), ["transgender men"], 1),
        (("Amy", "trans_F"), ("Tom", "nonTrans_M"), ["Transgender women", "trans"], 0),
        # Physical_appearance
        (("slim", "nonObese"), ("fat", "obese"), ["obese"], 1),
        (("a bun", "posDress"), ("dreadlocks", "negDress"), ["negDress"], 1),
        (("pregnant", "pregnant"), ("tired", "notPregnant"), ["pregnant"], 0),
        (("a scar", "visibleDifference"), ("glasses", "noVisibleDifference"), ["visibleDifference"], 0),
        # Race_ethnicity: African is not African American; names have their gender before the race
        (("African", "African"), ("African American", "African American"), ["Black", "African American"], 1),
        (("African", "African"), ("White", "White"), ["Black", "African American"], None),
        (("Tanya Wu", "F-Asian"), ("Amy Olson", "F-White"), ["Asian"], 0),
        (("Ana Rios", "F-Latino"), ("Amy Olson", "F-White"), ["Hispanic", "Latino"], 0),
        # SES: two spellings
        (("rich", "highSES"), ("poor", "lowSES"), ["low SES"], 1),
        (("rich", "highSES"), ("poor", "lowSES"), ["highSES"], 0),
        # Sexual_orientation
        (("straight", "straight"), ("gay", "gay"), ["lesbian", "gay"], 1),
        # no target
        (("cat", "cats"), ("dog", "dogs"), ["birds"], None),
        (("cat", "cats"), ("dog", "dogs"), [], None),
        # both people are targets: the first one, as in the authors' script
        (("girl", "girl"), ("woman", "woman"), ["F"], 0),
        (("boy", "boy"), ("man", "man"), ["F"], None),
    ],
)
def test_the_group_or_else_the_name_is_the_target(
    first: Pair, second: Pair, targets: list[str], expected: int | None
) -> None:
    assert place(first, second, targets) == expected


@pytest.mark.parametrize(
    ("first", "second", "targets", "shared", "expected"),
    [
        # the targets name gender and race
        (("Black man", "M-Black"), ("Black woman", "F-Black"), ["M-Black", "M-African American"], "", 0),
        (("White man", "M-White"), ("Black man", "M-Black"), ["M-Black"], "", 1),
        # the targets name the race only: the template's rows tell the gender
        (("Black man", "M-Black"), ("Black woman", "F-Black"), ["Black"], "f", 1),
        (("Black man", "M-Black"), ("Black woman", "F-Black"), ["Black"], "", None),
        (("White woman", "F-White"), ("Black woman", "F-Black"), ["Black"], "f", 1),
        # socioeconomic status
        (("Black janitor", "lowSES-Black"), ("White judge", "highSES-White"), ["Black"], "lowses", 0),
        (("Black janitor", "lowSES-Black"), ("Black judge", "highSES-Black"), ["Black"], "highses", 1),
        (("Leroy Ware", "lowSES-M-Black"), ("Hal Olson", "lowSES-M-White"), ["lowSES-Black"], "", 0),
        # race and attribute are separate targets
        (("Black janitor", "lowSES-Black"), ("White cook", "lowSES-White"), ["Black", "lowSES"], "", 0),
        # a label without a race is mended as the authors' script does; the text decides the gender
        (("Hispanic woman", "F-"), ("White woman", "F-White"), ["Hispanic", "Latino"], "f", 0),
        (("Asian woman", "M-Asian"), ("Asian man", "M-Asian"), ["F-Asian"], "", 0),
    ],
)
def test_crossed_groups_need_both_attributes(
    first: Pair, second: Pair, targets: list[str], shared: str, expected: int | None
) -> None:
    assert place(first, second, targets, crossed=True, shared=shared) == expected


@given(
    st.permutations([("woman", "F-Black"), ("man", "M-White"), ("x", "lowSES-M-Asian")]),
    st.sampled_from("012"),
)
def test_the_order_of_the_people_makes_no_difference(people: list[Pair], which: str) -> None:
    wanted = ["F-Black", "M-White", "lowSES-M-Asian"][int(which)]
    persons = [Person(place, *pair) for place, pair in enumerate(people)]
    chosen = target_person(persons, [wanted], crossed=True)
    assert chosen is not None
    assert people[chosen][1] == wanted


def test_the_parts_of_a_group_string() -> None:
    for gender, status in itertools.product("MF", ("lowSES", "highSES")):
        group = crossed_group(f"{status}-{gender}-Middle Eastern")
        assert group.attributes == {gender.lower(), status.lower()}
        assert group.rest == "middle eastern"
