"""`nextset lint` of a language pack, and of a study that uses it: what is found, and what is accepted."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
import yaml

import nextset
from nextset.cli.linted import Linted
from nextset.cli.stage_text import lint_text
from nextset.errors import WordListError
from nextset.lint_rules import Finding
from tests.generation.lint.mini_pack import ATTRIBUTES, mini_pack

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


def study_of(folder: Path, **questions: object) -> Path:
    """A study of the pack in ``folder``/pack."""
    written = {"packs": ["pack"], "forms": ["question"], **questions}
    content = {"format": 1, "name": "groups", "questions": written}
    (folder / "study.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return folder


def test_lint_of_a_study_finds_what_lint_of_its_pack_finds(tmp_path: Path) -> None:
    quoted = {"thief": {**ATTRIBUTES["thief"], "cluster": "“acts”"}}
    mini_pack(
        tmp_path / "pack",
        subjects={"Mali": {"cluster": "“places”"}, "Peru": {}},
        attributes=quoted,
        prefixes={"news": "(Mali) --", "plain": "“It is known.”"},
        accepted=[{"rule": "overlapping", "reason": "there is none"}],
    )
    (tmp_path / "pack" / "gendered_words.yaml").write_text("format: 1\nabout: “Words.”\n", encoding="utf-8")
    of_pack = nextset.lint(tmp_path / "pack")
    found = Counter(f.rule for f in of_pack.findings)
    assert found == {"typographic-quotes": 4, "named-subject": 1, "unused-acceptance": 1}
    of_study = nextset.lint(study_of(tmp_path, prefix="news"))
    assert set(of_study.findings) == set(of_pack.findings)
    assert set(of_study.files) == {tmp_path / "study.yaml", *of_pack.files}
    without = nextset.lint(study_of(tmp_path)).findings
    assert {f.rule for f in without} == {"typographic-quotes", "unused-acceptance"}


def test_what_a_pack_accepts_in_a_class_that_a_study_leaves_out_is_not_unused(tmp_path: Path) -> None:
    of_class = {"pairs": "all"}
    mini_pack(tmp_path / "pack", subjects=OVERLAP)
    head = {
        "format": 1,
        "language": "en",
        "classes": {
            "groups": {"subjects": ["groups"], **of_class},
            "others": {"subjects": ["groups"], **of_class, "overlapping": "paired"},
        },
        "accepted": [{"rule": "overlapping", "reason": "as in other lists"}],
    }
    (tmp_path / "pack" / "pack.yaml").write_text(yaml.safe_dump(head), encoding="utf-8")
    templates = (tmp_path / "pack" / "templates" / "groups.yaml").read_text(encoding="utf-8")
    others = templates.replace("class: groups", "class: others")
    (tmp_path / "pack" / "templates" / "others.yaml").write_text(others, encoding="utf-8")
    linted = nextset.lint(study_of(tmp_path, classes=["others"]))
    assert linted.findings == linted.accepted == ()
    assert len(nextset.lint(study_of(tmp_path)).accepted) == 2


def test_lint_of_a_study_reads_the_gendered_words_of_its_pack(tmp_path: Path) -> None:
    mini_pack(tmp_path / "pack")
    (tmp_path / "pack" / "gendered_words.yaml").write_text("format: 1\nf: [nun, nun]\n", encoding="utf-8")
    with pytest.raises(WordListError, match="'nun' is repeated"):
        nextset.lint(study_of(tmp_path))


@pytest.mark.parametrize("there", ["folder", "pipe", "dangling link", "link to itself"])
@pytest.mark.parametrize(
    "name", ["lexicon.yaml", "group_terms.yaml", "protected_groups.yaml", "gendered_words.yaml"]
)
def test_what_is_not_a_file_is_not_taken_for_absent(tmp_path: Path, name: str, there: str) -> None:
    mini_pack(tmp_path / "pack")
    place = tmp_path / "pack" / name
    if there == "folder":
        place.mkdir()
    elif there == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("gone" if there == "dangling link" else name)
    for path in (tmp_path / "pack", place):
        with pytest.raises(WordListError, match=r"not a file|leads nowhere") as caught:
            nextset.lint(path)
        assert caught.value.file == place


def test_a_file_of_a_language_that_is_not_there_is_not_checked_in_silence(tmp_path: Path) -> None:
    with pytest.raises(WordListError, match="no such file"):
        nextset.lint(tmp_path / "gendered_words.yaml")
