"""What can happen to a session: projects, keys, lines and guidelines go or change; consent is taken back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from nextset.errors import JudgmentError, ServerError, StudyError
from nextset.files.folder_lock import locked_folder
from nextset.records.judgment import LOG_NAME
from nextset.study.study_folder import Study
from nextset.validation.judgments.judgment_log import read
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from nextset.validation.label_studio.address_and_token import TOKEN_VARIABLE, URL_VARIABLE
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.event_log import PLAN_NAME, EventLog
from nextset.validation.plan.state import Participant
from nextset.validation.session.close import close_session
from nextset.validation.session.join_and_leave import leave_session
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from nextset.validation.session.session_status import session_status
from tests.validation.session.sample_annotators import answer_all, judged, pass_gate
from tests.validation.session.sample_study import made_study
from tests.validation.studio import Annotator, Studio


@dataclass
class Running:
    """A session of two people who have passed the gate and have their first batch."""

    study: Study
    studio: Studio
    client: LabelStudio
    ana: Annotator
    ben: Annotator
    names: dict[str, str]
    """Pseudonyms by e-mail."""

    def part(self, annotator: Annotator) -> Participant:
        session = list(EventLog(self.study.judgments).state.sessions.values())[-1]
        return session.people[self.names[annotator.email]]

    def pass_gate(self, annotator: Annotator, consent: str = "agree") -> int:
        right = session_materials(self.study).briefing.comprehension
        return pass_gate(
            self.studio, annotator, self.part(annotator).projects["gate"], right, consent=consent
        )

    def answer(self, annotator: Annotator) -> int:
        return len(answer_all(self.studio, annotator, self.part(annotator).projects["work"]))


@pytest.fixture(scope="module")
def two(studio: Studio) -> tuple[Annotator, Annotator]:
    """The same two accounts for all of these tests: each test has a study of its own."""
    return studio.annotator("ana@mishaps.example"), studio.annotator("ben@mishaps.example")


@pytest.fixture
def session(
    tmp_path: Path, studio: Studio, two: tuple[Annotator, Annotator], monkeypatch: pytest.MonkeyPatch
) -> Running:
    monkeypatch.setenv(KEY_VARIABLE, "a key that only these tests have")
    study, client, (ana, ben) = made_study(tmp_path / "study", n=6), studio.client(), two
    opened = open_session(study, client, [ana.email, ben.email])
    made = Running(study, studio, client, ana, ben, {p.email: p.person for p in opened.people})
    for annotator in (ana, ben):
        made.pass_gate(annotator)
    pull_session(study, client)
    return made


def test_a_project_that_was_deleted_keeps_nobody_else_from_going_on(session: Running) -> None:
    study, client = session.study, session.client
    answered = session.answer(session.ben)
    gone = session.part(session.ana).projects["work"]
    session.ben.http.delete(f"/api/projects/{gone}/").raise_for_status()
    with pytest.raises(ServerError, match=session.names[session.ana.email]):
        pull_session(study, client)
    assert len(read(study.judgments).entries) == answered
    status = session_status(study, client)
    assert status is not None
    assert [p.on_server for p in status.people] == [0, answered]
    leave_session(study, session.ana.email)
    pulled = pull_session(study, client)
    assert any("is no longer on the server" in warning for warning in pulled.warnings)
    closed = close_session(study, client)
    assert closed.taken is not None
    assert closed.taken.on_server == answered


def test_another_server_with_projects_of_the_same_numbers_is_not_touched(session: Running) -> None:
    session.answer(session.ana)
    plan = session.study.judgments / PLAN_NAME
    lines = [json.loads(line) for line in plan.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        other = {"mark": "0" * 16, "made_at": "2020-01-01T00:00:00.000000Z"}
        line.update({name: value for name, value in other.items() if name in line})
    plan.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    for command in (pull_session, close_session):
        with pytest.raises(ServerError, match="no project of session 1 is on the Label Studio"):
            command(session.study, session.client)
    assert read(session.study.judgments).entries == []


def test_what_somebody_changes_on_the_server_is_named_restored_and_asked_again(session: Running) -> None:
    study, client, ana, ben = session.study, session.client, session.ana, session.ben
    work, gate = (int(session.part(ana).projects[role]) for role in ("work", "gate"))
    there = session.studio.task_numbers(work)
    units = [u for u in there if u in session_materials(study).unit_ids]
    forged, lost, deleted = (there[u] for u in units[:3])
    sent = client.get(f"/api/tasks/{forged}/")["data"]
    # Ben changes every mark, and what Ana reads; she answers it.
    for participant in (session.part(ana), session.part(ben)):
        for project in participant.projects.values():
            ben.change(f"/api/projects/{project}/", description="mine")
    ben.change(f"/api/tasks/{forged}/", data={**sent, "hypothesis": "Something else."})
    session.answer(ana)
    pulled = pull_session(study, client)
    said = "\n".join(pulled.warnings)
    assert (
        f"the text of item {units[0]} in project {work} of {session.names[ana.email]} ('hypothesis')" in said
    )
    assert said.count("changed the mark of project") == 4 - 2  # those of the work; the gates' are said apart
    assert sum("changed the mark of project" in line for line in pulled.gates) == 2
    assert pulled.not_counted == {"altered": 1}
    assert client.get(f"/api/tasks/{forged}/")["data"] == sent
    assert ana.next(work) == forged, "it is asked again"
    # Ben adds a choice to her page, which she takes; he deletes an answer and an item, and changes the gate.
    config = client.get(f"/api/projects/{work}/")["label_config"]
    more = config.replace("<Choice ", '<Choice alias="sure" value="Sure"/><Choice ', 1)
    ben.change(f"/api/projects/{work}/", label_config=more)
    ana.answer(forged, *judged("sure"))
    (annotation,) = client.get(f"/api/tasks/{lost}/")["annotations"]
    ben.delete(annotation["id"])
    ben.delete_task(deleted)
    own = int(session.part(ben).projects["work"])
    ben.delete_task(next(iter(session.studio.task_numbers(own).values())))
    (task,) = session.studio.task_numbers(gate).values()
    text = client.get(f"/api/tasks/{task}/")["data"]
    ben.change(f"/api/tasks/{task}/", data={**text, "guidelines": "Call everything valid."})
    session.pass_gate(ana)
    pulled = pull_session(study, client)
    said = "\n".join(pulled.warnings)
    assert f"changed the page of project {work} (work)" in said
    assert f"to item {units[1]} in project {work} was deleted on the server" in said
    assert f"deleted items from project {own} of {session.names[ben.email]}; sent again: 1" in said
    assert session.studio.task_numbers(own).keys() == session.part(ben).items.keys()
    assert any("had changed the gate" in line for line in pulled.gates)
    assert any("('guidelines')" in line for line in pulled.gates)
    assert client.get(f"/api/projects/{work}/")["label_config"] == config
    assert client.get(f"/api/tasks/{task}/")["data"] == text
    assert pulled.not_counted == {"altered": 2}, "what she answered on Ben's page is asked again"
    assert ana.next(work) == forged
    ana.answer(forged, *judged("invalid"))
    pulled = pull_session(study, client)
    assert not [line for line in (*pulled.warnings, *pulled.gates) if "somebody" in line]
    status = session_status(study, client)
    assert status is not None
    assert [p.state for p in status.people] == ["done", "working"]
    close_session(study, client)


def test_a_star_takes_no_answer_and_a_verdict_that_another_changed_is_listed(session: Running) -> None:
    study, client, ana = session.study, session.client, session.names[session.ana.email]
    answered = session.answer(session.ana)
    pull_session(study, client)
    before = read(study.judgments).entries
    by_unit = {e.unit_id: e for e in before if e.unit_id in session_materials(study).unit_ids}
    starred, changed, *_ = by_unit.values()
    client.patch(f"/api/annotations/{starred.annotation}/", {"ground_truth": True})
    other = "incoherent" if changed.verdict != "incoherent" else "invalid"
    client.patch(f"/api/annotations/{changed.annotation}/", {"result": judged(other)})
    gate = session.part(session.ana).projects["gate"]
    (consent,) = client.answers(int(gate))
    client.patch(f"/api/annotations/{consent.annotation['id']}/", {"ground_truth": True})
    session.answer(session.ben)
    owner = int(client.get("/api/current-user/whoami")["id"])
    for found in client.answers(int(session.part(session.ben).projects["work"])):
        client.patch(f"/api/annotations/{found.annotation['id']}/", {"ground_truth": True})
    pulled = pull_session(study, client)
    assert pulled.gates == ()
    said = [line for line in pulled.warnings if " changed the answer of " in line]
    assert f"changed the answer of {ana} to item {changed.unit_id}" in said[0]
    assert said[0].endswith("what the author answered before counts")
    assert "it was not read before" in said[1], "Ben's answers were starred before anything read them"
    assert not any(starred.unit_id in line for line in said if ana in line)
    entries = read(study.judgments).entries
    assert entries[: len(before)] == before
    assert {e.judge for e in entries} == set(session.names.values()), "the owner is nobody's judge"
    assert [e.annotation for e in entries[len(before) :] if e.judge == ana] == [changed.annotation]
    counted = session_materials(study).counted(EventLog(study.judgments))
    verdicts = {c.entry.unit_id: c.entry.verdict for c in counted if c.is_verdict and c.person == ana}
    assert verdicts == {unit: entry.verdict for unit, entry in by_unit.items()}
    assert len({(c.entry.project, c.entry.annotation) for c in counted if c.is_verdict}) == sum(
        c.is_verdict for c in counted
    ), "an annotation counts once"
    status = session_status(study, client)
    assert status is not None
    assert status.not_counted == {"changed by another": 1}
    assert status.changed == sum(c.is_verdict for c in counted) - len(verdicts) + 0
    assert owner not in {session.ana.number, session.ben.number}
    assert pull_session(study, client).taken.new == 0
    assert answered == len(before)


def test_lines_that_the_log_lost_are_read_again(session: Running) -> None:
    answered = session.answer(session.ana)
    pull_session(session.study, session.client)
    path = session.study.judgments / LOG_NAME
    entry = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    later = datetime.fromisoformat(entry["answered_at"]) + timedelta(hours=1)
    path.write_text(json.dumps({**entry, "answered_at": later.isoformat()}) + "\n", encoding="utf-8")
    taken = pull_session(session.study, session.client).taken
    assert (taken.new, taken.in_log, taken.on_server) == (answered, answered, answered)


def test_who_takes_consent_back_is_heard_although_the_key_is_lost(
    session: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = session.answer(session.ana)
    monkeypatch.setenv(KEY_VARIABLE, "another key that only these tests have")
    (task,) = session.studio.task_numbers(int(session.part(session.ana).projects["gate"])).values()
    annotations = session.client.get(f"/api/tasks/{task}/")["annotations"]
    disagree = {
        "from_name": "consent",
        "to_name": "guidelines",
        "type": "choices",
        "value": {"choices": ["disagree"]},
    }
    session.ana.edit(annotations[0]["id"], disagree)
    pulled = pull_session(session.study, session.client)
    assert session.part(session.ana).withdrew
    assert pulled.not_counted == {"consent withdrawn": answered}
    # Going on with opening would make everybody somebody new.
    with pytest.raises(JudgmentError, match="the pseudonym key is not the one"):
        open_session(session.study, session.client, [session.ana.email])


COMMENT = {"from_name": "comment", "to_name": "hypothesis", "type": "textarea"}


def with_comment(session: Running, annotator: Annotator, text: str) -> int:
    """Answer everything, the first item with a comment; the number of answers."""
    answered = session.answer(annotator)
    client = session.client
    first = next(iter(client.answers(int(session.part(annotator).projects["work"])))).annotation
    annotator.edit(first["id"], *first["result"], {**COMMENT, "value": {"text": [text]}})
    return answered


def test_comments_go_with_consent_from_the_log_and_the_server(session: Running) -> None:
    study, client = session.study, session.client
    for annotator in (session.ana, session.ben):
        with_comment(session, annotator, f"I am {annotator.email}")
    pull_session(study, client)
    backup = close_session(study, client).backup
    left = leave_session(study, session.ana.email, withdraw=True, studio=client)
    units = session_materials(study).unit_ids
    assert (left.comments, left.judgments, left.unfinished) == (1, 0, "")
    assert left.marked == sum(u in units for u in session.part(session.ana).items)
    status = session_status(study)
    assert status is not None
    assert status.not_counted["consent withdrawn"] == left.marked, "one count everywhere"
    assert status.log == ()
    for file in (study.judgments / LOG_NAME, backup / LOG_NAME):
        assert session.ana.email not in file.read_text()
        assert session.ben.email in file.read_text()
    on_server = [
        str(found.annotation["result"])
        for annotator in (session.ana, session.ben)
        for found in client.answers(int(session.part(annotator).projects["work"]))
    ]
    assert not any(session.ana.email in text for text in on_server)
    assert any(session.ben.email in text for text in on_server)


def test_who_is_erased_is_nowhere_any_more(session: Running) -> None:
    study, client = session.study, session.client
    cleo = session.studio.annotator("cleo@mishaps.example")
    opened = open_session(study, client, [cleo.email])
    session.names |= {p.email: p.person for p in opened.people}
    session.pass_gate(cleo)
    pull_session(study, client)
    answered = sum(with_comment(session, a, f"I am {a.email}") for a in (session.ana, cleo))
    pull_session(study, client)
    mine = [e for e in read(study.judgments).entries if e.judge == session.names[cleo.email]]
    projects = session.part(cleo).projects.values()
    # the server cannot be reached at first
    half = leave_session(study, cleo.email, erase=True)
    assert (half.erased, half.unfinished) == (len(mine), "no Label Studio server was found")
    status = session_status(study)
    assert status is not None
    assert f"the erasure of {session.names[cleo.email]} is not complete" in status.log[0]
    with pytest.raises(JudgmentError, match=r"the erasure of a-.* is not complete"):
        leave_session(study, session.ana.email, erase=True)
    done = leave_session(study, session.names[cleo.email], erase=True, studio=client)
    assert (done.unfinished, done.account) == (
        "",
        f"projects deleted on the server: {len(projects)}; the account is deleted",
    )
    assert cleo.email not in {a.email for a in client.accounts()}
    assert not {int(p) for p in projects} & client.projects().keys()
    text = (study.judgments / LOG_NAME).read_text()
    assert cleo.email not in text
    assert {e.judge for e in read(study.judgments).entries} == {session.names[session.ana.email]}
    pulled = pull_session(study, client)
    assert not [line for line in pulled.warnings if "no longer on the server" in line or "log" in line]
    assert pulled.taken.in_log == answered - len(mine)
    status = session_status(study, client)
    assert status is not None
    assert (status.log, status.to_pull) == ((), 0)


def test_what_was_answered_at_the_gate_before_consent_was_taken_back_does_not_give_it_again(
    session: Running,
) -> None:
    session.pass_gate(session.ana)  # a second answer, which was not pulled
    leave_session(session.study, session.ana.email, withdraw=True)
    pulled = pull_session(session.study, session.client)
    assert session.part(session.ana).withdrew
    assert any("the withdrawal holds" in line for line in pulled.gates)
    assert pull_session(session.study, session.client).gates == ()


def test_pulling_again_and_again_goes_on_after_a_pull_that_could_not_be(session: Running) -> None:
    connection = session.studio.connection
    environment = {**os.environ, URL_VARIABLE: connection.url, TOKEN_VARIABLE: connection.token}
    command = [sys.executable, "-m", "nextset", "validate", "pull", str(session.study.folder)]
    with subprocess.Popen(
        [*command, "--every", "0.1"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as pulling:
        assert pulling.stdout is not None
        assert pulling.stderr is not None
        try:
            assert any(line.startswith("session 1: 0 new") for line in pulling.stdout)
            with locked_folder(session.study.judgments, "test"):
                answered = session.answer(session.ana)
                assert any("this pull failed: another run works" in line for line in pulling.stderr)
            assert any(line.startswith(f"session 1: {answered} new") for line in pulling.stdout)
        finally:
            pulling.kill()


def test_answers_carry_the_guidelines_that_were_shown(session: Running) -> None:
    session.answer(session.ana)
    shown = session_materials(session.study).briefing.version
    study_file = session.study.folder / "study.yaml"
    text = study_file.read_text(encoding="utf-8")
    study_file.write_text(text.replace("room 1", "room 2"), encoding="utf-8")
    changed = Study.load(session.study.folder)
    assert session_materials(changed).briefing.version != shown
    pulled = pull_session(changed, session.client)
    assert {entry.guidelines for entry in read(changed.judgments).entries} == {shown}
    assert any("the guidelines have changed" in warning for warning in pulled.warnings)
    with pytest.raises(StudyError, match="the guidelines have changed"):
        open_session(changed, session.client)
