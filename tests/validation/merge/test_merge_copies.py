"""Two copies of a study come together: sessions, conflicts, what is refused, and merges that were stopped."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import nextset
from nextset.cli.app import app
from nextset.errors import JudgmentError, StudyHeld
from nextset.files.folder_lock import locked_folder
from nextset.records.judgment import LOG_NAME, Verdict
from nextset.study.study_folder import Study
from nextset.validation.judgments.judgment_log import append, read
from nextset.validation.merge.copied_logs import read_logs
from nextset.validation.merge.merge_copies import Merged, merge_judgments
from nextset.validation.plan.event_log import PLAN_NAME, EventLog, append_events
from nextset.validation.plan.events import (
    AssignedItem,
    BatchAssigned,
    BatchPushed,
    PersonLeft,
    SessionClosed,
)
from nextset.validation.plan.judgments_per_unit import judgments_per_unit
from nextset.validation.report.stage import write_validation_report
from nextset.validation.session.join_and_leave import leave_session
from nextset.validation.session.session_status import session_status
from tests.validation.merge.two_copies import MARKS, add_session, counted, study_copy, units_of, whys
from tests.validation.plan.sample_plans import at, entry, gate_answer
from tests.validation.session.sample_study import SESSION, made_study


@pytest.fixture
def two(tmp_path: Path) -> tuple[Study, Study]:
    """Two copies with a session each: sessions, projects, accounts and annotations have the same numbers."""
    a, b = study_copy(tmp_path / "a"), study_copy(tmp_path / "b")
    u = units_of(a)
    add_session(a, MARKS["a"], {"ann": {u[0]: "valid", u[1]: "valid"}, "ben": {u[0]: "valid"}})
    add_session(b, MARKS["b"], {"cleo": {u[1]: "invalid", u[2]: "valid"}, "ben": {u[3]: "valid"}}, begin=100)
    return a, b


def of_kind(done: Merged, kind: str) -> tuple[str, ...]:
    return next((c.cases for c in done.conflicts if c.kind == kind), ())


def lines(study: Study) -> int:
    return sum(len((study.judgments / name).read_text().splitlines()) for name in (LOG_NAME, PLAN_NAME))


def test_sessions_of_both_are_there_and_all_judgments_count(two: tuple[Study, Study]) -> None:
    a, b = two
    before = {name: (a.judgments / name).read_bytes() for name in (LOG_NAME, PLAN_NAME)}
    there = lines(b)
    done = merge_judgments(a, b.folder)
    assert [(s.session, s.there, s.new, s.judgments) for s in done.sessions] == [("1-bbbbbbbb", "1", True, 3)]
    assert (done.judgments_before, done.judgments_there, done.judgments) == (3, 3, 6)
    assert done.conflicts == ()
    assert done.entries_new + done.events_new == there
    for name, raw in before.items():
        assert (a.judgments / name).read_bytes().startswith(raw)
        assert done.backup is not None
        assert (done.backup / name).read_bytes() == raw
    state = EventLog(a.judgments).state
    assert list(state.sessions) == ["1", "1-bbbbbbbb"]
    assert state.current is None
    assert {why for _, _, why in whys(a)} == {""}
    # both sessions have a ben, with one pseudonym: one person
    assert {c.person for c in counted(a)} == {"ann", "ben", "cleo"}


def test_a_second_merge_adds_nothing_and_backs_nothing_up(two: tuple[Study, Study]) -> None:
    a, b = two
    merge_judgments(a, b.judgments)
    raw = (a.judgments / LOG_NAME).read_bytes(), (a.judgments / PLAN_NAME).read_bytes()
    again = merge_judgments(a, b.folder / "study.yaml")
    assert (again.entries_new, again.events_new, again.backup) == (0, 0, None)
    assert again.entries_already + again.events_already == lines(b)
    assert ((a.judgments / LOG_NAME).read_bytes(), (a.judgments / PLAN_NAME).read_bytes()) == raw
    back = merge_judgments(b, a.folder)
    assert {s.there: (s.session, s.new) for s in back.sessions} == {
        "1": ("1-aaaaaaaa", True),
        "1-bbbbbbbb": ("1", False),
    }
    assert whys(a) == whys(b)


def test_lines_that_nextset_wrote_before_are_the_same(two: tuple[Study, Study]) -> None:
    """A log without a merge has no new keys: earlier versions read it, too."""
    a, b = two
    merge_judgments(a, b.folder)
    for name, key in ((LOG_NAME, "nth"), (PLAN_NAME, "place")):
        own = [json.loads(line) for line in (b.judgments / name).read_text().splitlines()]
        assert not any(key in fields for fields in own)
        brought = [json.loads(line) for line in (a.judgments / name).read_text().splitlines()][-len(own) :]
        assert all(key in fields for fields in brought)


def test_of_a_unit_judged_in_both_the_earlier_answer_counts(tmp_path: Path) -> None:
    a, b = study_copy(tmp_path / "a"), study_copy(tmp_path / "b")
    u = units_of(a)[0]
    add_session(a, MARKS["a"], {"ann": {u: "valid"}}, begin=100)
    add_session(b, MARKS["b"], {"ann": {u: "invalid"}}, begin=50)
    done = merge_judgments(a, b.folder)
    assert of_kind(done, "judged in both") == (
        f"ann on {u}: valid pro in session 1; invalid in session 1-bbbbbbbb counts",
    )
    merge_judgments(b, a.folder)
    assert whys(a) == whys(b) == [("ann", u, ""), ("ann", u, "second answer")]
    assert [c.entry.verdict for c in counted(a) if c.counts] == ["invalid"]


def test_a_withdrawal_in_one_copy_holds_for_the_other(two: tuple[Study, Study]) -> None:
    a, b = two
    append_events(a.judgments, [PersonLeft(session="1", person="ben", at=at(5000), why="withdrew")])
    done = merge_judgments(b, a.folder)
    (case,) = of_kind(done, "consent withdrawn")
    assert case.startswith("ben on ")
    assert case.endswith("valid pro in session 1")
    merge_judgments(a, b.folder)
    assert [w for w in whys(a) if w[0] == "ben"] == [w for w in whys(b) if w[0] == "ben"]
    assert {why for person, _, why in whys(a) if person == "ben"} == {"consent withdrawn"}


def test_who_withdrew_before_the_other_copy_went_on_has_withdrawn_there(tmp_path: Path) -> None:
    """The other copy did not know: it went on with the consent that was given before the copy was made."""
    a = study_copy(tmp_path / "a")
    u = units_of(a)
    add_session(a, "cccccccc00000000", {"ann": {u[0]: "valid"}})
    b = study_copy(tmp_path / "b")
    shutil.copytree(a.judgments, b.judgments)
    append_events(a.judgments, [PersonLeft(session="1", person="ann", at=at(2000), why="withdrew")])
    add_session(b, MARKS["b"], {"ann": {u[1]: "valid"}}, session="2", begin=3000)
    plan = b.judgments / PLAN_NAME  # she did not answer a gate again
    kept = [line for line in plan.read_text().splitlines() if '"gate_answered", "gate"' not in line]
    gates = [i for i, line in enumerate(kept) if '"event": "gate_answered"' in line]
    plan.write_text("\n".join(line for i, line in enumerate(kept) if i != gates[-1]) + "\n")
    assert {why for *_, why in whys(b)} == {""}
    merge_judgments(a, b.folder)
    merge_judgments(b, a.folder)
    assert whys(a) == whys(b)
    assert {why for *_, why in whys(a)} == {"consent withdrawn"}


def test_who_agreed_again_after_a_withdrawal_is_listed(tmp_path: Path) -> None:
    a, b = study_copy(tmp_path / "a"), study_copy(tmp_path / "b")
    u = units_of(a)
    add_session(a, MARKS["a"], {"ann": {u[0]: "valid"}})
    append_events(a.judgments, [PersonLeft(session="1", person="ann", at=at(2000), why="withdrew")])
    add_session(b, MARKS["b"], {"ann": {u[1]: "valid"}}, begin=3000)
    done = merge_judgments(a, b.folder)
    assert of_kind(done, "agreed again") == ("ann: withdrawn for session 1, but not for 1-bbbbbbbb",)


def test_keys_guidelines_overlap_and_gold_are_listed(tmp_path: Path) -> None:
    a, b = study_copy(tmp_path / "a"), study_copy(tmp_path / "b")
    u = units_of(a)
    add_session(a, MARKS["a"], {"ann": {u[0]: "valid"}, "ben": {u[0]: "valid"}})
    people = {"x": {u[0]: "invalid", u[1]: "valid"}}
    add_session(b, MARKS["b"], people, key="k2", guidelines="g2")  # type: ignore[arg-type]
    gold = BatchAssigned(session="1", person="ann", batch=2, items=(AssignedItem(u[1], "gold"),))
    append_events(a.judgments, [gold])
    done = merge_judgments(a, b.folder)
    assert of_kind(done, "pseudonym keys") == ("k1: only here", "k2: only in the other copy")
    assert of_kind(done, "guidelines") == ("g1: only here", "g2: only in the other copy")
    assert of_kind(done, "gold and unit") == (f"{u[1]}: gold in session 1, a unit in 1-bbbbbbbb",)
    assert of_kind(done, "more than the overlap") == ()
    c = study_copy(tmp_path / "c")
    add_session(c, "cccccccc00000000", {"dora": {u[0]: "invalid"}})
    assert of_kind(merge_judgments(a, c.folder), "more than the overlap") == (f"{u[0]}: 4 judgments",)


def test_of_a_fractional_overlap_the_drawn_units_may_have_one_judgment_more(tmp_path: Path) -> None:
    a, b = study_copy(tmp_path / "a"), study_copy(tmp_path / "b")
    given: dict[str, Verdict] = dict.fromkeys(units_of(a), "valid")
    add_session(a, MARKS["a"], {"ann": given, "ben": given}, overlap=3.5)
    add_session(b, MARKS["b"], {"cleo": given, "dora": given}, overlap=3.5)
    drawn = judgments_per_unit(3.5, list(given), 0).drawn
    assert 0 < len(drawn) < len(given)
    listed = of_kind(merge_judgments(a, b.folder), "more than the overlap")
    assert listed == tuple(f"{u}: 4 judgments" for u in sorted(given) if u not in drawn)


def test_judgments_of_other_units_are_brought_and_listed(two: tuple[Study, Study]) -> None:
    a, b = two
    strange = replace(entry("0" * 32, "cleo", "#2", session=""), judge="cleo")
    append(b.judgments, [strange])
    done = merge_judgments(a, b.folder)
    assert of_kind(done, "unknown units") == (f"{'0' * 32} by cleo: invalid in a table, line 2",)
    assert strange.unit_id in {e.unit_id for e in read(a.judgments).entries}


def test_of_tables_corrected_in_both_copies_one_row_counts_in_both(tmp_path: Path) -> None:
    a = study_copy(tmp_path / "a")
    u = units_of(a)[0]
    row = entry(u, "ann", "#2", session="", verdict="valid")
    append(a.judgments, [row])
    b = study_copy(tmp_path / "b")
    shutil.copytree(a.judgments, b.judgments)
    here = replace(row, digest="here", verdict="incoherent", stance_judged=None, answered_at=at(5))
    there = replace(row, digest="there", verdict="invalid", stance_judged=None, answered_at=at(6))
    append(a.judgments, [here])
    append(b.judgments, [there])
    done = merge_judgments(a, b.folder)
    assert of_kind(done, "answered in both") == (
        f"ann on {u}: incoherent in a table, line 2; invalid in a table, line 2 counts",
    )
    merge_judgments(b, a.folder)
    assert [c.entry.verdict for c in counted(a) if c.counts] == ["invalid"]
    assert [c.entry.verdict for c in counted(b) if c.counts] == ["invalid"]
    # a correction that is imported after the merge counts, also where the log has it already
    assert append(b.judgments, [here]).new == 1
    assert [c.entry.verdict for c in counted(b) if c.counts] == ["incoherent"]
    merge_judgments(a, b.folder)
    assert [c.entry.verdict for c in counted(a) if c.counts] == ["incoherent"]


def test_accounts_of_two_servers_are_not_confused(tmp_path: Path) -> None:
    """Account 0 is ann's on one server and ben's on the other."""
    a, b = study_copy(tmp_path / "a"), study_copy(tmp_path / "b")
    u = units_of(a)
    add_session(a, MARKS["a"], {"ann": {u[0]: "valid"}})
    add_session(b, MARKS["b"], {"ben": {u[1]: "valid"}})
    gone = replace(entry(u[0], "account-0", 7), project="2", answered_at=at(500))
    append(a.judgments, [gone])  # her account is gone from the server: its number is known
    exported = replace(entry(u[2], "account-0", 3, session=""), answered_at=at(1))
    append(b.judgments, [exported])
    done = merge_judgments(a, b.folder)
    assert of_kind(done, "accounts") == ("account-0, 1 answer: ann or ben",)
    found = {(c.entry.annotation, c.entry.session): c.person for c in counted(a)}
    assert found[("7", "1")] == "ann"
    assert found[("3", "")] == "account-0"


def test_a_session_that_went_on_in_both_copies_has_the_events_of_both(tmp_path: Path) -> None:
    a = study_copy(tmp_path / "a")
    u = units_of(a)
    add_session(a, MARKS["a"], {"ann": {u[0]: "valid"}}, close=False)
    b = study_copy(tmp_path / "b")
    shutil.copytree(a.judgments, b.judgments)
    for study, unit_id, number in ((a, u[1], 2), (b, u[2], 3)):
        more = BatchAssigned(session="1", person="ann", batch=2, items=(AssignedItem(unit_id, "unit"),))
        append_events(study.judgments, [more])
        answer = replace(entry(unit_id, "ann", number), project="2", answered_at=at(20 + number))
        append(study.judgments, [answer])
    append_events(a.judgments, [BatchPushed(session="1", person="ann", batch=2, texts=("t",))])
    done = merge_judgments(a, b.folder)
    assert of_kind(done, "continued in both") == (
        "session 1: 2 events here, 1 there; different batches in both: ann",
    )
    assert sum(c.counts for c in counted(a)) == 3
    session = EventLog(a.judgments).state.current
    assert session is not None
    # which of the two was pushed is not known: the next pull pushes what the server lacks
    assert [(b.batch, b.pushed) for b in session.people["ann"].batches] == [(1, True), (2, False), (2, False)]
    assert session.people["ann"].texts == {u[0]: "t"}
    event_log = EventLog(a.judgments)
    for unit_id in u[1:3]:
        event_log.add(BatchPushed(session="1", person="ann", batch=2, texts=(unit_id,)))
    event_log.add(BatchAssigned(session="1", person="ann", batch=4, items=()))
    session = EventLog(a.judgments).state.current
    assert session is not None
    assert [(b.batch, b.pushed) for b in session.people["ann"].batches[1:]] == [
        (2, True),
        (2, True),
        (4, False),
    ]
    append_events(b.judgments, [SessionClosed(session="1", at=at(900))])
    closing = merge_judgments(a, b.folder)
    assert of_kind(closing, "closed in one") == (f"session 1: here open, there {at(900)}; now {at(900)}",)
    assert EventLog(a.judgments).state.current is None


def test_an_open_session_of_the_other_copy_is_refused_and_one_of_this_goes_on(tmp_path: Path) -> None:
    a, b = study_copy(tmp_path / "a"), study_copy(tmp_path / "b")
    u = units_of(a)
    add_session(a, MARKS["a"], {"ann": {u[0]: "valid"}})
    add_session(b, MARKS["b"], {"ben": {u[1]: "valid"}}, close=False)
    with pytest.raises(JudgmentError, match="session 1 of the other copy is open") as found:
        merge_judgments(a, b.folder)
    assert (found.value.file, found.value.line) == (b.judgments / PLAN_NAME, 1)
    assert f"nextset validate close {b.folder}" in found.value.remedy
    merge_judgments(b, a.folder)
    state = EventLog(b.judgments).state
    assert state.current is not None
    assert state.current.opened.session == "1"
    assert [c.counts for c in counted(b)] == [True, True]
    status = session_status(b)
    assert status is not None
    assert (status.session, status.open) == ("1", True)


def test_what_comes_after_works_on_the_merged_study(two: tuple[Study, Study]) -> None:
    a, b = two
    merge_judgments(a, b.folder)
    merge_judgments(b, a.folder)
    verdicts = []
    for study in (a, b):
        status = session_status(study)
        assert status is not None
        assert not status.open
        made = nextset.apply_judgments(study)
        rows = made.table("items").select(["unit_id", "verdict", "n_judgments"]).to_pylist()
        verdicts.append(sorted(rows, key=lambda row: row["unit_id"]))
        assert (write_validation_report(study).folder / "index.html").is_file()
    assert verdicts[0] == verdicts[1]
    assert sorted(row["n_judgments"] for row in verdicts[0]) == [1, 1, 2, 2]


def test_a_merge_that_was_cut_anywhere_is_completed_by_the_same_command(
    two: tuple[Study, Study], tmp_path: Path
) -> None:
    a, b = two
    shutil.copytree(a.judgments, tmp_path / "before")
    merge_judgments(a, b.folder)
    expected = whys(a)
    whole = {name: (a.judgments / name).read_bytes() for name in (LOG_NAME, PLAN_NAME)}
    old = {name: len((tmp_path / "before" / name).read_bytes()) for name in whole}
    log, plan = whole[LOG_NAME], whole[PLAN_NAME]
    # judgments are written first, then the plan: cut at every line of what is new, and within lines
    states = [(log[:cut], plan[: old[PLAN_NAME]]) for cut in _cuts(log, old[LOG_NAME])]
    states += [(log, plan[:cut]) for cut in _cuts(plan, old[PLAN_NAME])]
    assert len(states) > 60
    for cut_log, cut_plan in states:
        (a.judgments / LOG_NAME).write_bytes(cut_log)
        (a.judgments / PLAN_NAME).write_bytes(cut_plan)
        stopped = EventLog(a.judgments).state  # the study is not in disorder meanwhile
        assert stopped.current is None
        counting = {c.entry.session for c in counted(a) if c.counts}
        assert counting == {"1"} or (cut_plan.rstrip(b"\n") == plan.rstrip(b"\n"))
        merge_judgments(a, b.folder)
        assert whys(a) == expected
        assert (a.judgments / LOG_NAME).read_bytes().startswith(cut_log)
        assert (a.judgments / PLAN_NAME).read_bytes().startswith(cut_plan)
        again = merge_judgments(a, b.folder)
        assert (again.entries_new, again.events_new) == (0, 0)


def _cuts(raw: bytes, begin: int) -> list[int]:
    ends = [i + 1 for i in range(begin - 1, len(raw)) if raw[i : i + 1] == b"\n"]
    return sorted(
        {*ends, *(end - 1 for end in ends[1:]), *(end - 9 for end in ends[1:]), *range(begin, len(raw), 397)}
    )


def test_a_killed_merge_is_completed(two: tuple[Study, Study]) -> None:
    """SIGKILL between the two logs, by a process that stops itself there."""
    a, b = two
    code = (
        "import os, signal, sys\n"
        "import nextset.validation.merge.merge_copies as m\n"
        "m.append_events = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "m.merge_judgments(sys.argv[1], sys.argv[2])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(a.folder), str(b.folder)], check=False)
    assert done.returncode == -9
    assert {why for *_, why in whys(a)} == {"", "unknown session"}
    merge_judgments(a, b.folder)
    assert {why for *_, why in whys(a)} == {""}
    assert sum(c.counts for c in counted(a)) == 6


def refused(study: Study, other: Path) -> JudgmentError:
    """The error of a merge that changes nothing."""
    before = {p: p.read_bytes() for p in study.judgments.rglob("*.jsonl")}
    with pytest.raises(JudgmentError) as found:
        merge_judgments(study, other)
    assert {p: p.read_bytes() for p in study.judgments.rglob("*.jsonl")} == before
    assert found.value.file is not None
    assert found.value.remedy
    return found.value


def test_a_damaged_copy_is_refused_with_its_line(two: tuple[Study, Study]) -> None:
    a, b = two
    log, plan = b.judgments / LOG_NAME, b.judgments / PLAN_NAME
    whole = {path: path.read_bytes() for path in (log, plan)}
    for path, raw in whole.items():
        path.write_bytes(raw[:-20])
        error = refused(a, b.folder)
        assert (error.file, error.line) == (path, len(raw.splitlines()))
        assert "cut short" in error.message
        path.write_bytes(raw + b'{"no": "such line"}\n')
        error = refused(a, b.folder)
        assert (error.file, error.line) == (path, len(raw.splitlines()) + 1)
        path.write_bytes(raw.replace(b'"2026-01-01T00:', b'"1.1.2026 00:', 1))
        error = refused(a, b.folder)
        assert error.file == path
        assert error.line is not None
        assert "not a time" in error.message
        path.write_bytes(raw)
    text = whole[plan].decode().splitlines(keepends=True)
    plan.write_text("".join(text[1:]))
    assert "that session does not exist" in refused(a, b.folder).message
    second = text[0].replace('"session": "1"', '"session": "2"')
    plan.write_text("".join([*text, second]))
    error = refused(a, b.folder)
    assert (error.line, "has the mark of session 1" in error.message) == (len(text) + 1, True)
    plan.write_bytes(whole[plan])


def test_a_session_of_both_that_was_opened_differently_is_refused(two: tuple[Study, Study]) -> None:
    a, b = two
    merge_judgments(a, b.folder)
    plan = b.judgments / PLAN_NAME
    plan.write_text(plan.read_text().replace('"overlap": 2', '"overlap": 5'))
    error = refused(a, b.folder)
    assert "was opened with a different overlap" in error.message
    assert error.line == 1


def test_a_line_cut_in_the_middle_is_listed_and_the_others_are_brought(two: tuple[Study, Study]) -> None:
    a, b = two
    log = b.judgments / LOG_NAME
    raw = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([raw[0], raw[1][:30] + b"\n", *raw[2:]]))
    done = merge_judgments(a, b.folder)
    assert [(o.file, o.line) for o in done.omitted] == [(str(log), 2)]
    assert done.entries_new == len(raw) - 1
    assert len(of_kind(done, "omitted lines")) == 1


def test_judgments_of_a_session_that_the_plan_lost_are_listed(two: tuple[Study, Study]) -> None:
    a, b = two
    (b.judgments / PLAN_NAME).unlink()
    done = merge_judgments(a, b.folder)
    assert (done.entries_new, len(done.omitted)) == (0, 3)
    assert "which the other plan does not open" in done.omitted[0].why


def test_folders_that_cannot_be_merged(two: tuple[Study, Study], tmp_path: Path) -> None:
    a, b = two
    assert "itself" in refused(a, a.folder).message
    assert "itself" in refused(a, a.judgments).message
    (tmp_path / "link").symlink_to(a.folder)
    assert "itself" in refused(a, tmp_path / "link").message
    assert "does not exist" in refused(a, tmp_path / "nothing").message
    (tmp_path / "empty").mkdir()
    assert "neither a study nor its judgments" in refused(a, tmp_path / "empty").message
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "does not exist" in refused(a, tmp_path / "loop").message
    inside = a.folder / "copies" / "b"
    shutil.copytree(b.folder, inside)
    assert "inside the study" in refused(a, inside).message
    outer = study_copy(inside.parent)
    shutil.copytree(b.judgments, outer.judgments)
    assert "around the study" in refused(Study.load(inside), outer.folder).message
    unjudged = study_copy(tmp_path / "unjudged")
    assert "no judgments yet" in refused(a, unjudged.folder).message
    assert not unjudged.judgments.exists()
    (b.judgments / LOG_NAME).rename(tmp_path / "log")
    (b.judgments / LOG_NAME).symlink_to(b.judgments / LOG_NAME)
    assert "leads nowhere" in refused(a, b.folder).message


def test_another_study_is_refused(two: tuple[Study, Study], tmp_path: Path) -> None:
    a, _ = two
    other = study_copy(tmp_path / "other")
    add_session(other, MARKS["b"], {"ann": {units_of(other)[0]: "valid"}})
    for name in (LOG_NAME, PLAN_NAME):
        path = other.judgments / name
        raw = path.read_text()
        for n, unit_id in enumerate(units_of(other)):
            raw = raw.replace(unit_id, f"{n:032x}")
        path.write_text(raw)
    assert "not a copy of this study" in refused(a, other.folder).message


def test_both_copies_are_locked_and_two_merges_do_not_wait_for_each_other(two: tuple[Study, Study]) -> None:
    a, b = two
    code = "import sys, nextset; nextset.merge_judgments(sys.argv[1], sys.argv[2])"
    for held, own, other in ((b, a, b), (a, a, b), (b, b, a)):
        with locked_folder(held.judgments, "a test"):
            done = subprocess.run(
                [sys.executable, "-c", code, str(own.folder), str(other.folder)],
                capture_output=True,
                text=True,
                check=False,
            )
        assert StudyHeld.__name__ in done.stderr, done.stderr
    crossing = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(x.folder), str(y.folder)], stderr=subprocess.DEVNULL
        )
        for x, y in ((a, b), (b, a))
    ]
    for process in crossing:  # each ends, with the error that the other works, or without
        assert process.wait(timeout=300) in (0, 1)
    merge_judgments(a, b.folder)
    merge_judgments(b, a.folder)
    assert whys(a) == whys(b)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_copy_that_cannot_be_written_is_refused(two: tuple[Study, Study]) -> None:
    a, b = two
    b.judgments.chmod(0o500)
    try:
        assert "cannot be locked" in refused(a, b.folder).message
    finally:
        b.judgments.chmod(0o700)


def test_late_answers_at_a_gate_that_both_pulled_are_there_once(tmp_path: Path) -> None:
    a = study_copy(tmp_path / "a")
    add_session(a, MARKS["a"], {"ann": {units_of(a)[0]: "valid"}})
    b = study_copy(tmp_path / "b")
    shutil.copytree(a.judgments, b.judgments)
    no = gate_answer("ann", "1", consent=False, at=at(3000))
    append_events(a.judgments, [no])
    append_events(b.judgments, [PersonLeft(session="1", person="ann", at=at(2500), why="stopped"), no])
    merge_judgments(a, b.folder)
    merge_judgments(b, a.folder)
    assert whys(a) == whys(b) == [("ann", units_of(a)[0], "consent withdrawn")]
    one, other = (read_logs(study.judgments, whole=True).state.sessions["1"] for study in (a, b))
    assert asdict(one) == asdict(other)


def test_a_merge_as_it_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = study_copy(tmp_path / "a", 30), study_copy(tmp_path / "b", 30)
    u = units_of(a)
    add_session(a, MARKS["a"], {"ann": dict.fromkeys(u, "valid"), "ben": dict.fromkeys(u[:9], "valid")})
    there: dict[str, dict[str, Verdict]] = {
        "ann": dict.fromkeys(u, "invalid"),
        "cleo": dict.fromkeys(u[:9], "valid"),
    }
    add_session(b, MARKS["b"], there, begin=5, guidelines="g2")

    def call(*arguments: object) -> str:
        result = CliRunner().invoke(app, ["validate", "merge", *map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result.stdout

    monkeypatch.chdir(a.folder)
    said = call(b.folder)
    assert len(said.splitlines()) <= 24
    assert "  session 1-bbbbbbbb (main, 1 there, opened 2026-01-01T00:00): new, 9 judgments count" in said
    assert "  judged in both: 30 judgments no longer count" in said
    assert "(and 27 more)" in said
    assert "judgments that count: 48 in total, 39 here before, 39 in the other copy" in said
    assert "nothing is new in" in call(a.folder, b.folder)
    data = json.loads(call(b.folder, a.folder, "--json"))
    assert [c["kind"] for c in data["conflicts"]] == ["judged in both"]
    assert len(data["conflicts"][0]["cases"]) == 30
    assert data["judgments"] == 48
    refused = CliRunner().invoke(app, ["validate", "merge", str(a.folder), str(tmp_path / "none")])
    assert refused.exit_code == 3
    assert "the folder does not exist" in refused.output


def enough(study: Study) -> list[int]:
    """How many units have enough judgments, as plan, status, run and report say; all are judged."""
    found = session_status(study)
    assert found is not None
    few = nextset.apply_judgments(study).table("too_few_judgments").num_rows
    page = (write_validation_report(study).folder / "index.html").read_text()
    (reported,) = set(re.findall(r"(\d+) \w+ need no further judgments", page))
    return [nextset.plan_session(study).enough, found.enough, len(units_of(study)) - few, int(reported)]


def asking(folder: Path, overlap: float) -> Study:
    """A copy of the study whose study.yaml asks for ``overlap`` judgments of a unit."""
    return made_study(folder, 4, SESSION + f"    overlap: {overlap}\n")


def test_a_merged_session_does_not_change_how_many_judgments_are_enough(tmp_path: Path) -> None:
    a, b = asking(tmp_path / "a", 1), asking(tmp_path / "b", 5)
    given: dict[str, Verdict] = dict.fromkeys(units_of(a), "valid")
    add_session(a, MARKS["a"], {"ann": given}, overlap=1)
    add_session(b, MARKS["b"], {}, begin=5000, overlap=5)
    assert enough(a) == [4, 4, 4, 4]
    merge_judgments(a, b.folder)
    assert enough(a) == [4, 4, 4, 4]
    merge_judgments(b, a.folder)  # each copy asks for what it asked for
    assert enough(b) == [0, 0, 0, 0]
    assert whys(a) == whys(b)


def test_sessions_that_ask_for_different_numbers_of_judgments_are_listed(tmp_path: Path) -> None:
    a, b, c = asking(tmp_path / "a", 1.2), asking(tmp_path / "b", 5), asking(tmp_path / "c", 3)
    add_session(a, MARKS["a"], {}, overlap=1.2)
    add_session(b, MARKS["b"], {}, begin=5000, overlap=5, agree=2)
    add_session(b, "dddddddd00000000", {}, session="2", begin=9000, overlap=7, kind="adjudication")
    for _ in range(2):  # also when nothing is new
        (conflict,) = merge_judgments(a, b.folder).conflicts
        assert (conflict.kind, conflict.cases) == ("overlap", ("session 1-bbbbbbbb: overlap 5, agree 2",))
        assert conflict.text.endswith("session 1 decides (overlap 1.2), since it is the last one opened here")
    (other,) = merge_judgments(b, a.folder).conflicts
    assert other.cases == ("session 1-aaaaaaaa: overlap 1.2",)
    assert "session 1 decides (overlap 5, agree 2)" in other.text
    # a copy without a session of its own takes over what the last merged one asks for
    d = asking(tmp_path / "d", 1.2)
    add_session(d, MARKS["a"], {}, overlap=1.2)
    (taken,) = merge_judgments(c, d.folder).conflicts
    assert taken.cases == ("validate.session in study.yaml: overlap 3",)
    assert "(overlap 1.2), since no session was opened here" in taken.text
    (taken,) = merge_judgments(c, b.folder).conflicts  # and of the merge before
    assert taken.cases == ("session 1-aaaaaaaa: overlap 1.2", "validate.session in study.yaml: overlap 3")
    assert "(overlap 5, agree 2), since no session was opened here" in taken.text


def test_sessions_that_ask_for_the_same_are_no_conflict(tmp_path: Path) -> None:
    a, b = asking(tmp_path / "a", 2), asking(tmp_path / "b", 2)
    add_session(a, "cccccccc00000000", {}, overlap=4)
    shutil.copytree(a.judgments, b.judgments)
    add_session(a, MARKS["a"], {}, session="2", begin=2000)
    add_session(b, MARKS["b"], {}, session="2", begin=5000)
    assert merge_judgments(a, b.folder).conflicts == ()


def test_the_status_is_that_of_the_session_opened_here(tmp_path: Path) -> None:
    a, b, c = (study_copy(tmp_path / name) for name in "abc")
    add_session(a, MARKS["a"], {"ann": {}})
    add_session(b, MARKS["b"], {"cleo": {}}, begin=5000)

    def shown(study: Study) -> tuple[str, bool]:
        found = session_status(study)
        assert found is not None
        return found.session, found.open

    merge_judgments(a, b.folder)
    assert shown(a) == ("1", False)
    merge_judgments(c, b.folder)
    assert shown(c) == ("1-bbbbbbbb", False)
    add_session(c, "cccccccc00000000", {}, session="2", begin=4000, close=False)
    assert shown(c) == ("2", True)


def test_who_was_erased_in_one_copy_does_not_come_back_from_the_other(tmp_path: Path) -> None:
    a, b = (study_copy(tmp_path / name) for name in "ab")
    units = units_of(a)
    for study in (a, b):
        add_session(study, MARKS["a"], {p: {units[0]: "invalid", units[1]: "valid"} for p in ("A", "B")})
        said = [replace(e, comment="I am Ben") for e in read(study.judgments).entries if e.judge == "B"]
        append(study.judgments, [replace(e, annotation=f"9{e.annotation}") for e in said])
    erased = leave_session(a, "B", erase=True)
    assert (erased.erased, erased.recomputed) == (4, 2)
    lost = merge_judgments(a, b.folder)
    assert {e.judge for e in read(a.judgments).entries} == {"A"}
    assert sum(o.why == "its author was erased" for o in lost.omitted) == 4
    # and the other copy erases too
    merge_judgments(b, a.folder)
    for study in (a, b):
        log = read(study.judgments)
        assert ({e.judge for e in log.entries}, log.misfit) == ({"A"}, "")
        assert "I am Ben" not in (study.judgments / "log.jsonl").read_text()


def test_comments_of_who_withdrew_in_one_copy_go_in_both(tmp_path: Path) -> None:
    a, b = (study_copy(tmp_path / name) for name in "ab")
    for study in (a, b):
        add_session(study, MARKS["a"], {"A": {units_of(a)[0]: "invalid"}})
        (made,) = read(study.judgments).entries
        append(study.judgments, [replace(made, comment="I am Ana", digest="2", answered_at=at(60))])
    assert leave_session(a, "A", withdraw=True).comments == 1
    for one, other in ((a, b), (b, a)):
        merge_judgments(one, other.folder)
        assert [e.comment for e in read(one.judgments).entries] == ["", ""]
        assert read(one.judgments).misfit == ""


def test_a_log_that_was_changed_by_hand_is_named_by_a_merge(two: tuple[Study, Study]) -> None:
    ours, theirs = two
    log = theirs.judgments / "log.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text(
        "".join([lines[0].replace('"invalid"', '"incoherent"').replace('"valid"', '"invalid"'), *lines[1:]])
    )
    done = merge_judgments(ours, theirs.folder)
    (chain,) = [c for c in done.conflicts if c.kind == "chain"]
    assert "line 1 does not fit" in chain.cases[0]
