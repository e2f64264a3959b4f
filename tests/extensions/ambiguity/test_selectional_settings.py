"""The section ambiguity.selectional."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import StudyError
from nextset.extensions.ambiguity.settings.study_settings import selectional_of
from nextset.study.study_folder import Study


def study(folder: Path, text: str) -> Study:
    asked = "questions: [builtin:en]\n    models: [builtin:qa-roformer]"
    written = f"format: 1\nname: small\nambiguity:\n  selectional:\n    {asked}\n    {text}\n"
    (folder / "study.yaml").write_text(written, encoding="utf-8")
    return Study.load(folder)


def test_groups_of_a_balance(tmp_path: Path) -> None:
    balance = selectional_of(study(tmp_path, "balance: {groups: [women, men]}")).balance
    assert balance is not None
    assert balance.groups == ("women", "men")


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ("balance: {groups: [female]}", "number of values", "at least 2"),
        ("balance: {groups: [female, female]}", "repeated", "each entry once"),
        ("balance: {groups: [female, Female]}", "repeated", "each entry once"),
        ("balance: {groups: [female, unknown]}", "unknown is not a group", "remove it"),
    ],
)
def test_wrong_groups(tmp_path: Path, text: str, message: str, remedy: str) -> None:
    with pytest.raises(StudyError) as caught:
        study(tmp_path, text)
    assert message in caught.value.message
    assert remedy in caught.value.remedy
    assert caught.value.line is not None
