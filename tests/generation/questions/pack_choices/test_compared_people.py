"""Who is compared: targets with others, all groups, crossed attributes, names once each; and samples."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nextset.generation.questions.pack import read_pack_choices
from nextset.generation.questions.pack_choices.choice_template import ResolvedChoice
from nextset.generation.questions.pack_choices.compared_people import (
    ComparedPeople,
    Contrasts,
    compared_people,
    even_sample,
)
from tests.generation.questions.pack_choices.small_choices import WINDOW, choice_pack

TEXTS = {
    "ambiguous": "[subj1] met [subj2].",
    "disambiguating": "[subj1] lost the keys.",
    "options": "[subj1]",
    "words": None,
}
CROSSED = {
    f"{race} {gender}": {"cluster": f"{race}/{gender}"}
    for race in ("black", "white", "asian")
    for gender in ("woman", "man")
}


def template_of(folder: Path, people: dict[str, Any], **keys: Any) -> ResolvedChoice:
    file = keys.pop("file", None)
    pack = choice_pack(folder, people={"some": people}, template={**TEXTS, **keys}, file=file)
    choices = read_pack_choices(pack)
    assert choices is not None
    return choices.templates[0]


def names(pairs: list[ComparedPeople]) -> list[tuple[str, str]]:
    return [(pair.first.name, pair.second.name) for pair in pairs]


FOUR = {name: {"cluster": name[0]} for name in ("a1", "a2", "b1", "c1")}


@pytest.mark.parametrize(
    ("keys", "contrasts", "expected"),
    [
        ({"target": ["a"]}, "others", [("a1", "b1"), ("a1", "c1"), ("a2", "b1"), ("a2", "c1")]),
        ({"target": ["a"], "against": ["c"]}, "others", [("a1", "c1"), ("a2", "c1")]),
        ({"target": ["b1"]}, "others", [("b1", "a1"), ("b1", "a2"), ("b1", "c1")]),
        (
            {"target": ["a"], "against": ["c"]},
            "all",
            [("a1", "b1"), ("a1", "c1"), ("a2", "b1"), ("a2", "c1"), ("b1", "c1")],
        ),
        ({"target": ["a", "b"]}, "others", [("a1", "c1"), ("a2", "c1"), ("b1", "c1")]),
    ],
)
def test_contrasts(
    tmp_path: Path, keys: dict[str, Any], contrasts: Contrasts, expected: list[tuple[str, str]]
) -> None:
    pairs = compared_people(template_of(tmp_path, FOUR, **keys), contrasts, 0)
    assert sorted(names(pairs)) == sorted(expected)
    for pair in pairs:
        assert pair.aimed == (pair.first.name[0] in keys["target"] or pair.first.name in keys["target"]) or (
            contrasts == "all"
        )
    aimed = {(p.first.name, p.second.name) for p in pairs if p.aimed}
    if contrasts == "all":
        assert aimed == {("a1", "c1"), ("a2", "c1")}


@pytest.mark.parametrize(
    ("along", "others"),
    [
        (["race"], {"white woman", "asian woman"}),
        (["gender"], {"black man"}),
        (["race+gender"], {"white man", "asian man"}),
        (["race", "gender"], {"white woman", "asian woman", "black man"}),
        ([], {"white woman", "asian woman", "black man", "white man", "asian man"}),
    ],
)
def test_crossed_attributes(tmp_path: Path, along: list[str], others: set[str]) -> None:
    groups = {"groups": {"subjects": ["some"], "crossed": ["race", "gender"]}}
    template = template_of(tmp_path, CROSSED, file=groups, target=["black/woman"], along=along)
    pairs = compared_people(template, "others", 0)
    assert {first for first, _ in names(pairs)} == {"black woman"}
    assert {second for _, second in names(pairs)} == others


def test_a_pattern_names_several_crossed_groups(tmp_path: Path) -> None:
    groups = {"groups": {"subjects": ["some"], "crossed": ["race", "gender"]}}
    template = template_of(tmp_path, CROSSED, file=groups, target=["black/*"], along=["race"])
    assert template.targets == ("black woman", "black man")
    assert len(compared_people(template, "others", 0)) == 4  # each with two of its own gender


def test_a_group_within_another_is_not_compared_with_it(tmp_path: Path) -> None:
    people = {
        "Christian": {"cluster": "a"},
        "Catholic": {"cluster": "b", "within": ["Christian"]},
        "Jesuit": {"cluster": "c", "within": ["Catholic"]},
        "Sikh": {"cluster": "d"},
    }
    pairs = compared_people(template_of(tmp_path, people, target=["a"]), "others", 0)
    assert names(pairs) == [("Christian", "Sikh")]


def test_names_are_compared_once_with_each_group_and_controls_once(tmp_path: Path) -> None:
    people = {f"{c}{i}": {"cluster": c} for c, n in (("a", 7), ("b", 5), ("c", 3)) for i in range(n)}
    file = {"groups": {"names": ["some"]}, "controls": {"window": {**WINDOW, **_plain(WINDOW)}}}
    pack = choice_pack(tmp_path, people={"some": people}, template={**TEXTS, "target": ["a"]}, file=file)
    choices = read_pack_choices(pack)
    assert choices is not None
    template, control = choices.templates
    pairs = compared_people(template, "others", 3)
    assert {pair.cue for pair in pairs} == {"name"}
    for group, most in (("b", 7), ("c", 7)):
        of_group = [pair for pair in pairs if pair.second.cluster == group]
        assert len(of_group) == most
        assert {pair.first.name for pair in of_group} == {f"a{i}" for i in range(7)}
        assert {pair.second.name for pair in of_group} == {name for name in people if name[0] == group}
    assert pairs == compared_people(template, "others", 3)
    assert pairs != compared_people(template, "others", 4)
    of_control = compared_people(control, "others", 0)
    assert {name for pair in names(of_control) for name in pair} == set(people)
    assert len(of_control) < len(people)
    assert not any(pair.aimed for pair in of_control)


def _plain(texts: dict[str, str]) -> dict[str, str]:
    return {key: text.replace(":a]", "]").replace(":the]", "]") for key, text in texts.items()}


def test_a_sample_has_people_and_words_about_equally_often(tmp_path: Path) -> None:
    people = {f"{c}{i}": {"cluster": c} for c in "ab" for i in range(6)}
    pairs = compared_people(template_of(tmp_path, people, target=["a"]), "others", 0)
    assert len(pairs) == 36
    chosen = even_sample(pairs, 4, 24, Random(1))
    assert len(set(chosen)) == 24
    used = Counter(name for i, _ in chosen for name in (pairs[i].first.name, pairs[i].second.name))
    assert set(used.values()) == {4}
    assert set(Counter(j for _, j in chosen).values()) == {6}
    assert even_sample(pairs, 4, None, Random(1)) == [(i, j) for i in range(36) for j in range(4)]
