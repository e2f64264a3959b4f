"""The commands of a session, as they are typed, on a real Label Studio."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from nextset.artifacts.progress_callback import SILENT
from nextset.cli.app import app
from nextset.errors import JudgmentError
from nextset.validation.judgments.judgment_log import append
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from nextset.validation.label_studio.address_and_token import TOKEN_VARIABLE, URL_VARIABLE
from nextset.validation.plan.event_log import PLAN_NAME, EventLog, append_events
from nextset.validation.session.open import begin, session_materials
from nextset.validation.session.organiser_warnings import log_warnings
from tests.validation.judgments.entries import ENTRY
from tests.validation.plan.sample_plans import opened
from tests.validation.session.sample_annotators import answer_all, pass_gate
from tests.validation.session.sample_study import SESSION, made_study
from tests.validation.studio import Studio

Call = Callable[..., Result]


@pytest.fixture
def call(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv(URL_VARIABLE, studio.url)
    monkeypatch.setenv(TOKEN_VARIABLE, studio.connection.token)
    monkeypatch.setenv(KEY_VARIABLE, "a key for the tests, long enough")
    return lambda *arguments: CliRunner().invoke(app, ["validate", *map(str, arguments)])


def said(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_session_as_it_is_typed(tmp_path: Path, studio: Studio, call: Call) -> None:
    study = made_study(tmp_path / "s", 3, SESSION + "    overlap: 1\n")
    nothing = call("pull", study.folder)
    assert nothing.exit_code == 3
    assert "no session is open" in nothing.output
    assert f"nextset validate open {study.folder}" in nothing.output
    assert "no session yet" in call("status", study.folder).stdout

    ann, bob = studio.annotator("ann-cli@example.org"), studio.annotator("bob-cli@example.org")
    opened = call("open", study.folder, "--annotator", ann.email)
    assert opened.exit_code == 0, opened.output
    assert "session 1 (main) opened: 3 units, 1 person" in opened.stdout
    assert "each unit needs" not in opened.stdout
    assert "/user/login/?next=" in opened.stdout
    again = said(call("open", study.folder, "--json"))
    assert (again["new"], [p["email"] for p in again["people"]]) == (False, [ann.email])
    assert said(call("join", study.folder, bob.email, "--json"))["people"][0]["at"] == "gate"

    right = session_materials(study).briefing.comprehension
    session = EventLog(study.judgments).state.current
    assert session is not None
    first, second = session.people.values()
    pass_gate(studio, ann, first.projects["gate"], right)
    pulled = call("pull", study.folder)
    assert "passed the gate" in pulled.stdout
    assert "tasks on the server 3 of 3 planned" in pulled.stdout
    answer_all(studio, ann, said(call("status", study.folder, "--json"))["people"][0]["link"].split("%2F")[2])
    status = call("status", study.folder)
    assert "3 answers on the server are not in the log yet" in status.stdout
    assert "3 new, 0 known; answers on the server 3, in the log 3" in call("pull", study.folder).stdout

    assert f"{second.person} stopped" in call("leave", study.folder, bob.email).stdout
    closed = call("close", study.folder)
    assert "both logs were copied to" in closed.stdout
    assert "closed: 3 units, 3 with enough" in call("status", study.folder).stdout
    nobody = call("adjudicate", study.folder, "--annotator", bob.email)
    assert nobody.exit_code == 3
    assert "nothing to adjudicate" in nobody.output
    report = call("report", study.folder)
    assert report.exit_code == 0, report.output
    assert (study.out / "validate_report" / "index.html").exists()
    few = call("predict", study.folder)
    assert few.exit_code == 8, few.output


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("csv", "Then: nextset validate import"),
        ("potato", "out/tasks/potato/potato.yaml'\n"),  # a path that a shell reads as one
        ("label-studio", "Import the tasks into a Label Studio project"),
    ],
)
def test_each_kind_of_export_says_what_to_do_with_it(tmp_path: Path, kind: str, says: str) -> None:
    study = made_study(tmp_path / "my study")
    done = CliRunner().invoke(app, ["validate", "export", str(study.folder), "--for", kind])
    assert done.exit_code == 0, done.output
    assert says in done.stdout


def test_an_export_says_what_an_import_will_need(tmp_path: Path) -> None:
    study = made_study(tmp_path / "s")
    assert CliRunner().invoke(app, ["validate", "export", str(study.folder)]).stderr == ""
    file = study.folder / "study.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: text.index("validate:")] + "validate: {judge: rule}\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["validate", "export", str(study.folder)])
    assert done.exit_code == 0
    assert "before an import, set validate: {judge: people}" in done.stderr


@pytest.mark.parametrize("command", [["pull"], ["close"], ["join", "cleo@example.org"]])
def test_no_open_session_is_said_before_a_missing_server(tmp_path: Path, command: list[str]) -> None:
    study = made_study(tmp_path / "s")
    done = CliRunner().invoke(app, ["validate", command[0], str(study.folder), *command[1:]])
    assert (done.exit_code, "no session is open" in done.stderr) == (3, True), done.output


def test_errors_of_the_log_are_said_before_a_missing_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a key for the tests, long enough")
    study = made_study(tmp_path / "s")
    nothing = CliRunner().invoke(app, ["validate", "adjudicate", str(study.folder)])
    assert (nothing.exit_code, "there is nothing to adjudicate" in nothing.stderr) == (3, True)
    append_events(study.judgments, [opened(["u"], kind="pilot")])
    for command in (["open"], ["adjudicate"]):
        other = CliRunner().invoke(app, ["validate", *command, str(study.folder)])
        assert (other.exit_code, "session 1 (pilot) is open" in other.stderr) == (3, True), other.output


@pytest.mark.parametrize("plan", [None, b"", b'{"event": "sess'])
def test_a_plan_that_lost_its_session_is_named_and_no_second_session_begins(
    tmp_path: Path, plan: bytes | None
) -> None:
    study = made_study(tmp_path / "s")
    append(study.judgments, [ENTRY])
    if plan is not None:
        (study.judgments / PLAN_NAME).write_bytes(plan)
    lost = f"{study.judgments / PLAN_NAME}: it lacks session 1, of which log.jsonl has answers"
    for command in ("pull", "close"):
        done = CliRunner().invoke(app, ["validate", command, str(study.folder)])
        assert (done.exit_code, lost in done.stderr, "backup" in done.stderr) == (3, True, True), done.output
    assert [lost in warning for warning in log_warnings(study.judgments)] == [True]
    with pytest.raises(JudgmentError, match="it lacks session 1"):
        begin(session_materials(study), None, [], "main", ["u1"], votes=False, progress=SILENT)  # type: ignore[arg-type]


def test_an_account_that_cannot_be_made_starts_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    done = CliRunner().invoke(app, ["validate", "serve", "--annotator", "ann"])
    assert done.exit_code == 10
    assert done.stdout == ""
    assert "write it as NAME@HOST" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_server_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    study = made_study(tmp_path / "s")
    folder = str(study.folder)
    opening = CliRunner().invoke(app, ["validate", "open", folder])
    assert opening.exit_code == 10
    assert "nextset validate serve" in opening.output
    status = CliRunner().invoke(app, ["validate", "status", folder])
    assert (status.exit_code, status.stderr) == (0, ""), "without a session no server is asked"
    assert "no session yet" in status.stdout
    append_events(study.judgments, [opened(["u1"])])
    status = CliRunner().invoke(app, ["validate", "status", folder])
    assert status.exit_code == 0
    assert "using only the logs" in status.stderr
    assert "session 1 (main), open" in status.stdout


def test_accounts_are_made_while_the_server_runs(
    tmp_path: Path, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "nextset"
    home.mkdir()
    (home / "label-studio").symlink_to(studio.data)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    email = "late-cli@example.org"
    twice = ["--annotator", email, "--annotator", f"{email.upper()} "]
    first = CliRunner().invoke(app, ["validate", "serve", *twice])
    assert first.exit_code == 0, first.output
    assert "Label Studio is already running at" in first.stdout
    assert first.stdout.count("shown this once") == 1
    assert "has an account" not in first.stdout
    renewed = ["--new-password", email, "--new-password", email.title()]
    again = CliRunner().invoke(app, ["validate", "serve", "--annotator", email, *renewed])
    assert "has an account and a password" in again.stdout
    assert again.stdout.count(f"{email}: new password ") == 1
