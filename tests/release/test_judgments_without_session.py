"""Judgments that a release would ignore stop it: nobody's work is left out in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.errors import StudyError
from nextset.release.stage import build_release
from nextset.release.stages import RELEASE

STUDY = """\
format: 1
name: pets
questions: {packs: ["builtin:en"], classes: [gender]}
filter: {candidates: [questions], models: ["builtin:qa-roformer"], rule: {c_at_least: 0.1}}
release: {name: pets}
"""
SESSION = """\
validate:
  session:
    consent: You will read stereotypes. You can stop at any time.
    support: Talk to the people who run the study.
    budget: {batch: 50, person: 400}
"""


def study(folder: Path, text: str) -> nextset.Study:
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return nextset.Study.load(folder)


def test_judgments_of_questions_need_a_session(tmp_path: Path) -> None:
    without = study(tmp_path / "pets", STUDY)
    RELEASE.check(without)  # no one judged
    log = tmp_path / "pets" / "judgments" / "log.jsonl"
    log.parent.mkdir()
    for nothing in ("", "\n", " \r\n\n"):
        log.write_text(nothing, encoding="utf-8")
        RELEASE.check(without)
    log.write_text("{}\n", encoding="utf-8")
    for check in (RELEASE.check, build_release):
        with pytest.raises(StudyError, match=r"but no validate\.session: the release would ignore") as error:
            check(without)
        assert error.value.remedy.startswith("add validate.session")
    (released,) = [s for s in nextset.status(without) if s.stage == "release"]
    assert released.state in ("missing", "wrong")
    with pytest.raises(StudyError, match="would ignore"):
        RELEASE.recipe(without)  # so that the status of a release that was built before says the same
    log.unlink()
    log.symlink_to(tmp_path / "an unmounted disk")
    with pytest.raises(StudyError, match="would ignore"):
        RELEASE.check(without)
    log.unlink()
    log.parent.rmdir()
    log.parent.symlink_to(tmp_path / "an unmounted disk")
    with pytest.raises(StudyError, match="would ignore"):
        RELEASE.check(without)
    RELEASE.check(study(tmp_path / "pets", STUDY + SESSION))


def test_judgments_of_hypotheses_count_without_a_session(tmp_path: Path) -> None:
    mine = nextset.new_study(tmp_path / "mine")
    (mine.folder / "judgments").mkdir()
    (mine.folder / "judgments" / "log.jsonl").write_text("{}\n", encoding="utf-8")
    RELEASE.check(mine)
