"""docs/reference/sound_rules.md lists every rule and derivation, and its examples come out as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nextset.generation.derived_forms.derivation import DERIVATIONS, derived_form
from nextset.generation.sound_rules.rule_names import SOUND_RULES, named_rules
from nextset.generation.sound_rules.text_edits import apply_rules

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "sound_rules.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| `")
]
SOUNDS = [row for row in ROWS if len(row) == 3]
DERIVED = [row for row in ROWS if len(row) == 4]


def test_every_rule_and_derivation_is_listed() -> None:
    assert {row[0].strip("`") for row in SOUNDS} == set(SOUND_RULES.names)
    assert {row[0].strip("`") for row in DERIVED} == set(DERIVATIONS)


@pytest.mark.parametrize(("name", "written", "becomes"), SOUNDS)
def test_examples_of_rules(name: str, written: str, becomes: str) -> None:
    rules = named_rules([name.strip("`")])
    assert ", ".join(apply_rules(text, rules) for text in written.split(", ")) == becomes


@pytest.mark.parametrize(("name", "features", "listed", "derived"), DERIVED)
def test_examples_of_derived_forms(name: str, features: str, listed: str, derived: str) -> None:
    key = frozenset(features.strip("`").split("."))
    found = [derived_form([name.strip("`")], _forms(entry), key) for entry in listed.split(", ")]
    assert [form.text if form else None for form in found] == derived.split(", ")


def _forms(entry: str) -> dict[frozenset[str], str]:
    """Return the listed forms of *Пушкин (`f`: Пушкина)*."""
    word, _, more = entry.partition(" (")
    others = re.findall(r"`([\w.]+)`: (\w+)", more)
    return {frozenset(): word, **{frozenset(key.split(".")): text for key, text in others}}


def test_names_in_the_example_exist() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for key, known in (("rules", SOUND_RULES.names), ("derive", tuple(DERIVATIONS))):
        (written,) = re.findall(rf"^{key}: \[(.*?)\]", text, re.MULTILINE)
        assert set(written.split(", ")) <= set(known)
