"""Lint rules and sound rules of an installed package: their findings, their edits, and their failures."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.generation.sound_rules.rule_names import packages_of_rules
from nextset.generation.stage import generate_recipe
from nextset.lint_rules import LINT_RULES, lint_rules
from tests.generation.lint.mini_pack import mini_pack
from tests.toy_packages import install_toy

TEMPLATE = """
format: 1
stereotype: pets
domain: pets
source: Somebody 2020
rules: [toy-shout]
groups: {GROUP1: dogs, GROUP2: cats}
premises: [{text: "{{GROUP1}} and {{GROUP2}} sleep.", source: https://example.org/a}]
hypotheses: [{text: "{{GROUP2}} idle.", question: "Do {{GROUP2}} idle?"}]
sentences: {pro: Cats are lazier than dogs., anti: Dogs are lazier than cats.}
"""
MODULE = """
from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule
from nextset.generation.sound_rules.text_edits import Edit
from nextset.lint_rules import Finding, LintRule


def idlers(template):
    for s in template.statements:
        if "idle" in s.text:
            yield Finding(s.file, s.line, "toy-idle", "nobody is idle")


def subjects(sets):
    yield Finding(sets[0].file, 1, "toy-pack", f"{len(sets)} sets", "pets")


def shout(text):
    at = text.lower().find("cats idle")
    return [] if at < 0 else [Edit(at + 5, at + 9, "IDLE", at + 4)]


IDLE = LintRule("toy-idle", idlers, "idle animals")
PACK = LintRule("toy-pack", subjects, "packs")
BROKEN = LintRule("toy-broken", lambda file: 1 / 0, "nothing")
SHOUT = NamedSoundRule("toy-shout", shout, "idle animals", ("cats idle",))
"""
ENTRIES = """
[nextset.lint_rules]
template.toy-idle = toy_rules:IDLE
pack.toy-pack = toy_rules:PACK
[nextset.sound_rules]
toy-shout = toy_rules:SHOUT
"""


def install(site: Path, entries: str) -> None:
    install_toy(site, "toy_rules", "2.0", entries, MODULE)


@pytest.fixture
def template(tmp_path: Path) -> Path:
    file = tmp_path / "pets.yaml"
    file.write_text(TEMPLATE.lstrip(), encoding="utf-8")
    return file


def test_every_rule_of_nextset_is_registered_under_its_kind_and_name() -> None:
    kinds = {key.split(".")[0] for key in LINT_RULES.names}
    assert {"template", "pack", "study", "yaml"} <= kinds
    assert sum(len(lint_rules(kind)) for kind in kinds) == len(LINT_RULES.names)


def test_rules_of_a_package_lint_templates_and_packs(site: Path, template: Path, tmp_path: Path) -> None:
    install(site, ENTRIES)
    (finding,) = nextset.lint(template).findings
    assert (finding.file, finding.line, finding.rule) == (template, 8, "toy-idle")
    pack = mini_pack(tmp_path / "pack", accepted=[{"rule": "toy-pack", "name": "pets", "reason": "toys"}])
    assert [f.rule for f in nextset.lint(pack.files[0].parent).accepted] == ["toy-pack"]


def test_a_sound_rule_of_a_package_changes_texts_and_enters_the_recipe(
    site: Path, template: Path, tmp_path: Path
) -> None:
    install(site, ENTRIES)
    study = tmp_path / "study"
    study.mkdir()
    (study / "study.yaml").write_text("format: 1\nname: toys\ntemplates: [../pets.yaml]\n")
    loaded = nextset.Study.load(study)
    items = nextset.generate(loaded)
    assert "Cats IDLE." in items.table("items")["hypothesis"].to_pylist()
    assert generate_recipe(loaded).settings["sound_rules"] == {"toy-shout": "toy_rules 2.0"}
    assert packages_of_rules(["a-an"]) == {}


def test_an_unknown_sound_rule_is_refused_with_the_known_ones(template: Path) -> None:
    with pytest.raises(nextset.InputError, match="not a known value") as e:
        nextset.lint(template)
    assert "write 'a-an', 'arabic-prefixes'" in e.value.remedy


def test_a_rule_that_raises_is_named(site: Path, template: Path) -> None:
    broken = "yaml.toy-broken = toy_rules:BROKEN\n[nextset.sound_rules]"
    install(site, ENTRIES.replace("[nextset.sound_rules]", broken))
    message = r"the lint rule toy-broken \(toy_rules.*ZeroDivisionError"
    with pytest.raises(nextset.InputError, match=message) as e:
        nextset.lint(template)
    assert "report the error to the authors" in e.value.remedy


def test_a_rule_under_a_different_name_is_refused(site: Path, template: Path) -> None:
    install(site, ENTRIES.replace("template.toy-idle", "template.toy-lazy"))
    with pytest.raises(nextset.InputError, match=r"toy-idle as template\.toy-lazy"):
        nextset.lint(template)
