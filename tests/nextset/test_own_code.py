"""FILE.py:NAME beside a study: trust, identity, and the errors of files that cannot be executed."""

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import nextset
from nextset.cli.app import app
from nextset.own_code import is_own_code, own_snapshots, raised, shown
from nextset.study.study_folder import of_study

STUDY = 'format: 1\nname: x\ntemplates: ["builtin:gender"]\n'
RULE = "def sure(answers):\n    return answers > 0.9\n"


def full_text(error: BaseException) -> str:
    assert isinstance(error, nextset.NextsetError)
    return f"{error}\n{error.remedy}"


def study_with(folder: Path, source: str | None = RULE, trust_code: bool = True) -> nextset.Study:
    (folder / "study.yaml").write_text(STUDY)
    if source is not None:
        (folder / "rules.py").write_text(source)
    return nextset.Study.load(folder, trust_code)


def test_code_runs_only_if_it_is_trusted(tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    source = f"from pathlib import Path\nPath({str(marker)!r}).touch()\n{RULE}"
    study = study_with(tmp_path, source, trust_code=False)
    with pytest.raises(nextset.StudyError) as e:
        study.own_code("rules.py:sure")
    assert f"the function sure of the file {tmp_path / 'rules.py'}" in full_text(e.value)
    assert "study.yaml" in full_text(e.value)
    assert "--trust-code" in full_text(e.value)
    assert "trust_code=True" in full_text(e.value)
    assert not marker.exists()
    trusted = nextset.Study.load(tmp_path, trust_code=True)
    assert trusted.own_code("rules.py:sure").function(0.95)
    assert marker.exists()


def test_trust_is_not_part_of_what_a_study_is(tmp_path: Path) -> None:
    trusted, other = study_with(tmp_path), nextset.Study.load(tmp_path)
    assert trusted == other
    assert repr(trusted) == repr(other)
    assert (trusted.trust_code, other.trust_code) == (True, False)


def test_own_code_has_the_digest_of_its_file(tmp_path: Path) -> None:
    own = study_with(tmp_path).own_code("rules.py:sure")
    digest = hashlib.sha256(RULE.encode()).hexdigest()
    assert (own.file, own.name, own.source) == (tmp_path / "rules.py", "sure", RULE.encode())
    assert own.identity == {"own": "rules.py:sure", "sha256": digest}
    error = own.wrong("returned 3 values for 4 items", "one value per item")
    assert full_text(error).startswith(f"{tmp_path / 'rules.py'}: sure: returned 3 values for 4 items")
    assert "return one value per item" in full_text(error)


def test_changed_content_is_executed_anew(tmp_path: Path) -> None:
    study = study_with(tmp_path, "def value():\n    return 1\n")
    first = study.own_code("rules.py:value")
    assert study.own_code("rules.py:value").function is first.function
    (tmp_path / "rules.py").write_text("def value():\n    return 2\n")
    second = study.own_code("rules.py:value")
    assert (first.function(), second.function()) == (1, 2)
    assert first.digest != second.digest


def test_classes_of_own_code_can_be_pickled(tmp_path: Path) -> None:
    source = "from dataclasses import dataclass\n\n@dataclass\nclass Point:\n    x: int = 3\n"
    point = study_with(tmp_path, source).own_code("rules.py:Point").function()
    assert pickle.loads(pickle.dumps(point)) == point  # noqa: S301 – written by this test


@pytest.mark.parametrize(
    ("source", "written", "error", "parts"),
    [
        (
            RULE,
            "rules.py",
            nextset.StudyError,
            ["'rules.py' is not a function in a file", "rules.py:my_rule"],
        ),
        (None, "rules.py:sure", nextset.StudyError, ["rules.py cannot be read: No such file", "relative to"]),
        (RULE, "rules.py:unsure", nextset.StudyError, ["defines no unsure", "it defines: sure"]),
        ("_hidden = 1\n", "rules.py:sure", nextset.StudyError, ["defines no sure", "it defines: none"]),
        (
            "x = 1\n\nraise KeyError('groups')\n",
            "rules.py:sure",
            nextset.InputError,
            ["rules.py:3: the file cannot be executed: KeyError: 'groups'"],
        ),
        (
            "x = 1\ndef inner():\n    return 1 / 0\ninner()\n",
            "rules.py:sure",
            nextset.InputError,
            ["rules.py:3: the file cannot be executed: ZeroDivisionError"],
        ),
        (
            "x = 1\ndef sure(:\n",
            "rules.py:sure",
            nextset.InputError,
            ["rules.py:2: the file cannot be executed: SyntaxError"],
        ),
    ],
)
def test_errors_name_file_line_and_remedy(
    tmp_path: Path, source: str | None, written: str, error: type[nextset.NextsetError], parts: list[str]
) -> None:
    with pytest.raises(error) as e:
        study_with(tmp_path, source).own_code(written)
    for part in parts:
        assert part in full_text(e.value)


def test_a_file_that_raises_is_executed_again_once_it_is_corrected(tmp_path: Path) -> None:
    study = study_with(tmp_path, "raise ValueError")
    with pytest.raises(nextset.InputError):
        study.own_code("rules.py:sure")
    (tmp_path / "rules.py").write_text(RULE)
    assert study.own_code("rules.py:sure").function(1)


@pytest.mark.parametrize("other", ["groesse.py", "Größe.py", unicodedata.normalize("NFD", "größe.py")])
def test_snapshots_of_own_code_differ_on_every_file_system(other: str) -> None:
    files = {"rules/größe.py": b"a = 1\n", f"scorers/{other}": b"a = 2\n"}
    names = [unicodedata.normalize("NFD", name).casefold() for name in own_snapshots(files)]
    assert len(set(names)) == 2


def test_the_form_of_own_code() -> None:
    assert is_own_code("rules.py:sure")
    assert is_own_code("sub/my rules.py:größer")
    for other in (
        "majority_wrong",
        "builtin:nli-electra",
        "rules.py",
        "rules.py:",
        "rules.py:2x",
        "a:b.py:c",
    ):
        assert not is_own_code(other), other


@of_study
def trust_of(study: nextset.Study, extra: int = 0) -> tuple[bool, int]:
    return study.trust_code, extra


def test_functions_of_a_study_take_the_trust(tmp_path: Path) -> None:
    study = study_with(tmp_path, trust_code=False)
    assert trust_of(tmp_path) == (False, 0)
    assert trust_of(str(tmp_path), 2, trust_code=True) == (True, 2)
    assert trust_of(study, extra=1, trust_code=True) == (True, 1)
    assert not study.trust_code
    assert trust_of(nextset.Study.load(tmp_path, True)) == (True, 0)
    signature = str(inspect.signature(trust_of)).replace("'", "")
    assert signature == (
        "(study: Study | Path | str, extra: int = 0, *, trust_code: bool = False) -> tuple[bool, int]"
    )


def test_every_command_of_a_study_takes_the_trust() -> None:
    import typer.main

    missing = []
    commands: list[tuple[tuple[str, ...], Any]] = [(("nextset",), typer.main.get_command(app))]
    while commands:
        path, command = commands.pop()
        commands += [((*path, name), sub) for name, sub in getattr(command, "commands", {}).items()]
        arguments = {p.metavar for p in command.params if p.param_type_name == "argument"}
        options = {option for p in command.params for option in p.opts}
        if arguments & {"STUDY", "PATH", "STUDY-OR-VERSION"} and "--trust-code" not in options:
            missing.append(" ".join(path))
    assert not missing
    shown = CliRunner().invoke(app, ["run", "--help"], terminal_width=200).output
    assert "rules.py:my_rule" in shown


def test_modules_of_own_code_do_not_hide_others(tmp_path: Path) -> None:
    study_with(tmp_path).own_code("rules.py:sure")
    assert "rules" not in sys.modules


@pytest.mark.parametrize(
    "statement", ["import sys; sys.exit(0)", "raise GeneratorExit", "raise BaseException('a\\nb')"]
)
def test_a_file_that_ends_the_program_is_an_error(tmp_path: Path, statement: str) -> None:
    with pytest.raises(nextset.InputError, match=r"cannot be executed: [^\n]*\ntry: correct it"):
        study_with(tmp_path, statement).own_code("rules.py:sure")


def test_an_interruption_interrupts(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        study_with(tmp_path, "raise KeyboardInterrupt").own_code("rules.py:sure")


def test_what_a_file_prints_does_not_go_to_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study_with(tmp_path, f"print('noise')\n{RULE}").own_code("rules.py:sure")
    sys.stdout.write("result\n")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("result\n", "noise\n")


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    study = study_with(tmp_path, None)
    os.mkfifo(tmp_path / "rules.py")
    with pytest.raises(nextset.StudyError, match="cannot be read: it is not a file"):
        study.own_code("rules.py:sure")


def test_an_absolute_path_does_not_go_into_results(tmp_path: Path) -> None:
    with pytest.raises(nextset.StudyError, match="absolute path"):
        study_with(tmp_path).own_code(f"{tmp_path}/rules.py:sure")


def test_files_of_one_name_are_different_snapshots_without_folders() -> None:
    snapshots = own_snapshots(
        {"/srv/ada/own.py": b"1", "b/Own.py": b"2", "c/rules.py": b"3", "rules.py": b"3"}
    )
    assert sorted(snapshots.values()) == [b"1", b"2", b"3"]
    assert snapshots["own/rules.py"] == b"3"
    assert all("ada" not in name for name in snapshots)


def test_exceptions_and_values_are_shown_in_one_line() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise ValueError

        __repr__ = __str__

    assert raised(Odd()) == "Odd: a Odd"
    assert raised(ValueError("a\n b")) == "ValueError: a b"
    assert shown(Odd()) == "a Odd"
