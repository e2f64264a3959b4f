"""Where the settings of a server belong, what an error about them shows, and which line it names."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.errors import ModelError, StudyError
from nextset.pipeline.server_costs import ServerCosts, cost_lines
from nextset.scoring.models.sources import locate
from nextset.study.model_key import model_key
from nextset.study.scoring_settings import ModelSettings
from nextset.study.server_secrets import shown_variable

STUDY = """format: 1
name: places
templates: ["builtin:gender"]
release: {{name: places, version: 0.1.0}}
filter: {{models: ['{name}']}}
scoring: {{server: {{{common}}}}}
models:
  '{name}': {{{own}}}
"""


def refused(folder: Path, own: str = "", common: str = "", name: str = "openai:m") -> StudyError:
    (folder / "study.yaml").write_text(STUDY.format(name=name, own=own, common=common), encoding="utf-8")
    with pytest.raises(StudyError) as e:
        nextset.Study.load(folder)
    return e.value


@pytest.mark.parametrize(
    ("own", "common", "remedy"),
    [
        ("address: MY_SERVER", "", "address belongs under server: write it there"),
        ("temperature: 1.0", "", "temperature belongs under server: write it there"),
        ("max_cost: 1.0", "", "max_cost belongs under scoring.server: write it there"),
        ("server: {max_cost: 1.0}", "", "max_cost belongs under scoring.server: write it there"),
        ("server: {thinking: true}", "", "thinking belongs under models.NAME, next to server"),
        ("", "address: MY_SERVER", "address belongs under models.NAME.server: write it there"),
        ("server: {address: $CHAT_SERVER}", "", "write CHAT_SERVER without the $"),
        ("server: {key: $AKIA0123456789}", "", "write the name without the $"),
    ],
)
def test_a_key_in_the_wrong_place_is_told_the_right_one(
    tmp_path: Path, own: str, common: str, remedy: str
) -> None:
    assert remedy in refused(tmp_path, own, common).remedy


def test_a_model_with_a_server_needs_the_prefix(tmp_path: Path) -> None:
    error = refused(tmp_path, "server: {address: MY_SERVER}", name="my-model")
    assert error.remedy.startswith("did you mean openai:my-model?")
    assert error.line == 8


def test_the_name_of_a_model_has_no_spaces(tmp_path: Path) -> None:
    error = refused(tmp_path, name="openai:my model")
    assert "openai:my-model" in error.remedy
    assert "no spaces" in str(error)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("MY_SERVER_KEY", True), ("KEY_2", True), ("AKIAIOSFODNN7EXAMPLE", False), ("MY_KEY_123456", False)],
)
def test_a_variable_that_could_be_a_key_is_not_shown(name: str, shown: bool) -> None:
    assert shown_variable(name) == (name if shown else "")
    settings = ModelSettings.model_validate({"server": {"address": name}})
    with pytest.raises(ModelError, match="is not set") as e:
        locate("openai:m", settings=settings)
    assert (name in f"{e.value} {e.value.remedy}") == shown


def test_an_error_about_the_server_has_the_line_of_its_setting(tmp_path: Path) -> None:
    file, own = tmp_path / "study.yaml", "server: {address: MY_SERVER}"
    file.write_text(STUDY.format(name="openai:m", own=own, common=""), encoding="utf-8")
    settings = nextset.Study.load(tmp_path).model_settings("openai:m")
    with pytest.raises(ModelError) as e, model_key(file, "filter", "models", 0):
        locate("openai:m", settings=settings)
    assert str(e.value).startswith(f"{file}:8: server.address of openai:m in the section models: ")
    assert "filter.models" not in str(e.value)


def test_earlier_models_are_one_line() -> None:
    assert cost_lines(ServerCosts((), (), ("openai:a", "openai:b"))) == ["earlier models: openai:a, openai:b"]
