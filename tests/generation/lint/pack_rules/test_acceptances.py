"""A pack accepts findings, by rule and name, and an entry that accepts nothing is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import WordListError
from nextset.generation.lint.pack_lint import lint_pack
from tests.generation.lint.mini_pack import mini_pack

OVERLAP: dict[str, dict[str, str]] = {"Catholic": {}, "Mormon": {}, "Christian": {}}


def test_a_finding_is_accepted_by_its_rule_and_name(tmp_path: Path) -> None:
    entry = {"rule": "overlapping", "name": "Catholic", "reason": "as in the lists that it is compared with"}
    found = lint_pack(mini_pack(tmp_path, subjects=OVERLAP, accepted=[entry]))
    assert [f.name for f in found.accepted] == ["Catholic"]
    assert [f.name for f in found.open] == ["Mormon"]


def test_an_entry_without_a_name_accepts_every_finding_of_the_rule(tmp_path: Path) -> None:
    entry = {"rule": "overlapping", "reason": "as in the lists that it is compared with"}
    found = lint_pack(mini_pack(tmp_path, subjects=OVERLAP, accepted=[entry]))
    assert {f.name for f in found.accepted} == {"Mormon", "Catholic"}
    assert found.open == ()


def test_entries_that_accept_nothing_are_found(tmp_path: Path) -> None:
    entries = [
        {"rule": "overlapping", "reason": "right"},
        {"rule": "overlapping", "name": "Hindu", "reason": "no such finding"},
        {"rule": "swap", "reason": "no such finding"},
    ]
    found = lint_pack(mini_pack(tmp_path, subjects=OVERLAP, accepted=entries)).open
    assert [(f.rule, f.name) for f in found] == [("unused-acceptance", "Hindu"), ("unused-acceptance", "")]
    assert "there is no finding of the rule overlapping in Hindu: remove the entry" in found[0].message
    assert "there is no finding of the rule swap: remove the entry" in found[1].message
    lines = (tmp_path / "pack.yaml").read_text(encoding="utf-8").splitlines()
    assert [lines[(f.line or 0) - 1] for f in found] == ["- rule: overlapping", "- rule: swap"]


@pytest.mark.parametrize(
    ("rule", "says", "remedy"),
    [
        ("overlaping", "lint has no rule 'overlaping'", "use one of article, "),
        ("typographic-quotes", "lint has no rule 'typographic-quotes'", "overlapping, paradigm"),
        ("unused-acceptance", "unused-acceptance cannot be accepted", "remove the entry"),
    ],
)
def test_only_rules_of_lint_are_accepted(tmp_path: Path, rule: str, says: str, remedy: str) -> None:
    """An entry that accepts unused-acceptance would hide itself and every other that accepts nothing."""
    entries = [{"rule": "swap", "reason": "accepts nothing"}, {"rule": rule, "reason": "hide"}]
    pack = mini_pack(tmp_path, accepted=entries)
    with pytest.raises(WordListError, match=says) as caught:
        lint_pack(pack)
    assert remedy in caught.value.remedy
    lines = (tmp_path / "pack.yaml").read_text(encoding="utf-8").splitlines()
    assert lines[(caught.value.line or 0) - 1] == f"- rule: {rule}"


def test_pairs_that_a_class_makes_on_purpose_are_not_found(tmp_path: Path) -> None:
    classes = {"groups": {"subjects": ["groups"], "pairs": "all", "overlapping": "paired"}}
    assert lint_pack(mini_pack(tmp_path, subjects=OVERLAP, classes=classes)).open == ()
