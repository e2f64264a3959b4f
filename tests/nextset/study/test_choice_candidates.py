"""What a study of choice items must name: its candidates, and a session if people judge."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset

STUDY = """\
format: 1
name: hard
choices: {packs: ["builtin:en"]}
filter: {models: ["builtin:nli-electra"]CANDIDATES}
"""


def read(folder: Path, text: str) -> nextset.Study:
    (folder / "study.yaml").write_text(text)
    return nextset.Study.load(folder)


def test_candidates_that_the_study_does_not_make_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        nextset.StudyError, match="they would be NLI pairs, but the study makes choice items"
    ) as e:
        read(tmp_path, STUDY.replace("CANDIDATES", ""))
    assert e.value.remedy == "add candidates: [choices, filled_choices]"
    read(tmp_path, STUDY.replace("CANDIDATES", ", candidates: [choices]"))


@pytest.mark.parametrize("section", ["{judge: people}", "{}", "{valid_votes: 4}"])
def test_people_judge_choices_in_a_session(tmp_path: Path, section: str) -> None:
    with pytest.raises(nextset.StudyError, match="it changes nothing without session") as e:
        read(tmp_path, STUDY.replace("CANDIDATES", ", candidates: [choices]") + f"validate: {section}\n")
    assert "add validate.session" in str(e.value.remedy)
