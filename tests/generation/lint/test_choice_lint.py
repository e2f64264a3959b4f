"""Lint of templates of choices: each rule finds its planted fault, and nothing in the repaired twin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nextset
from nextset.errors import WordListError
from nextset.generation.lint.choice_lint import lint_choices
from nextset.generation.lint.pack_lint import lint_pack
from nextset.generation.questions.pack import read_pack, read_pack_choices
from nextset.lint_rules import lint_rules
from tests.generation.questions.pack_choices.small_choices import KEYS, choice_pack

MASKED = {"negative": "Who was {{MASK:adj}}?", "non_negative": "Who was {{MASK}}?"}
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no-source": ({"template": {"source": "everybody knows"}}, "'everybody knows' is neither"),
    "unused-words": ({"template": {"words": {**KEYS["words"], "DAY": ["today"]}}}, "no text uses {{DAY}}"),
    "doubled-word": (
        {"template": {"words": {"PLACE": ["the library", "the inn at at noon"]}}},
        "'at at' in 'At the inn",
    ),
    "article": ({"template": {"negative": "Who lost an key?"}}, "an key"),
    "no-question": ({"template": {"negative": "Who lost the keys"}}, "negative does not end in a question"),
    "open-mask": ({"template": MASKED}, "non_negative has {{MASK}} without a kind of word"),
    "same-context": (
        {
            "template": {
                "ambiguous": "At {{PLACE}}, [subj1:the] lost keys, so [subj2:a] came.",
                "disambiguating": "[subj1:the] lost keys.",
            }
        },
        "the ambiguous context has the disambiguating text",
    ),
    "duplicate": ({"templates": {"keys": KEYS, "again": {**KEYS, "stereotype": "the same"}}}, "as keys"),
    "uncompared": (
        {
            "people": {
                "ages": {
                    "aunt": {"forms": {"a": "an aunt", "the": "the aunt"}, "cluster": "old"},
                    "mother": {
                        "forms": {"a": "a mother", "the": "the mother"},
                        "cluster": "mid",
                        "within": ["aunt"],
                    },
                }
            }
        },
        "no two people can be compared",
    ),
}


@pytest.mark.parametrize("rule", FAULTS)
def test_a_planted_fault_is_found(tmp_path: Path, rule: str) -> None:
    keys, says = FAULTS[rule]
    pack = read_pack(choice_pack(tmp_path, **keys))
    found = lint_pack(pack).open
    assert {f.rule for f in found} == {rule}
    assert says in found[0].message
    assert all(f.file.name == "age.yaml" and f.line and f.name for f in found)


def test_every_rule_has_a_planted_fault_and_the_plain_pack_has_none(tmp_path: Path) -> None:
    assert set(FAULTS) == lint_rules("choice").keys()
    choices = read_pack_choices(choice_pack(tmp_path))
    assert choices is not None
    assert lint_choices(choices) == []


def test_a_finding_can_be_accepted_with_a_reason(tmp_path: Path) -> None:
    accepted = {"rule": "no-source", "name": "keys", "reason": "a folk tale"}
    keys: dict[str, Any] = {"template": {"source": "everybody knows"}}
    pack = read_pack(choice_pack(tmp_path / "a", head={"accepted": [accepted]}, **keys))
    findings = lint_pack(pack)
    assert (len(findings.open), [f.name for f in findings.accepted]) == (0, ["keys"])
    unused = read_pack(choice_pack(tmp_path / "b", head={"accepted": [accepted]}))
    assert [f.rule for f in lint_pack(unused).open] == ["unused-acceptance"]
    wrong = read_pack(choice_pack(tmp_path / "c", head={"accepted": [{**accepted, "rule": "nothing"}]}))
    with pytest.raises(WordListError, match="lint has no rule 'nothing'"):
        lint_pack(wrong)


def test_a_study_is_linted_with_the_templates_that_it_names(tmp_path: Path) -> None:
    pack = choice_pack(tmp_path / "pack", template={"source": "everybody knows"})
    folder = tmp_path / "study"
    folder.mkdir()
    study = f'format: 1\nname: s\nchoices:\n  packs: ["{pack}"]\n'
    (folder / "study.yaml").write_text(study, encoding="utf-8")
    linted = nextset.lint(folder)
    assert [f.rule for f in linted.findings] == ["no-source"]
    assert [file.name for file in linted.files] == ["study.yaml", "age.yaml"]
    assert [f.rule for f in nextset.lint(pack).findings] == ["no-source"]
    assert [f.rule for f in nextset.lint(pack / "choice" / "age.yaml").findings] == ["no-source"]
    (folder / "study.yaml").write_text(f"{study}  categories: [other]\n", encoding="utf-8")
    assert nextset.lint(folder).findings == ()
