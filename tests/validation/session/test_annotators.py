"""People who decline, leave, come back, take consent back; a pilot; a key that is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from nextset.errors import JudgmentError, ServerError, StudyError, WaitingForPeople
from nextset.study.study_folder import Study
from nextset.validation.agreement.counted_answers import counted_entries
from nextset.validation.annotator_pages.page_form import KnownItem
from nextset.validation.judgments.judgment_log import read
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.state import Participant
from nextset.validation.report.payable_time import payable_time
from nextset.validation.session.adjudicate import adjudicate
from nextset.validation.session.close import close_session
from nextset.validation.session.join_and_leave import join_session, leave_session
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from nextset.validation.session.session_status import session_status
from nextset.validation.stage import apply_judgments
from tests.validation.session.sample_annotators import answer_all, judged, pass_gate
from tests.validation.session.sample_study import SESSION, kept, made_study
from tests.validation.studio import Annotator, Studio


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a key for the tests, long enough")


@pytest.fixture(scope="module")
def people(studio: Studio) -> list[Annotator]:
    """The same three accounts for all of these tests: each test has a study of its own."""
    return [studio.annotator(f"{name}@annotators.example") for name in ("ana", "ben", "cleo")]


def right(study: Study) -> Sequence[KnownItem]:
    return session_materials(study).briefing.comprehension


def parts(study: Study) -> list[Participant]:
    """The people of the last session, in the order of joining."""
    return list(list(EventLog(study.judgments).state.sessions.values())[-1].people.values())


def begun(study: Study, studio: Studio, people: list[Annotator], **gate: tuple[str, ...]) -> None:
    """Open a session, everybody through the gate; ``gate``: the domains that the first person declines."""
    open_session(study, studio.client(), [a.email for a in people])
    for i, (annotator, part) in enumerate(zip(people, parts(study), strict=True)):
        pass_gate(
            studio, annotator, part.projects["gate"], right(study), gate.get("declined", ()) if not i else ()
        )
    pull_session(study, studio.client())


def counted(study: Study) -> tuple[Counted, ...]:
    return counted_entries(
        study.judgments, EventLog(study.judgments).state, session_materials(study).unit_ids
    )


def verdicts(study: Study) -> Counter[str]:
    """Verdicts that count, by person."""
    return Counter(c.person for c in counted(study) if c.is_verdict)


def test_a_declined_domain_is_not_dealt_and_others_take_it(
    tmp_path: Path, studio: Studio, people: list[Annotator]
) -> None:
    study = made_study(tmp_path / "s", 9, SESSION + "    overlap: 2\n")
    begun(study, studio, people, declined=("gender",))
    gender = {u for u, facts in session_materials(study).facts.items() if facts.domain == "gender"}
    for annotator, part in zip(people, parts(study), strict=True):
        answer_all(studio, annotator, part.projects["work"])
    pull_session(study, studio.client())
    ana, ben, cleo = parts(study)
    assert ana.declined == ("gender",)
    assert not gender & set(ana.items)
    assert gender <= set(ben.items)
    assert gender <= set(cleo.items)


def test_what_is_left_to_others_goes_to_them(tmp_path: Path, studio: Studio, people: list[Annotator]) -> None:
    study = made_study(tmp_path / "s", 6, SESSION + "    overlap: 1\n")
    begun(study, studio, people)
    client = studio.client()
    done: dict[str, set[int]] = {a.email: set() for a in people}
    said: dict[str, dict[str, str]] = {a.email: {} for a in people}
    for i in range(4):
        for annotator, part in zip(people, parts(study), strict=True):
            # Ana skips what she sees first; nobody shall be asked what they skipped again.
            say = (lambda u: "skip") if annotator is people[0] and i == 0 else (lambda u: "invalid")
            answers = answer_all(studio, annotator, part.projects["work"], say, done[annotator.email])
            said[annotator.email].update(answers)
        pull_session(study, client)
    status = session_status(study, client)
    assert status is not None
    assert status.enough == 6
    assert status.not_counted.keys() == {"skipped"}
    skipped = {
        u for u, v in said[people[0].email].items() if v == "skip" and u in session_materials(study).unit_ids
    }
    ana = parts(study)[0].person
    assert all(c.person != ana for c in counted(study) if c.is_verdict and c.entry.unit_id in skipped)


def test_who_takes_consent_back_is_marked_and_planned_anew(
    tmp_path: Path, studio: Studio, people: list[Annotator]
) -> None:
    study = made_study(tmp_path / "s", 4, SESSION + "    overlap: 2\n")
    client = studio.client()
    open_session(study, client, [a.email for a in people[:2]])
    gates = [
        pass_gate(studio, a, p.projects["gate"], right(study))
        for a, p in zip(people, parts(study), strict=False)
    ]
    pull_session(study, client)
    for annotator, part in zip(people, parts(study), strict=False):
        answer_all(studio, annotator, part.projects["work"], lambda u: "invalid")
    pull_session(study, client)
    assert sorted(verdicts(study).values()) == [4, 4]
    before = read(study.judgments).entries
    consent = {"from_name": "consent", "to_name": "guidelines", "type": "choices"}
    people[0].edit(gates[0], {**consent, "value": {"choices": ["disagree"]}})
    pulled = pull_session(study, client)
    assert "does not agree" in pulled.gates[0]
    assert pulled.not_counted == {"consent withdrawn": 4}, "the judgments, without rest items"
    assert sorted(verdicts(study).values()) == [4]
    assert read(study.judgments).entries[: len(before)] == before
    # A third person comes, and gets what is open again.
    opened = join_session(study, client, people[2].email)
    assert [p.at for p in opened.people] == ["gate"]
    pass_gate(studio, people[2], parts(study)[2].projects["gate"], right(study))
    pull_session(study, client)
    assert {u for u in parts(study)[2].items if u in session_materials(study).unit_ids} == set(
        session_materials(study).unit_ids
    )


def test_who_stops_keeps_what_was_judged(tmp_path: Path, studio: Studio, people: list[Annotator]) -> None:
    study = made_study(tmp_path / "s", 4, SESSION + "    overlap: 1\n")
    begun(study, studio, people[:1])
    answer_all(studio, people[0], parts(study)[0].projects["work"], lambda u: "invalid")
    pull_session(study, studio.client())
    left = leave_session(study, people[0].email.upper())
    assert (left.judgments, left.marked) == (4, 0)
    with pytest.raises(JudgmentError, match="no annotator with this e-mail or pseudonym"):
        leave_session(study, "stranger@example.org")
    withdrawn = leave_session(study, left.person, withdraw=True)
    assert (withdrawn.judgments, withdrawn.marked) == (0, 4)


def test_a_pilot_and_then_the_session_ask_nobody_twice(
    tmp_path: Path, studio: Studio, people: list[Annotator]
) -> None:
    study = made_study(tmp_path / "s", 8, SESSION + "    pilot: 3\n    overlap: 2\n")
    client = studio.client()
    opened = open_session(study, client, [a.email for a in people], pilot=True)
    assert (opened.kind, opened.units) == ("pilot", 3)
    with pytest.raises(JudgmentError, match=r"session 1 \(pilot\) is open"):
        open_session(study, client, [a.email for a in people])
    for annotator, part in zip(people, parts(study), strict=True):
        pass_gate(studio, annotator, part.projects["gate"], right(study))
    pull_session(study, client)
    pilot = [set(p.items) & set(session_materials(study).unit_ids) for p in parts(study)]
    assert pilot[0] == pilot[1] == pilot[2]
    for annotator, part in zip(people, parts(study), strict=True):
        answer_all(studio, annotator, part.projects["work"], lambda u: "invalid")
    close_session(study, client)
    assert sorted(verdicts(study).values()) == [3, 3, 3]

    opened = open_session(study, client, [a.email for a in people])
    assert [p.at for p in opened.people] == ["work"] * 3, "the gate was passed in the pilot"
    for before, part in zip(pilot, parts(study), strict=True):
        assert not before & set(part.items)
    dealt = Counter(u for p in parts(study) for u in p.items if u in session_materials(study).unit_ids)
    assert set(dealt.values()) == {2}
    assert len(dealt) == 5


def test_what_is_changed_after_the_close_does_not_count(
    tmp_path: Path, studio: Studio, people: list[Annotator]
) -> None:
    study = made_study(tmp_path / "s", 2, SESSION + "    overlap: 1\n")
    begun(study, studio, people[:1])
    project = parts(study)[0].projects["work"]
    answer_all(studio, people[0], project, lambda u: "invalid")
    client = studio.client()
    closed = close_session(study, client)
    assert closed.taken is not None
    assert closed.taken.new == 2
    assert (closed.backup / "log.jsonl").read_bytes() == (study.judgments / "log.jsonl").read_bytes()
    found = list(client.answers(int(project)))
    people[0].edit(found[0].annotation["id"], *judged("incoherent"))
    with pytest.raises(JudgmentError, match="no session is open"):
        pull_session(study, client)
    assert {c.entry.verdict for c in counted(study) if c.is_verdict} == {"invalid"}


def test_another_key_is_said_and_costs_nothing(
    tmp_path: Path, studio: Studio, people: list[Annotator], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = made_study(tmp_path / "s", 2, SESSION + "    overlap: 1\n")
    begun(study, studio, people[:1])
    answer_all(studio, people[0], parts(study)[0].projects["work"], lambda u: "invalid")
    monkeypatch.setenv(KEY_VARIABLE, "another key, which is as long")
    pulled = pull_session(study, studio.client())
    assert any("cannot be linked" in warning for warning in pulled.warnings)
    assert pulled.taken.new == 2
    assert sum(verdicts(study).values()) == 2


def test_nothing_is_made_when_something_is_wrong(
    tmp_path: Path, studio: Studio, people: list[Annotator]
) -> None:
    client = studio.client()
    before = {a.number for a in client.accounts()}
    projects = client.get("/api/projects/", {"page_size": 1})["count"]
    emails = [people[0].email]
    bare = made_study(tmp_path / "bare", 2)
    text = bare.file.read_text(encoding="utf-8")
    bare.file.write_text(text[: text.index("validate:")], encoding="utf-8")
    with pytest.raises(StudyError, match=r"'validate.session' is missing"):
        open_session(Study.load(bare.folder), client, emails)
    for name, wrong in (("nul", "a\0b"), ("long", "x" * 100_000)):
        hostile = made_study(tmp_path / name, table=kept(3, text=wrong))
        with pytest.raises(JudgmentError, match="hypothesis"):
            open_session(hostile, client, emails)
    study = made_study(tmp_path / "stranger", 2)
    with pytest.raises(ServerError, match=r"Label Studio has no account for nobody@example.org"):
        open_session(study, client, ["nobody@example.org"])
    with pytest.raises(ServerError, match="no annotators are named"):
        open_session(study, client)
    assert client.get("/api/projects/", {"page_size": 1})["count"] == projects
    assert {a.number for a in client.accounts()} == before
    assert not (study.judgments / "plan.jsonl").exists()


def test_an_answer_in_another_persons_project_does_not_count(
    tmp_path: Path, studio: Studio, people: list[Annotator]
) -> None:
    study = made_study(tmp_path / "s", 2, SESSION + "    overlap: 1\n")
    begun(study, studio, people[:2])
    first = next(p for p in parts(study) if p.items)
    intruder = people[1] if first.person == parts(study)[0].person else people[0]
    answer_all(studio, intruder, first.projects["work"], lambda u: "invalid")
    pulled = pull_session(study, studio.client())
    assert set(pulled.not_counted) == {"another person's project"}
    assert not verdicts(study)
    other = next(p for p in parts(study) if p.person != first.person)
    for unit_id in first.items:
        named = f"{other.person} answered item {unit_id} in project {first.projects['work']}"
        assert any(line.startswith(named) for line in pulled.warnings)
    assert payable_time(counted(study)) == (), "it is nobody's work"


def test_a_session_that_is_open_becomes_no_verdicts_and_ends_also_without_its_server(
    tmp_path: Path, studio: Studio, people: list[Annotator]
) -> None:
    study = made_study(tmp_path / "s", 2, SESSION + "    overlap: 1\n")
    begun(study, studio, people[:1])
    answer_all(studio, people[0], parts(study)[0].projects["work"], lambda u: "invalid")
    pull_session(study, studio.client())
    with pytest.raises(WaitingForPeople, match="session 1 is open"):
        apply_judgments(study)
    closed = close_session(study, None)
    assert closed.taken is None
    assert apply_judgments(study).counts["units invalid"] == 2


def test_nobody_adjudicates_unasked(tmp_path: Path, studio: Studio, people: list[Annotator]) -> None:
    study = made_study(tmp_path / "s", 1, SESSION + "    overlap: 2\n")
    alone = open_session(study, studio.client(), [people[0].email])
    assert any("each unit needs 2 annotators and the session has 1" in warning for warning in alone.warnings)
    begun(study, studio, people[:2])
    for annotator, part, verdict in zip(people, parts(study), ("invalid", "incoherent"), strict=False):
        answer_all(studio, annotator, part.projects["work"], dict.fromkeys(part.items, verdict).__getitem__)
    close_session(study, studio.client())
    with pytest.raises(ServerError, match="no annotators are named"):
        adjudicate(study, studio.client(), [])
    assert adjudicate(study, studio.client(), [people[2].email]).units == 1
