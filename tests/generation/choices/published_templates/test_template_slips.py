from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.cli.lint import lint
from nextset.generation.choices.published_templates.korean_form_slips import with_particle
from nextset.generation.choices.published_templates.linted_templates import lint_templates
from nextset.generation.choices.published_templates.template_tables import read_templates
from tests.generation.choices.published_templates.small_templates import (
    bbq_row,
    kobbq_row,
    write_bbq,
    write_kobbq,
    write_spanish,
)


def findings(file: Path, language: str = "en") -> list[tuple[int | None, str, str]]:
    return [(f.line, f.rule, f.message) for f in lint_templates(read_templates(file, language))]


def test_templates_without_slips_have_no_findings(tmp_path: Path) -> None:
    assert findings(write_bbq(tmp_path)) == []
    assert findings(write_kobbq(tmp_path)) == []
    assert findings(write_spanish(tmp_path), "es") == []


@pytest.mark.parametrize(
    ("cells", "rule", "message"),
    [
        (
            {"Disambiguating_Context": "The {{WORD1}} {{NAME1}}.", "Lexical_diversity": "WORD1: [aged]"},
            "doubled-word",
            "'aged aged' in the disambiguating context",
        ),
        ({"Question_non_negative": "Who was was it?"}, "doubled-word", "'was was' in the non-n"),
        (
            {"Disambiguating_Context": "The {[NAME1}} lost {{WORD1}} and {{WORD2}}."},
            "unresolved-slot",
            "'{[NAME1}}' in the disambiguating context is not a slot with a list",
        ),
        ({"Lexical_diversity": "WORD1: [bus]; WORD2: [key]; WORD3: [map]"}, "unused-list", "no text uses"),
        ({"Answer_negative": "Somebody"}, "answer-people", "the negative answer names no person"),
        ({"Answer_negative": "The {{NAME2}}"}, "answer-people", "both answers name"),
        ({"Names": "NAME1: []; NAME2: [pupil]"}, "empty-list", "there is no pair of people"),
        ({"Known_stereotyped_groups": '["ancient"]'}, "unknown-target", "no person is of the target"),
        ({"NAME2_info": "old"}, "unknown-target", "both people are of the target groups (old)"),
        (
            {"Names": "NAME1: [aunt; uncle]; NAME2: [pupil]"},
            "list-separator",
            "a list in Names has a semicolon for a comma: [aunt; uncle]",
        ),
        ({"Answer_negative": "The {{NAME1}} "}, "option-space", "the negative answer begins"),
        ({"Question_non_negative": "Who\x08 was it?"}, "hidden-character", "the non-negative"),
    ],
)  # fmt: skip
def test_a_slip_is_found_with_its_line(
    tmp_path: Path, cells: Mapping[str, str], rule: str, message: str
) -> None:
    file = write_bbq(tmp_path, bbq_row(), bbq_row(Q_id="2", **cells))
    found = findings(file)
    assert [(line, name) for line, name, _ in found] == [(3, rule)], found
    assert found[0][2].startswith(message)


def test_versions_with_other_people_are_found(tmp_path: Path) -> None:
    file = write_bbq(tmp_path, bbq_row(), bbq_row(version="b", Names="NAME1: [pupil]; NAME2: [grandmother]"))
    assert [(line, rule) for line, rule, _ in findings(file)] == [
        (2, "version-people"),
        (3, "version-people"),
    ]


def test_korean_forms_are_compared_with_the_sound_rule(tmp_path: Path) -> None:
    row = kobbq_row(
        Ambiguous_context="가게에서 [N1: 노인와, 어르신과] [N2: 학생을, 아이를] [W1: 보았습니다, 만났습니다]."
    )
    assert findings(write_kobbq(tmp_path, row)) == [
        (2, "form-number", "the slot NAME2 in the ambiguous context has more entries than its list"),
        (2, "other-word", "'어르신과' in the ambiguous context stands for '할아버지'"),
        (2, "wrong-particle", "'노인와' in the ambiguous context should be '노인과'"),
    ]


SYLLABLES = st.integers(0xAC00, 0xD7A3).map(chr)
PARTICLES = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"))


@given(word=st.text(SYLLABLES, min_size=1, max_size=4), pair=st.sampled_from(PARTICLES), wrong=st.booleans())
def test_a_particle_follows_from_the_last_syllable(word: str, pair: tuple[str, str], wrong: bool) -> None:
    after_vowel = (ord(word[-1]) - 0xAC00) % 28 == 0
    right = word + pair[after_vowel]
    assert with_particle(word, word + pair[after_vowel != wrong]) == right
    assert with_particle(word, right + " 옆에") == right + " 옆에"


def test_a_file_and_a_study_are_linted(tmp_path: Path) -> None:
    file = write_bbq(tmp_path, bbq_row(Question_non_negative="Who was was it?"))
    assert [f.rule for f in lint(file).findings] == ["doubled-word"]
    study = tmp_path / "study.yaml"
    study.write_text(f"format: 1\nname: s\nlanguage: en\nchoices: {{templates: [{file.name}]}}\n")
    linted = lint(tmp_path)
    assert [(f.file.name, f.line, f.rule) for f in linted.findings] == [("Age.csv", 2, "doubled-word")]
    assert file.name in [path.name for path in linted.files]
