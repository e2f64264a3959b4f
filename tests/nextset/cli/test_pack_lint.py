"""`nextset lint` of a language pack, and of a study that uses it: what is found, and what is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.cli.lint import Linted
from nextset.cli.stage_text import lint_text
from nextset.errors import WordListError
from nextset.generation.lint.finding import Finding
from tests.generation.lint.mini_pack import mini_pack

OVERLAP: dict[str, dict[str, str]] = {"Catholic": {}, "Mormon": {}, "Christian": {}}
ACCEPTED = [{"rule": "overlapping", "name": "Catholic", "reason": "as in other lists"}]


def test_lint_says_how_many_findings_a_pack_accepts(tmp_path: Path) -> None:
    mini_pack(tmp_path, subjects=OVERLAP, accepted=ACCEPTED)
    linted = nextset.lint(tmp_path)
    assert [f.name for f in linted.findings] == ["Mormon"]
    assert [f.name for f in linted.accepted] == ["Catholic"]
    assert lint_text(linted).splitlines()[-1] == "files: 4, findings: 1, accepted: 1"


def test_lint_of_a_study_takes_what_its_pack_accepts(tmp_path: Path) -> None:
    mini_pack(tmp_path / "pack", subjects=OVERLAP, accepted=ACCEPTED)
    study = "format: 1\nname: groups\nquestions: {packs: [pack], forms: [question]}\n"
    (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
    linted = nextset.lint(tmp_path)
    assert [f.name for f in linted.findings] == ["Mormon"]
    assert [f.name for f in linted.accepted] == ["Catholic"]


def test_lint_reads_the_gendered_words_of_a_pack(tmp_path: Path) -> None:
    mini_pack(tmp_path)
    words = tmp_path / "gendered_words.yaml"
    words.write_text("format: 1\nf: [nun]\n", encoding="utf-8")
    assert words in nextset.lint(tmp_path).files
    words.write_text("format: 1\nf: [nun, nun]\n", encoding="utf-8")
    with pytest.raises(WordListError) as caught:
        nextset.lint(tmp_path)
    assert "'nun' is repeated" in caught.value.message


def test_a_finding_is_shown_on_one_line_whatever_its_subject_is_called(tmp_path: Path) -> None:
    forged = "Mali\n/etc/pack.yaml:1: swap: forged\x1b[2J\u2028x"
    linted = Linted((), (Finding(tmp_path / "a\nb", 2, "genders", f"{forged}: dem.f"),))
    finding, counts = lint_text(linted).split("\n")
    assert r"a\nb:2: genders: Mali\n/etc/pack.yaml:1: swap: forged\x1b[2J\u2028x: " in finding
    assert counts == "files: 0, findings: 1"
