"""The second try of the comprehension items on a real Label Studio."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from nextset.cli.validate_text import opened_text, pulled_text, session_text
from nextset.study.study_folder import Study
from nextset.validation.annotator_pages.gate_page import gate_task
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.event_log import PLAN_NAME, EventLog
from nextset.validation.plan.state import Participant
from nextset.validation.session.join_and_leave import join_session
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import Pulled, pull_session
from nextset.validation.session.session_status import PersonStatus, session_status
from tests.validation.session.sample_annotators import answer_gate, right_answers
from tests.validation.session.sample_study import SESSION, made_study
from tests.validation.studio import Annotator, Studio, choice


@dataclass
class AtTheGate:
    """A session of one person, whose gate is open."""

    study: Study
    studio: Studio
    client: LabelStudio
    ana: Annotator
    person: str

    @property
    def part(self) -> Participant:
        session = list(EventLog(self.study.judgments).state.sessions.values())[-1]
        return session.people[self.person]

    def answer(self, role: str, consent: str = "agree", **wrong: str) -> int:
        """Answer a page right, but for ``wrong``; the annotation's number."""
        told = session_materials(self.study).briefing
        items = told.comprehension if role == "gate" else told.again
        chosen = {**right_answers(items), **wrong, "consent": consent}
        return answer_gate(self.studio, self.ana, self.part.projects[role], chosen)  # type: ignore[index]

    def pull(self) -> Pulled:
        return pull_session(self.study, self.client)

    def status(self) -> PersonStatus:
        found = session_status(self.study, self.client)
        assert found is not None
        return found.people[0]

    def task(self, role: str) -> Mapping[str, str]:
        """What the page shows."""
        (number,) = self.studio.task_numbers(int(self.part.projects[role])).values()  # type: ignore[index]
        shown: Mapping[str, str] = self.client.get(f"/api/tasks/{number}/")["data"]
        return shown


WRONG = {"check_2": "incoherent", "stance_3": "pro"}
"""Two mistakes at the gate, where one is allowed: a verdict and a stance."""
AGAIN = {"check_1": "valid", "check_2": "invalid"}
"""Two at the second try."""


@pytest.fixture(scope="module")
def ana(studio: Studio) -> Annotator:
    return studio.annotator("ana@second.example")


@pytest.fixture
def gate(tmp_path: Path, studio: Studio, ana: Annotator, monkeypatch: pytest.MonkeyPatch) -> AtTheGate:
    monkeypatch.setenv(KEY_VARIABLE, "a key that only these tests have")
    study, client = made_study(tmp_path / "study", 3, SESSION + "    overlap: 1\n"), studio.client()
    opened = open_session(study, client, [ana.email])
    return AtTheGate(study, studio, client, ana, opened.people[0].person)


def test_who_fails_once_reads_the_passage_again_and_passes(gate: AtTheGate) -> None:
    gate.answer("gate", **WRONG)
    pulled = gate.pull()
    assert f"{gate.person} agrees, but answered incorrectly: check_2, stance_3; there is one second try" in (
        pulled_text(pulled)
    )
    assert not pulled.advanced.pushed
    status = gate.status()
    assert (status.state, status.tries) == ("second try", 1)
    assert status.link == gate.client.link(int(gate.part.projects["retry"]))
    shown = gate.task("retry")
    assert shown == gate_task(session_materials(gate.study).briefing, ["check_2", "stance_3"])
    assert "The three verdicts" in shown["guidelines"]
    assert "Stance, for valid sentences" in shown["guidelines"]
    invited = open_session(gate.study, gate.client, [gate.ana.email])
    assert f"begins at the second try of the gate:\n    {status.link}" in opened_text(invited)

    gate.answer("retry", check_1="valid")
    pulled = gate.pull()
    assert pulled.gates == (
        f"{gate.person} passed the gate at the second try; answered incorrectly: check_1",
    )
    assert [b.on_server for b in pulled.advanced.pushed] == [len(gate.part.items)]
    status = gate.status()
    assert (status.state, status.tries) == ("working", 2)
    assert status.link == gate.client.link(int(gate.part.projects["work"]))
    found = session_status(gate.study)
    assert f"answered the comprehension items twice: {gate.person}" in session_text(found)
    assert gate.pull().gates == ()


def test_the_gate_has_no_button_that_skips_it_and_the_items_have(gate: AtTheGate) -> None:
    gate.answer("gate", **WRONG)
    gate.pull()
    gate.answer("retry")
    gate.pull()
    numbers = {role: int(number) for role, number in gate.part.projects.items()}
    buttons = {"gate": False, "retry": False, "work": True}
    assert {role: gate.client.projects()[n].can_skip for role, n in numbers.items()} == buttons
    gate.ana.change(f"/api/projects/{numbers['gate']}/", show_skip_button=True)
    gate.ana.change(f"/api/projects/{numbers['work']}/", show_skip_button=False)
    pulled = gate.pull()
    said = [line for line in (*pulled.gates, *pulled.warnings) if "changed the settings of project" in line]
    assert len(said) == 2
    assert all(line.endswith("; restored") for line in said)
    assert {role: gate.client.projects()[n].can_skip for role, n in numbers.items()} == buttons


def test_who_fails_twice_gets_no_third_try_by_editing_or_deleting(gate: AtTheGate) -> None:
    first = gate.answer("gate", **WRONG)
    gate.pull()
    second = gate.answer("retry", **AGAIN)
    pulled = gate.pull()
    assert pulled.gates == (
        f"{gate.person} answered incorrectly: check_1, check_2; this was the second and last try: "
        "no units are assigned",
    )
    assert any("the session has 0" in warning for warning in pulled.warnings)
    assert (gate.status().state, gate.status().tries) == ("misunderstood", 2)
    found = session_status(gate.study)
    assert found is not None
    assert found.nobody_left == found.units == 3
    joined = join_session(gate.study, gate.client, gate.ana.email)
    said = opened_text(joined)
    assert f"{gate.ana.email} ({gate.person}) failed both tries of the gate and gets no units" in said
    assert "begins at" not in said

    told = session_materials(gate.study).briefing
    answers = {**right_answers(told.again), "consent": "agree"}
    gate.ana.edit(second, *[choice(value, name, "guidelines") for name, value in answers.items()])
    pulled = gate.pull()
    assert pulled.gates == (
        f"{gate.person} changed an answer at the gate; for the comprehension items the first answers count",
    )
    for role, number in (("gate", first), ("retry", second)):
        gate.ana.delete(number)
        gate.answer(role)
        pulled = gate.pull()
        assert "for the comprehension items the first answers count" in pulled.gates[0]
        assert not pulled.advanced.pushed
    assert (gate.status().state, gate.status().tries) == ("misunderstood", 2)
    assert gate.part.projects.keys() == {"gate", "retry"}


def test_what_somebody_changes_on_the_second_page_is_restored(gate: AtTheGate) -> None:
    gate.answer("gate", stance_1="anti", stance_3="pro")
    gate.pull()
    sent = gate.task("retry")
    assert "The three verdicts" not in sent["guidelines"]
    (number,) = gate.studio.task_numbers(int(gate.part.projects["retry"])).values()
    gate.ana.change(f"/api/tasks/{number}/", data={**sent, "guidelines": "Call everything valid."})
    gate.answer("retry")
    pulled = gate.pull()
    assert any("had changed the gate" in line for line in pulled.gates)
    assert any("('guidelines')" in line for line in pulled.gates)
    assert gate.task("retry") == sent
    assert gate.status().state == "second try"
    gate.answer("retry")
    assert "passed the gate at the second try" in gate.pull().gates[0]


@pytest.mark.parametrize("role", ["gate", "retry"])
def test_consent_is_taken_back_on_either_page(gate: AtTheGate, role: str) -> None:
    numbers = {"gate": gate.answer("gate", **WRONG)}
    gate.pull()
    numbers["retry"] = gate.answer("retry")
    gate.pull()
    assert gate.part.active
    gate.ana.edit(numbers[role], choice("disagree", "consent", "guidelines"))
    assert "does not agree" in gate.pull().gates[0]
    assert gate.part.withdrew
    assert gate.status().state == "withdrew"


def test_a_plan_of_before_there_was_a_second_try_is_read(gate: AtTheGate) -> None:
    gate.answer("gate", **WRONG)
    gate.pull()
    path = gate.study.judgments / PLAN_NAME
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    before = [line for line in lines if line.get("role") != "retry"]
    for line in before:
        if line["event"] == "gate_answered":
            assert line.pop("role") == "gate"
    path.write_text("".join(json.dumps(line) + "\n" for line in before), encoding="utf-8")
    assert gate.part.may_retry
    pulled = gate.pull()
    assert pulled.gates == ()
    assert gate.status().state == "second try"
    gate.answer("retry")
    assert "at the second try" in gate.pull().gates[0]
