from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextset.errors import JudgmentError
from nextset.validation.plan.event_log import PLAN_NAME, append_events, read_events
from nextset.validation.plan.events import (
    AssignedItem,
    BatchAssigned,
    BatchCancelled,
    BatchPushed,
    Event,
    GateAnswered,
    PersonJoined,
    PersonLeft,
    ProjectMade,
    SessionClosed,
    SessionOpened,
)
from tests.validation.plan.sample_plans import opened

times = st.datetimes().map(datetime.isoformat)
plain = (
    *(SessionOpened, PersonJoined, ProjectMade, GateAnswered),
    *(BatchPushed, BatchCancelled, PersonLeft, SessionClosed),
)


def built(record: type[Event]) -> st.SearchStrategy[Event]:
    """Events of a kind: a time is one, whatever else is in it."""
    return st.builds(record, at=times) if hasattr(record, "at") else st.builds(record)


batches = st.builds(BatchAssigned, opens=times, items=st.lists(st.builds(AssignedItem)).map(tuple))
events = st.lists(st.one_of(*map(built, plain), batches), max_size=10)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(events, events)
def test_events_come_back(tmp_path: Path, first: list[Event], then: list[Event]) -> None:
    (tmp_path / PLAN_NAME).unlink(missing_ok=True)
    append_events(tmp_path, first)
    append_events(tmp_path, then)
    log = read_events(tmp_path)
    assert log.events == (*first, *then)
    assert log.torn == ()


def test_a_line_that_was_cut_is_reported_and_left_as_it_is(tmp_path: Path) -> None:
    append_events(tmp_path, [opened(["u1"]), opened(["u2"], "2")])
    path = tmp_path / PLAN_NAME
    cut = path.read_bytes()[:-20]
    path.write_bytes(cut)
    append_events(tmp_path, [opened(["u3"], "3")])
    log = read_events(tmp_path)
    assert log.events == (opened(["u1"]), opened(["u3"], "3"))
    assert log.torn == (2,)
    assert path.read_bytes().startswith(cut + b"\n")


@pytest.mark.parametrize(
    "line",
    [
        {"event": "unheard of"},
        {"event": "session_closed", "session": "1"},
        {"event": "session_closed", "session": {}, "at": "now"},
        {"event": "session_closed", "session": "1", "at": "now"},
        {"at": ""},
        {"event": []},
    ],
)
def test_a_line_that_is_no_event_is_refused(tmp_path: Path, line: object) -> None:
    append_events(tmp_path, [opened(["u1"])])
    with (tmp_path / PLAN_NAME).open("a") as f:
        f.write(json.dumps(line) + "\n")
    why = "this version of nextset does not know the event|this line is not the event session_closed"
    with pytest.raises(JudgmentError, match=rf"plan\.jsonl:2: ({why})") as e:
        read_events(tmp_path)
    assert "backup" in e.value.remedy


def test_a_break_that_ends_at_no_time_is_refused(tmp_path: Path) -> None:
    """Read without complaint, it would stop each pull and the pages of everybody at the gateway."""
    batch = BatchAssigned(session="1", person="p", batch=1, items=(), opens="soon")
    append_events(tmp_path, [opened(["u1"]), batch])
    with pytest.raises(JudgmentError, match=r"plan\.jsonl:2: .* batch_dealt .*opens: 'soon' is not a time"):
        read_events(tmp_path)
