"""Many people who judge at the same time: the number of lost answers, and the waiting times."""

from __future__ import annotations

import sys
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

from benchmarks.figures import figure
from nextset.errors import StudyHeld
from nextset.study.study_folder import Study
from nextset.validation.label_studio.accounts import make_account
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.event_log import EventLog
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from tests.validation.session.sample_annotators import gate_answers, judged
from tests.validation.session.sample_study import kept, made_study

__all__ = ["Load", "SimulatedPerson", "measure_load", "people_at_work", "print_load"]

_SESSION = """
    consent: Example University runs this study. Your answers are kept under a pseudonym.
    support: Talk to A. Example, office 1, if something troubles you.
    budget: {{batch: {items}, person: {items}}}
"""
_VERDICTS = ("valid", "invalid", "incoherent")


@dataclass
class SimulatedPerson:
    """A person who is logged in, and sends the requests of the page."""

    email: str
    http: httpx2.Client = field(repr=False)
    project: int = 0
    """The id of the work project."""
    acknowledged: dict[int, list[dict[str, Any]]] = field(default_factory=dict, repr=False)
    """Submitted answers, by their number on the server."""
    submits: list[float] = field(default_factory=list, repr=False)
    """Seconds that each submit took."""
    nexts: list[float] = field(default_factory=list, repr=False)
    """Seconds that each request for the next task took."""
    failed: list[str] = field(default_factory=list)
    """Requests that failed."""

    def next_task(self) -> int:
        """Return the number of the next task; 0 if there is none."""
        view = {"ordering": [], "selectedItems": {"all": False, "included": []}}
        body = {**view, "filters": {"conjunction": "and", "items": []}, "project": str(self.project)}
        address = f"/api/dm/actions?id=next_task&tabID=1&project={self.project}"
        answer = self._sent(address, body, self.nexts)
        return int(answer["id"]) if answer else 0

    def submit(self, task: int, result: list[dict[str, Any]], project: int = 0) -> bool:
        """Submit an answer as the page does; return whether the server acknowledged it."""
        body = {
            "lead_time": 2.5,
            "result": [{**part, "id": uuid.uuid4().hex[:10], "origin": "manual"} for part in result],
            "draft_id": 0,
            "parent_prediction": None,
            "parent_annotation": None,
            "started_at": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
            "unique_id": str(uuid.uuid4()),
            "project": str(project or self.project),
        }
        address = f"/api/tasks/{task}/annotations?project={project or self.project}"
        answer = self._sent(address, body, self.submits)
        if answer:
            self.acknowledged[int(answer["id"])] = body["result"]
        return bool(answer)

    def work(self, begin: float, end: float, pause: float) -> None:
        """Submit an answer every ``pause`` seconds from ``begin`` to ``end``, on the monotonic clock."""
        over, task = threading.Event(), self.next_task()
        while task and begin < end:
            over.wait(max(0.0, begin - time.monotonic()))
            if self.submit(task, judged(_VERDICTS[task % 3])):
                task = self.next_task()
            begin = max(begin + pause, time.monotonic())

    def _sent(self, address: str, body: Any, seconds: list[float]) -> Any:
        began = time.monotonic()
        try:
            answer = self.http.post(address, json=body).raise_for_status().json()
        except httpx2.HTTPError as e:
            self.failed.append(f"{address.partition('?')[0]}: {e!r}")
            return None
        seconds.append(time.monotonic() - began)
        return answer


@dataclass(frozen=True)
class Load:
    """The result of a load."""

    seconds: float
    acknowledged: int
    failed: list[str]
    """Requests that failed."""
    lost: int
    """Answers that were acknowledged but are missing or changed on the server."""
    twice: int
    """Tasks with two answers."""
    submits: Sequence[float]
    nexts: Sequence[float]


@contextmanager
def people_at_work(
    client: LabelStudio, address: str, folder: Path, n: int, items: int
) -> Iterator[list[SimulatedPerson]]:
    """Yield ``n`` people of a real session of a study in ``folder``, logged in at ``address``.

    Each has passed the gate and has about ``items`` tasks.
    """
    study = made_study(folder, session=_SESSION.format(items=items), table=kept(n * items // 3))
    with ExitStack() as stack:
        run = uuid.uuid4().hex[:8]
        people = [_logged_in(client, address, f"p{i}-{run}@example.org", stack) for i in range(n)]
        opened = open_session(study, client, [p.email for p in people])
        state = EventLog(study.judgments).state.current
        briefing = session_materials(study).briefing
        assert state is not None
        assert briefing is not None
        right = briefing.comprehension
        pseudonyms = {invited.email: invited.person for invited in opened.people}
        for person in people:
            gate = int(state.people[pseudonyms[person.email]].projects["gate"])
            (task,) = client.tasks(gate)
            assert person.submit(task.task, gate_answers(right), gate), person.failed
            person.acknowledged.clear()
            person.submits.clear()
        _pulled(study, client)
        state = EventLog(study.judgments).state.current
        assert state is not None
        for person in people:
            person.project = int(state.people[pseudonyms[person.email]].projects["work"])
        yield people


def _pulled(study: Study, client: LabelStudio) -> None:
    """Pull as soon as the gateway's own pull has released the study."""
    over = threading.Event()
    for _ in range(600):
        try:
            pull_session(study, client)
        except StudyHeld:
            over.wait(0.5)
        else:
            return
    raise TimeoutError("the study has been locked for minutes")


def _logged_in(client: LabelStudio, address: str, email: str, stack: ExitStack) -> SimulatedPerson:
    made = make_account(client, email)
    assert made is not None
    http = stack.enter_context(httpx2.Client(base_url=address, timeout=60.0, trust_env=False))
    http.headers["Referer"] = f"{address}/"
    http.get("/user/login/").raise_for_status()
    form = {"email": made.email, "password": made.password, "persist_session": "on"}
    form["csrfmiddlewaretoken"] = http.cookies["csrftoken"]
    assert http.post("/user/login/", data=form).status_code == 302, "cannot log in"
    return SimulatedPerson(made.email, http)


def measure_load(client: LabelStudio, people: list[SimulatedPerson], pause: float, seconds: float) -> Load:
    """Let ``people`` work for ``seconds``, one answer every ``pause`` seconds each; look for all answers."""
    for person in people:
        person.submits.clear()
        person.nexts.clear()
        person.failed.clear()
    begin = time.monotonic() + 1.0
    with ThreadPoolExecutor(len(people)) as pool:
        begins = [begin + pause * i / len(people) for i in range(len(people))]
        work = [pool.submit(p.work, at, begin + seconds, pause) for p, at in zip(people, begins, strict=True)]
        for done in work:
            done.result()
    took = time.monotonic() - begin
    lost = twice = 0
    for person in people:
        found = list(client.answers(person.project))
        on_server = {int(f.annotation["id"]): f.annotation["result"] for f in found}
        lost += sum(on_server.get(number) != result for number, result in person.acknowledged.items())
        twice += len(found) - len({f.unit_id for f in found})
    return Load(
        took,
        sum(len(p.submits) for p in people),
        [line for p in people for line in p.failed],
        lost,
        twice,
        [s for p in people for s in p.submits],
        [s for p in people for s in p.nexts],
    )


def print_load(load: Load, people: int, pause: float) -> None:
    """Print the figures and their goals."""
    name = f"{people} people, one answer per {pause:g} s each, {load.seconds / 60:.1f} minutes"
    figure(f"{name}: answers acknowledged", load.acknowledged, "measured only", load.acknowledged > 0)
    figure("  per second", load.acknowledged / load.seconds, "measured only", True)
    figure("  lost", load.lost, "0", load.lost == 0)
    figure("  twice", load.twice, "0", load.twice == 0)
    figure("requests that failed", len(load.failed), "0", not load.failed)
    for line in load.failed[:5]:
        sys.stderr.write(f"{line}\n")
    for what, seconds, goal in (("submit", load.submits, 1.0), ("next task", load.nexts, None)):
        if seconds:
            for percentile in (50, 95, 99):
                found = float(np.percentile(seconds, percentile))
                bound = goal if percentile == 95 else None
                shown = "measured only" if bound is None else f"<= {bound:g} s"
                figure(
                    f"seconds of the {what}, p{percentile}",
                    found,
                    shown,
                    bound is None or found <= bound,
                    "s",
                )
