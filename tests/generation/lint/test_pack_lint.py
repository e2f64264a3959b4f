"""A slip in a file of a language pack is found at its line, and nothing in a pack without slips."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.generation.lint.pack_lint import lint_sets
from nextset.generation.questions.pack import read_pack

SLIPS = {
    "named-subject": (
        "attributes/acts.yaml",
        "stole a fish, neg",
        "met ash, neg",
        "names 'ash', a subject of pets",
    ),
    "group-twice": (
        "subjects/places.yaml",
        "{dem: Somali}",
        "{dem: MALIAN}",
        "'malian' is also a text of Mali",
    ),
    "asymmetric": ("templates/places.yaml", "north of [subj2]", "north of [subj2:dem]", "differ in form"),
    "partial-negation": (
        "attributes/acts.yaml",
        "neg: never stole a fish",
        "neg: never stole",
        "omits 'a fish'",
    ),
    "no-source": ("attributes/acts.yaml", "Somebody 1999", "somebody", "neither a work with its year"),
    "genders": (
        "subjects/places.yaml",
        "{dem: Malian}",
        "{dem: Malian, dem.f: Maliane}",
        "has the form dem.f, but no form for m",
    ),
    "mixed-scripts": ("subjects/places.yaml", "dem: Malian", "dem: Mаlian", "cyrillic and latin"),
}


def test_the_small_pack_is_clean(pack: Path) -> None:
    assert lint_sets(read_pack(pack).sets) == []


@pytest.mark.parametrize("rule", SLIPS)
def test_a_slip_is_found_at_its_line(pack: Path, rule: str) -> None:
    name, old, new, says = SLIPS[rule]
    path = pack / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    findings = lint_sets(read_pack(pack).sets)
    assert {f.rule for f in findings} == {rule}
    assert says in findings[0].message
    assert findings[0].file == path
    line = text[: text.index(old)].count("\n") + 1
    assert findings[0].line in (line, line - 2)  # a template begins two lines before its context


@pytest.mark.parametrize("form", ["コーヒー好き", "人々を助けた", "2.ª", "Ҫупʼка"])
def test_signs_that_scripts_share_are_no_second_script(pack: Path, form: str) -> None:
    path = pack / "subjects" / "places.yaml"
    path.write_text(path.read_text().replace("dem: Malian", f"dem: {form}"), encoding="utf-8")
    assert lint_sets(read_pack(pack).sets) == []


def test_subjects_are_found_where_no_blanks_are_written(pack: Path) -> None:
    for name, old, new in (
        ("subjects/places.yaml", "dem: Malian", "dem: 日本人"),
        ("attributes/acts.yaml", '"": was rude', '"": 日本人を憎む'),
    ):
        path = pack / name
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert [f.rule for f in lint_sets(read_pack(pack).sets)] == ["named-subject"]


def test_only_english_articles_are_articles(pack: Path) -> None:
    for name, old, new in (
        ("pack.yaml", "[a-an]", "[]"),
        ("pack.yaml", "language: en", "language: es"),
        ("templates/places.yaml", "[subj1] lies north of [subj2]", "Volví de [subj1] y voy a [subj2]"),
    ):
        path = pack / name
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert "asymmetric" not in {f.rule for f in lint_sets(read_pack(pack).sets)}


def test_a_form_without_gender_must_not_be_one_of_them(pack: Path) -> None:
    path = pack / "subjects" / "places.yaml"
    path.write_text(path.read_text().replace("{dem: Malian}", "{dem: Malian, dem.m: Malian, dem.f: Maliane}"))
    (finding,) = lint_sets(read_pack(pack).sets)
    assert "the form without gender is the same as dem.m" in finding.message
