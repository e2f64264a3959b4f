"""A pack accepts findings, by rule and name, and an entry that accepts nothing is found."""

from __future__ import annotations

from pathlib import Path

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
        {"rule": "overlaping", "reason": "no such rule"},
    ]
    found = lint_pack(mini_pack(tmp_path, subjects=OVERLAP, accepted=entries)).open
    assert [(f.rule, f.name) for f in found] == [("unused-acceptance", "Hindu"), ("unused-acceptance", "")]
    assert "lint finds no overlapping of Hindu; remove the entry" in found[0].message
    assert "there is no such rule" in found[1].message
    lines = (tmp_path / "pack.yaml").read_text(encoding="utf-8").splitlines()
    assert all(f.line and lines[f.line - 1].startswith("- rule: overlap") for f in found)


def test_pairs_that_a_class_makes_on_purpose_are_not_found(tmp_path: Path) -> None:
    classes = {"groups": {"subjects": ["groups"], "pairs": "all", "overlapping": "paired"}}
    assert lint_pack(mini_pack(tmp_path, subjects=OVERLAP, classes=classes)).open == ()
