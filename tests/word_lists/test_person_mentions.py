"""How English texts mention people: the rules are read, and what would not be found again is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import WordListError
from nextset.extensions.ambiguity.person_mentions import (
    GENDERS,
    mention_rules,
    read_mention_rules,
    rules_file,
)

SMALL = """\
format: 1
language: en
question: "Who found {item}?"
titles:
  neutral: [Dr]
  gendered:
    - {female: Dame, male: Sir}
pronouns:
  - {female: she, male: he, role: subject}
particles: [von, de]
"""


def test_the_english_rules_have_a_counterpart_for_every_title_and_pronoun() -> None:
    rules = mention_rules("en-GB")
    assert rules is mention_rules("en-GB")
    assert rules is not None
    assert rules.titles is not None
    for title, (gender, pair) in rules.titles.items():
        assert pair[gender] == title
        assert {rules.titles[pair[g]][0] for g in GENDERS} == set(GENDERS)
    assert [(form.role, form.forms["female"], form.forms["male"]) for form in rules.pronouns] == [
        ("subject", "she", "he"),
        ("object", "her", "him"),
        ("possessive", "her", "his"),
        ("independent", "hers", "his"),
        ("reflexive", "herself", "himself"),
    ]
    assert set(rules.genders_of("Her")) == {"female"}
    assert [form.role for form in rules.roles_of("HIS")] == ["possessive", "independent"]
    assert {"Fraulein", "Abbe", "Dona"} <= rules.unpaired_titles  # as the words of texts are compared
    assert rules.is_term("laws", possessive=False)
    assert rules.is_term("states", possessive=True)
    assert not rules.is_term("states", possessive=False)


def test_a_language_without_rules_has_none() -> None:
    assert mention_rules("xx") is None
    assert not rules_file("xx").exists()


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("[von, de]", "[von, von]", "'von' is repeated", 10),
        ("{female: Dame, male: Sir}", "{female: Dr, male: Sir}", "the title 'Dr' is listed twice", 7),
        ("{female: Dame, male: Sir}", "{female: Sir, male: Sir}", "the title 'Sir' is listed twice", 7),
        ("role: subject", "role: subjects", "role", 9),
        ("Who found {item}?", "Who?", "not in the expected form", 3),
        ("particles", "particle", "particle", 10),
    ],
)
def test_damaged_rules_are_refused(tmp_path: Path, old: str, new: str, message: str, line: int) -> None:
    file = tmp_path / "person_mentions.yaml"
    file.write_text(SMALL, encoding="utf-8")
    assert read_mention_rules(file).particles == {"von", "de"}
    file.write_text(SMALL.replace(old, new), encoding="utf-8")
    with pytest.raises(WordListError, match=message) as e:
        read_mention_rules(file)
    assert e.value.line == line
