"""Arguments and help: STUDY comes first, every help has an example, remedies name the user's folder."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

import nextset
from nextset.cli.app import app

PAIR = "premise,hypothesis,stereotype,domain\nOne in ten is left-handed.,Left-handers are clumsy.,s,d\n"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})


def commands() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        found |= {f"{name} {sub}": c for sub, c in inner.items()} if inner else {name: command}
    return found


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.csv").write_text(PAIR, encoding="utf-8")
    return nextset.new_study(Path("my study")).file.parent


@pytest.mark.parametrize(
    "arguments",
    [
        ["import", "pairs.csv", "my study"],
        ["validate", "import", "pairs.csv", "my study"],
        ["import", "my study/study.yaml", "my study"],
        ["import", "my study", "my study"],
        ["validate", "import", "my study", "my study/study.yaml"],
        ["validate", "leave", "ana@example.org", "my study"],
        ["release", "withdraw", "3fa2", "my study", "--reason", "wrong"],
        ["release", "push", "lab/carers", "my study"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_swapped_arguments_are_named(study: Path, arguments: list[str]) -> None:
    done = call(*arguments)
    assert done.exit_code == 2
    assert "comes first" in done.output
    assert "nextset" in done.output or "my study" in done.output


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        (["import", "my study"], "FILE"),
        (["validate", "leave", "my study"], "PERSON"),
        (["validate", "join", "my study"], "E-MAIL"),
        (["validate", "merge", "my study"], "OTHER"),
        (["release", "push", "my study"], "ORG/NAME"),
        (["release", "withdraw", "my study", "--reason", "wrong"], "ID..."),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else value,
)
def test_an_argument_missing_after_the_study_is_named(
    study: Path, arguments: list[str], missing: str
) -> None:
    done = call(*arguments)
    assert done.exit_code == 2
    assert f"Missing argument '{missing}'" in done.output


def test_the_study_is_the_current_folder_if_it_is_not_named(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = call("import", "my study", "pairs.csv")
    assert (named.exit_code, "1 item in" in named.output) == (0, True), named.output
    monkeypatch.chdir(study)
    assert call("import", "../pairs.csv").exit_code == 0
    assert "generate      missing" in call("status").output
    assert "findings: 0" in call("lint").output
    reason = ["--reason", "wrong"]
    assert "there is no release to withdraw from" in call("release", "withdraw", "3fa2", "4b", *reason).output
    assert "no annotator with this e-mail" in call("validate", "leave", "ana@example.org").output
    monkeypatch.chdir(tmp_path)
    nowhere = call("status")
    assert (nowhere.exit_code, "no such study" in nowhere.output) == (3, True)


def test_a_damaged_result_names_the_folder_that_the_user_gave(study: Path) -> None:
    (study / "out" / "generate").mkdir(parents=True)
    (study / "out" / "generate" / "manifest.json").write_text("{")
    for written in (call("status", study).output, call("status", study, "--json").output):
        assert "nextset generate 'my study'" in written
        assert "STUDY" not in written


def test_a_remedy_names_the_folder_that_the_user_gave(study: Path) -> None:
    assert (
        "run `nextset generate 'my study'` (or `nextset run 'my study'`) first" in call("fill", study).output
    )


@pytest.mark.parametrize("name", commands())
def test_every_help_has_an_example_that_the_command_understands(name: str) -> None:
    command = commands()[name]
    match = re.fullmatch(rf"Example: nextset {name}( .*)?", command.epilog or "")
    assert match, command.epilog
    command.make_context(name, shlex.split(match[1] or ""))


def test_help_shows_the_example() -> None:
    shown = call("import", "-h")
    assert shown.exit_code == 0
    assert " import [OPTIONS] [STUDY] {FILE}" in shown.output
    assert "Example: nextset import my-study pairs.csv" in shown.output


def test_shells_complete_commands() -> None:
    asked = {"_NEXTSET_COMPLETE": "complete_bash", "COMP_WORDS": "nextset pre", "COMP_CWORD": "1"}
    done = CliRunner().invoke(app, [], env=asked, prog_name="nextset")
    assert done.output.split() == ["preview"]
