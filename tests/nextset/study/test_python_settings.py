"""Settings of studies in Python: Study.from_settings and with_."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nextset

FILTER = {"models": ["builtin:nli-electra"]}


def test_settings_in_python_are_those_of_study_yaml(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    study = nextset.Study.from_settings("mine", folder, templates=("builtin:gender",), filter=FILTER)
    assert not folder.exists()
    assert nextset.status(study)[0].state == "missing"
    nextset.generate(study)
    assert nextset.Study.load(folder).settings == study.settings
    assert study.release.version == "0.1.0"
    assert study.settings.name == "mine"


def test_the_folder_is_named_after_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert nextset.Study.from_settings(templates=["builtin:gender"]).folder == tmp_path / "my-study"


def test_a_change_keeps_the_other_keys_of_its_section(tmp_path: Path) -> None:
    study = nextset.Study.from_settings(folder=tmp_path, templates=["builtin:gender"], filter=FILTER)
    changed = study.with_(filter={"rule": "any_wrong"}, about="a test")
    assert changed.filter.models == study.filter.models
    assert changed.filter.rule != study.filter.rule
    assert changed.settings.about == "a test"
    assert changed.with_(filter={"rule": None}).filter == study.filter
    assert study.with_(filter=None, release=None).settings.filter is None
    assert changed.folder == study.folder
    nextset.generate(study)
    nextset.generate(changed)
    assert nextset.Study.load(tmp_path).settings == changed.settings


def test_a_study_yaml_of_a_person_is_not_changed(tmp_path: Path) -> None:
    study = nextset.new_study(tmp_path / "mine")
    text = study.file.read_text(encoding="utf-8")
    changed = study.with_(filter={"rule": "any_wrong"}, generate={"tests": False})
    assert changed.filter.models == study.filter.models
    nextset.generate(changed)
    assert study.file.read_text(encoding="utf-8") == text
    with pytest.raises(nextset.StudyError, match="that a person wrote"):
        nextset.Study.from_settings(folder=study.folder, templates=["builtin:gender"])


@pytest.mark.parametrize(
    ("settings", "message", "remedy"),
    [
        ({"filtr": FILTER}, "unknown key 'filtr'", "did you mean 'filter'?"),
        ({"filter": {**FILTER, "rule": "any_wron"}}, "'any_wron'", "did you mean 'any_wrong'?"),
        ({"filter": {"rule": "any_wrong"}}, "'filter.models' is missing", "add 'models'"),
        ({"templates": "builtin:gender"}, "templates: not a list", "write a list"),
        ({"name": "a b"}, "name: ", "my-study"),
    ],
)
def test_errors_are_those_of_study_yaml(settings: dict[str, Any], message: str, remedy: str) -> None:
    with pytest.raises(nextset.StudyError) as error:
        nextset.Study.from_settings(**{"templates": ["builtin:gender"], **settings})
    assert message in str(error.value)
    assert remedy in error.value.remedy
