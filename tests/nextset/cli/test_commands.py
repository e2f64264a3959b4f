"""The command line: help, errors in two lines, exit codes, JSON."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import nextset

Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def call(programs: Path) -> Call:
    """The command line, as a function of its arguments and its folder."""

    def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(programs / "nextset"), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)

    return run


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return nextset.new_study(tmp_path / "my-study").file.parent


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "sys.argv = ['nextset', '--help']\n"
        "from nextset.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'transformers', 'pandas', 'pyarrow', 'numpy', 'pydantic', 'yaml'}\n"
        "sys.stderr.write(str(sorted(heavy & set(sys.modules))))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]"
    for command in (
        "new",
        "run",
        "import",
        "status",
        "preview",
        "lint",
        "generate",
        "validate",
        "release",
        "cache",
    ):
        assert command in done.stdout


@pytest.mark.slow
def test_a_new_study_has_no_findings_and_says_what_it_will_make(call: Call, study: Path) -> None:
    assert json.loads(call("lint", study, "--json").stdout)["findings"] == []
    reckoned = json.loads(call("preview", study, "--json").stdout)
    # 1 premise × 1 hypothesis × 2 places × 2 orders; 3 masked × 2 orders; 2 tests × 2 orders; 10 words a mask
    assert reckoned["items"] == {"hypothesis": 4, "masked": 6, "test": 4, "imported": 0}
    assert reckoned["filled"] == 60
    shown = call("preview", study)
    assert "Content warning" in shown.stdout
    assert shown.stdout.index("Content warning") < shown.stdout.index("premise")


def test_lint_names_file_line_and_rule_and_exits_with_3(call: Call, study: Path) -> None:
    template = next((study / "templates").iterdir())
    text = template.read_text()
    template.write_text(text.replace("to help a patient.", "to to help a patient.", 1))
    line = next(i for i, row in enumerate(text.splitlines(), 1) if "to help a patient." in row)
    done = call("lint", study)
    assert done.returncode == 3
    assert f"{template.name}:{line}: doubled-word: 'to to'" in done.stdout
    assert done.stdout.splitlines()[-1] == "files: 2, findings: 1"


def test_lint_names_files_as_they_were_given(call: Call, study: Path) -> None:
    template = next((study / "templates").glob("*.yaml"))
    template.write_text(template.read_text().replace("words:\n", "words:\n  UNUSED: [a]\n", 1))
    asked = call("lint", study.name, cwd=study.parent)
    line = template.read_text().split("  UNUSED")[0].count("\n") + 1
    assert f"{study.name}/templates/{template.name}:{line}: unused-words" in asked.stdout.splitlines()[-2]


def test_lint_of_a_folder_reads_only_templates(call: Call, study: Path) -> None:
    (study / "out" / "generate").mkdir(parents=True)
    (study / "out" / "generate" / "manifest.json").write_text('{"format": 2}')
    above = call("lint", study.parent)
    assert (above.returncode, above.stderr.splitlines()[-1]) == (3, f"  try: name one of {study}")
    for folder in (study / "out", study / "out" / "generate"):
        within = call("lint", folder)
        assert "this folder has no study.yaml or templates, only results of nextset" in within.stderr
        assert within.stderr.splitlines()[-1] == f"  try: name the study: {study}"
    templates = study / "templates"
    (templates / "manifest.json").write_text('{"format": 2}')
    assert call("lint", templates).stdout.splitlines()[-1] == "files: 1, findings: 0"
    (templates / "half.json").write_text('{"premise": [')
    assert "half.json:1: " in call("lint", templates).stderr


@pytest.mark.parametrize("folder", ["study.yaml", "study.yaml/deeper"])
def test_new_names_the_file_that_is_in_its_way(call: Call, study: Path, folder: str) -> None:
    done = call("new", study / folder)
    assert done.returncode == 3
    assert f"{study / 'study.yaml'}: this is a file, not a folder" in done.stderr


def test_new_prints_a_command_that_a_shell_reads(call: Call, tmp_path: Path) -> None:
    assert call("new", "my study", cwd=tmp_path).stdout.endswith("now try: nextset run 'my study'\n")


def test_a_script_for_a_shell_completes_the_command(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    # there may be no shell above a test
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    script = call("--show-completion", "bash").stdout
    assert "complete -o default -F _nextset_completion nextset" in script
    assert "python" not in script


def test_the_help_of_open_says_that_a_session_has_one_link(call: Call) -> None:
    shown = " ".join(call("validate", "open", "--help").stdout.split())
    assert "print the session's link." in shown


def test_a_closed_pipe_ends_a_help_text_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "nextset", "lint", "-h"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_new_does_not_touch_what_is_there(call: Call, study: Path) -> None:
    done = call("new", study)
    assert done.returncode == 3
    assert "not empty" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["status", "nowhere"], 3, "no such study"),
        (["run"], 3, "no such study"),
        (["nothing"], 2, "nothing"),
        (["fill", "my-study"], 4, "generate has not run"),
        (["filter", "my-study"], 4, "has not run"),
        (["report", "my-study"], 4, "has not run"),
        (["lint", "nowhere"], 3, "this folder has no study.yaml or templates"),
        (["import", "my-study", "nowhere.csv"], 3, "no such file"),
        (["import", "my-study", "nowhere.csv", "--column", "x"], 2, "NAME=VALUE"),
    ],
)
def test_an_error_is_a_line_and_a_remedy(
    call: Call, study: Path, arguments: list[str], code: int, says: str
) -> None:
    done = call(*arguments, cwd=study.parent)
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    if code > 2:
        first, second = done.stderr.splitlines()
        assert first.startswith("error: ")
        assert second.startswith("  try: ")


def test_a_file_that_the_system_refuses_is_an_error_in_words(call: Call, study: Path) -> None:
    (study / "out").write_text("a file where a folder belongs")
    done = call("generate", study)
    assert done.returncode == 9
    assert "out" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_ends_it_quietly(programs: Path, study: Path) -> None:
    command = f"{programs}/nextset preview {shlex.quote(str(study))} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_an_overlay_alone_is_refused_by_lint(call: Call, root: Path) -> None:
    done = call("lint", root / "studies" / "published_bbnli" / "overlays")
    assert done.returncode == 3
    assert "lint the study that names it" in done.stderr


def test_debug_shows_where_an_error_was_raised(call: Call, tmp_path: Path) -> None:
    assert "Traceback" in call("status", tmp_path / "nowhere", "--debug").stderr


def test_status_of_a_new_study_is_missing_everywhere(call: Call, study: Path) -> None:
    stages = json.loads(call("status", study, "--json").stdout)
    assert [s["stage"] for s in stages] == [
        "generate",
        "fill",
        "score",
        "filter",
        "filter_report",
        "validate",
        "release",
        "release_report",
        "audit",
        "dataset_version",
        "report",
    ]
    assert {s["state"] for s in stages} == {"missing"}


@pytest.mark.slow
def test_generate_counts_what_it_made(call: Call, study: Path) -> None:
    done = json.loads(call("generate", study, "--json").stdout)
    assert done["built"] == "made"
    assert done["rows"]["items"] == 8
    assert done["counts"]["audit rows"] == 4
    assert json.loads(call("generate", study, "--json").stdout)["built"] == "reused"
    assert json.loads(call("status", study, "--json").stdout)[0]["state"] == "done"
    template = next((study / "templates").iterdir())
    template.write_text(template.read_text().replace("hospitals", "clinics"))
    assert json.loads(call("status", study, "--json").stdout)[0]["state"] == "stale"


@pytest.mark.slow
def test_what_a_study_lacks_for_a_session_is_said_before_a_server_is_asked_for(
    call: Call, study: Path
) -> None:
    by_rule = call("validate", "open", study)
    assert by_rule.returncode == 3
    assert (
        "a rule judges this study (validate.judge is rule): annotators' judgments would not count"
        in by_rule.stderr
    )
    refused = call("validate", "import", study, "export.json")
    assert "a rule judges this study" in refused.stderr
    file = study / "study.yaml"
    file.write_text(file.read_text().replace("judge: rule", "judge: people"))
    bare = call("validate", "open", study)
    assert "'validate.session' is missing" in bare.stderr
    assert "docs/how_to/sessions.md" in bare.stderr
