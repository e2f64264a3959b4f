from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextset.errors import JudgmentError
from nextset.records.judgment import LOG_NAME
from nextset.validation.judgments.judgment_log import append, known_states, read
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.plan.counting_rules import count
from nextset.validation.plan.state import fold
from tests.validation.judgments.entries import ENTRY

LATER = replace(ENTRY, answered_at="2026-01-02T10:00:00.000000+00:00", digest="e", verdict="incoherent")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_torn_line_costs_no_other_and_is_never_deleted(tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / "judgments"
    path = folder / LOG_NAME
    path.unlink(missing_ok=True)
    one, two, three = (replace(ENTRY, annotation=str(i), comment="é\n") for i in range(3))
    append(folder, [one])
    first = path.read_bytes()
    append(folder, [two])
    whole = path.read_bytes()
    torn = whole[: data.draw(st.integers(len(first), len(whole)))]
    path.write_bytes(torn)
    assert read(folder).entries[0] == one
    append(folder, [one, two, three])
    assert path.read_bytes().startswith(torn)
    log = read(folder)
    assert sorted(log.entries, key=lambda e: e.annotation) == [one, two, three]
    assert len(log.torn) <= 1


def test_the_same_state_is_kept_once_and_an_edited_one_beside_it(tmp_path: Path) -> None:
    assert append(tmp_path, [ENTRY, ENTRY]).new == 1
    done = append(tmp_path, [LATER, ENTRY])
    assert (done.new, done.already) == (1, 1)
    assert read(tmp_path).entries == [ENTRY, LATER]


def test_a_new_key_does_not_double_what_is_there(tmp_path: Path) -> None:
    append(tmp_path, [ENTRY])
    assert append(tmp_path, [replace(ENTRY, judge="a-2", key="another")]).new == 0


@pytest.mark.parametrize("outcome", ["invalid", "judged"])
@pytest.mark.parametrize("at", ["", ENTRY.answered_at])
def test_annotations_of_one_number_on_several_servers_are_told_apart(
    tmp_path: Path, at: str, outcome: Literal["invalid", "judged"]
) -> None:
    # two exports: annotation 1 is on another unit, or of another account
    ours = replace(ENTRY, session="", project="", outcome=outcome, answered_at=at)
    others = [ours, replace(ours, unit_id="u2"), replace(ours, judge="a-2")]
    assert [append(tmp_path, [one]).new for one in others] == [1, 1, 1]
    assert append(tmp_path, others).new == 0
    # another key gives the same people other pseudonyms
    assert append(tmp_path, [replace(one, judge=f"b{one.judge}", key="another") for one in others]).new == 0


def test_answers_without_a_number_are_told_apart_by_unit_and_person(tmp_path: Path) -> None:
    rows = [replace(ENTRY, annotation="", unit_id=u, judge=j) for u in ("u1", "u2") for j in ("a-1", "a-2")]
    assert append(tmp_path, rows).new == 4
    assert append(tmp_path, rows).new == 0


def test_what_is_known_grows_for_whoever_appends_again(tmp_path: Path) -> None:
    known = known_states(read(tmp_path))
    assert append(tmp_path, [ENTRY], known).new == 1
    assert append(tmp_path, [ENTRY], known).new == 0


def test_an_empty_log_is_no_error(tmp_path: Path) -> None:
    assert read(tmp_path).entries == []
    assert append(tmp_path, []).new == 0
    assert not list(tmp_path.iterdir())


def test_a_line_that_is_cut_short_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    append(tmp_path, [ENTRY])
    with (tmp_path / LOG_NAME).open("a") as f:
        f.write('{"session": "1", "pro\n[1]\n')
    assert read(tmp_path).torn == [2, 3]
    assert read(tmp_path).entries == [ENTRY]
    line = f"{tmp_path / LOG_NAME}: skipped because it is cut short or damaged: line 2, 3"
    assert caplog.messages.count(line) == 1, "once, however often a command reads the log"


@pytest.mark.parametrize("seconds", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400, "-" + "9" * 4000])
def test_a_number_that_is_none_is_refused(tmp_path: Path, seconds: str) -> None:
    line = json.dumps({**asdict(ENTRY), "seconds": "X"}).replace('"X"', seconds)
    (tmp_path / LOG_NAME).write_text(f"{line}\n")
    with pytest.raises(
        JudgmentError, match=r"log\.jsonl:1: .* not a judgment .*: seconds: not a finite number"
    ):
        read(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "something"},
        {"judge": 7},
        {"outcome": "maybe"},
        {"seconds": "3"},
        {"unit_id": None},
        {"answered_at": "yesterday"},
    ],
)
def test_a_line_that_is_no_judgment_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    append(tmp_path, [ENTRY])
    with (tmp_path / LOG_NAME).open("a") as f:
        f.write(json.dumps({**asdict(ENTRY), **change}) + "\n")
    with pytest.raises(JudgmentError, match=rf"log\.jsonl:2: .* not a judgment .*{next(iter(change))}"):
        read(tmp_path)


said = st.tuples(
    st.sampled_from(["u1", "u2"]),
    st.sampled_from(["a-1", "a-2"]),
    st.sampled_from(["invalid", "incoherent", "declined", "unreadable"]),
    st.sampled_from(["", "2026-01-01T10:00:00.000000+00:00", "2026-01-02T10:00:00.000000+00:00"]),
)


def row(line: int, unit_id: str, judge: str, answer: str, at: str) -> Entry:
    outcome = {"declined": "declined", "unreadable": "invalid"}.get(answer, "judged")
    fields = {"verdict": answer if outcome == "judged" else None, "outcome": outcome}
    problem = "unknown choice" if answer == "unreadable" else ""
    place = {"session": "", "project": "", "annotation": f"#{line}", "digest": answer}
    what = {"unit_id": unit_id, "judge": judge, "answered_at": at, "problem": problem}
    return Entry(**{**asdict(ENTRY), **place, **what, **fields})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(st.lists(st.lists(said, max_size=4), max_size=4))
def test_of_the_rows_of_files_the_last_that_can_be_read_counts(
    tmp_path: Path, imports: list[list[tuple[str, str, str, str]]]
) -> None:
    (tmp_path / LOG_NAME).unlink(missing_ok=True)
    expected: dict[tuple[str, str], str] = {}
    for i, rows in enumerate(imports):
        # the lines of a file say nothing
        entries = [row(2 + i + line, *told) for line, told in enumerate(rows)]
        expected |= {(unit_id, judge): answer for unit_id, judge, answer, _ in rows if answer != "unreadable"}
        append(tmp_path, entries)
        found = read(tmp_path).entries
        assert append(tmp_path, entries).new == 0
        counted = count(found, fold([]), {"u1", "u2"})
        held = {(c.entry.unit_id, c.person): c.entry for c in counted if c.why_not in ("", "declined")}
        assert {at: e.verdict or e.outcome for at, e in held.items()} == expected
        assert sum(c.why_not in ("", "declined") for c in counted) == len(expected)
