"""Sessions with faults in them, on a real Label Studio: what the gateway acknowledged is in the log, once.

People answer through the gateway, a process of its own; between it and the server is a proxy that makes
faults. Nobody pulls so that people can go on: the gateway sends them their batches.

``python -m tests.validation.session.faulty_sessions FOLDER SEED CYCLES`` prints what happened as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from nextset.errors import ServerError, StudyHeld
from nextset.files.folder_lock import locked_folder
from nextset.records.judgment import LOG_NAME
from nextset.study.study_folder import Study
from nextset.validation.judgments.judgment_log import read
from nextset.validation.label_studio.address_and_token import TOKEN_VARIABLE, URL_VARIABLE
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.http_retries import Patience
from nextset.validation.plan.event_log import PLAN_NAME, EventLog
from nextset.validation.session.close import close_session
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import Pulled, pull_session
from tests.validation.faulty_proxy import Asked, Fault, Proxy, proxied
from tests.validation.session.sample_annotators import judged, pass_gate
from tests.validation.session.sample_study import made_study
from tests.validation.studio import QUICK, Annotator, Studio, running
from tests.validation.studio_gateway import (
    GatewayProcess,
    as_in_a_browser,
    gateway_process,
    next_item,
    wait,
)

__all__ = ["ANSWER_FAULTS", "FAULTS", "PROXY_FAULTS", "Tally", "faulty_session"]

SESSION = """
    consent: Example University runs this study. Your answers are kept under a pseudonym.
    support: Talk to A. Example, room 1, when something troubles you.
    budget: {batch: 6, person: 1000, pause: 0}
    rest_every: 4
    overlap: 2
"""

PROXY_FAULTS: tuple[Fault, ...] = (
    "504 after", "503 before", "cut before", "cut after", "half", "last page", "reversed",
)  # fmt: skip
_CUTS: dict[str, Fault] = {
    f"answer: {fault}": fault for fault in ("504 after", "503 before", "cut before", "cut after", "half")
}
ANSWER_FAULTS = (
    *_CUTS,
    "gateway killed in the middle of an answer",
    "gateway killed between an answer and its acknowledgement",
    "server killed between an answer and its acknowledgement",
)
"""What can happen to an answer; the person gives it again."""
FAULTS = (
    *PROXY_FAULTS,
    *ANSWER_FAULTS,
    "gateway killed during a pull through it",
    "gateway killed while it pulls",
    "server killed during a pull",
    "server killed between an annotation and its pull",
    "pull killed",
    "two pulls at once",
)
"""What a cycle can suffer; opening suffers a killed server in every study."""

_WEIGHTS = (*[8] * len(PROXY_FAULTS), *[4] * len(_CUTS), 12, 12, 4, 6, 6, 4, 4, 4, 4)
SHORT = Patience(reads=2.0, settle=0.3, pause=0.05)
"""For a server that will not come back by itself."""

_UNITS, _CYCLES = 80, 40
_TRIES = 20
_LONGEST = 180.0


@dataclass
class Tally:
    """What happened."""

    cycles: int = 0
    """Cycles of answers, fault and pull."""
    faults: Counter[str] = field(default_factory=Counter)
    """Faults by name."""
    answers: int = 0
    """Answers, edits and skips that the gateway acknowledged."""
    again: int = 0
    """Answers that had to be given again, because they were not acknowledged."""
    refused: int = 0
    """Requests of people that the gateway refused, though they were theirs to make."""
    lost: int = 0
    """Acknowledged answers that are not in the log after the pull that should have taken them."""
    overwritten: int = 0
    """Times that the log's earlier lines were not what they had been."""
    doubled: int = 0
    """Units that were in a project twice, at the end of a study."""
    twice: int = 0
    """States of annotations that were in the log twice, and units that somebody had answered twice."""

    @property
    def good(self) -> bool:
        """Whether nothing was lost, overwritten, doubled or refused."""
        return not (self.lost or self.overwritten or self.doubled or self.twice or self.refused)


class _World:
    """A study, its people at the gateway, and what was acknowledged to them."""

    def __init__(
        self,
        studio: Studio,
        proxy: Proxy,
        gateway: GatewayProcess,
        people: list[Annotator],
        folder: Path,
        chance: random.Random,
    ) -> None:
        self.studio, self.proxy, self.gateway = studio, proxy, gateway
        self.people, self.chance = people, chance
        self.study: Study = made_study(folder, _UNITS, SESSION)
        self.acknowledged: list[tuple[str, str]] = []
        """Annotation's number and verdict, or skip; each state that was acknowledged since the last pull."""
        self.answered: dict[int, list[int]] = {a.number: [] for a in people}
        """Numbers of the people's annotations that are verdicts."""
        self.logs = dict.fromkeys((LOG_NAME, PLAN_NAME), b"")
        self.link = ""
        self.stack = ExitStack()

    def client(self, patience: Patience = QUICK) -> LabelStudio:
        """The owner's client, through the gateway."""
        return self.stack.enter_context(LabelStudio(self.gateway.connection, patience))

    def held(self, do: Callable[[], Pulled]) -> Pulled:
        """Do this, as soon as the gateway's pull lets go of the study."""
        until = time.monotonic() + _LONGEST
        while True:
            try:
                return do()
            except StudyHeld:
                if time.monotonic() > until:
                    raise
                wait(0.2)

    def pull(self, patience: Patience = QUICK) -> None:
        """Pull through the gateway. Raises ServerError."""
        self.held(lambda: pull_session(self.study, self.client(patience)))

    def repair(self) -> None:
        """Start again what was killed."""
        _no_fault(self.proxy)
        if self.studio.serving.process.poll() is not None:
            self.studio.restart()
        if not self.gateway.runs:
            self.gateway.restart()

    def project(self, annotator: Annotator, role: str) -> int:
        """The number of a person's project; people join in their order."""
        session = EventLog(self.study.judgments).state.current
        assert session is not None
        parts = dict(zip([a.number for a in self.people], session.people.values(), strict=True))
        return int(parts[annotator.number].projects[role])  # type: ignore[index]

    def open(self, tally: Tally) -> None:
        """Open the session while the server is killed, then again; everybody passes the gate by the link."""
        emails = [a.email for a in self.people]
        _kill_at(self.proxy, self.studio, self.chance.randrange(3, 25))
        with contextlib.suppress(ServerError):
            open_session(self.study, self.client(SHORT), emails)
        tally.faults["server killed during open"] += 1
        self.repair()
        opened = open_session(self.study, self.client(), emails)
        assert len(opened.people) == len(self.people)
        self.link = opened.people[0].link
        right = session_materials(self.study).briefing.comprehension
        for annotator in self.people:
            pass_gate(self.studio, annotator, str(self.project(annotator, "gate")), right)
        for annotator in self.people:
            assert self.led(annotator), "there is no work"

    def led(self, annotator: Annotator) -> bool:
        """Open the link until it leads to the work, or says that there is none now."""
        until = time.monotonic() + _LONGEST
        while True:
            said = annotator.http.get(self.link)
            if said.is_redirect and re.search(r"/projects/\d+/data", said.headers["location"]):
                return True
            if said.status_code == 200 and "refresh" not in said.headers:
                return False
            assert said.status_code in (200, 503), said
            assert time.monotonic() < until, said.text
            wait(0.3)

    def answer(self, tally: Tally) -> None:
        """Everybody answers, skips or edits a little; what is acknowledged is noted."""
        for annotator in self.people:
            for _ in range(self.chance.randrange(4)):
                self.answer_one(annotator, tally)
            if self.answered[annotator.number] and self.chance.random() < 0.3:
                self.edit(annotator, tally)

    def answer_one(self, annotator: Annotator, tally: Tally) -> bool:
        """Answer the item that the person has next, if there is one."""
        project = self.project(annotator, "work")
        task = next_item(annotator, project)
        if task is None and self.led(annotator):
            task = next_item(annotator, project)
        if task is None:
            return False
        verdict = self.chance.choice(("valid", "invalid", "incoherent", "skip"))
        skip = verdict == "skip"
        body = {"result": [] if skip else judged(verdict), "was_cancelled": skip, "lead_time": 4.5}
        number = self._submitted(annotator, project, task, None, body, tally)
        if not skip:
            self.answered[annotator.number].append(number)
        self._note(number, verdict, tally)
        return True

    def edit(self, annotator: Annotator, tally: Tally) -> None:
        """Answer an item otherwise."""
        number = self.chance.choice(self.answered[annotator.number])
        verdict = self.chance.choice(("valid", "invalid", "incoherent"))
        body = {"result": judged(verdict)}
        self._submitted(annotator, self.project(annotator, "work"), 0, number, body, tally)
        self._note(number, verdict, tally)

    def _submitted(
        self,
        annotator: Annotator,
        project: int,
        task: int,
        annotation: int | None,
        body: dict[str, Any],
        tally: Tally,
    ) -> int:
        """Submit as the page does: one that was not acknowledged is looked for, and then given again."""
        path, sure = f"/api/tasks/{task}/annotations?project={project}", True
        for _ in range(_TRIES):
            try:
                if not sure:
                    found = annotator.http.get(f"/api/tasks/{task}?project={project}").raise_for_status()
                    there = found.json()["annotations"]
                    annotation = int(there[0]["id"]) if there else None
                if annotation is None:
                    said = annotator.http.post(path, json=body)
                else:
                    said = annotator.http.patch(f"/api/annotations/{annotation}?project={project}", json=body)
                if said.is_success:
                    return int(said.json()["id"])
                tally.refused += said.status_code < 500
            except (httpx2.RequestError, httpx2.HTTPStatusError):
                pass  # whether it was taken is not known
            tally.again += 1
            sure = annotation is not None
            self.repair()
        raise AssertionError(f"an answer was not taken {_TRIES} times")

    def _note(self, annotation: int, verdict: str, tally: Tally) -> None:
        # An edit in the same cycle leaves only the last state for anybody to see.
        self.acknowledged = [a for a in self.acknowledged if a[0] != str(annotation)]
        self.acknowledged.append((str(annotation), verdict))
        tally.answers += 1

    def check(self, tally: Tally) -> None:
        """After a pull that ended well: everything acknowledged is there, and nothing was overwritten."""
        self.held(lambda: self._check(tally))  # type: ignore[arg-type, return-value]

    def _check(self, tally: Tally) -> None:
        with locked_folder(self.study.judgments, "check"):
            for name, before in self.logs.items():
                path = self.study.judgments / name
                now = path.read_bytes() if path.exists() else b""
                tally.overwritten += not now.startswith(before)
                self.logs[name] = now
            entries = read(self.study.judgments).entries
        there = {(e.annotation, e.verdict or e.outcome.replace("skipped", "skip")) for e in entries}
        tally.lost += sum(state not in there for state in self.acknowledged)
        self.acknowledged = []
        states = Counter((e.annotation, e.answered_at, e.digest) for e in entries)
        tally.twice += sum(n - 1 for n in states.values())

    def end(self, tally: Tally) -> None:
        """Close it, and look at every project once more."""
        self.held(lambda: close_session(self.study, self.client()))  # type: ignore[arg-type, return-value]
        session = list(EventLog(self.study.judgments).state.sessions.values())[-1]
        for part in session.people.values():
            for project in part.projects.values():
                tasks = list(self.studio.client().tasks(int(project)))
                units = Counter(task.unit_id for task in tasks)
                tally.doubled += sum(n - 1 for n in units.values())
                tally.twice += sum(max(0, len(task.annotations) - 1) for task in tasks)


def faulty_session(
    studio: Studio, people: list[Annotator], folder: Path, seed: int, faults: list[str], tally: Tally
) -> None:
    """A session in which each of ``faults`` happens in a cycle of its own; adds to ``tally``."""
    chance = random.Random(seed)
    with (
        proxied(studio.url) as proxy,
        gateway_process(proxy.address, studio.connection.token, folder / "gateway") as gateway,
        ExitStack() as stack,
    ):
        url = gateway.connection.url
        browsers = [stack.enter_context(as_in_a_browser(a, url)) for a in people]
        world = _World(studio, proxy, gateway, browsers, folder / "study", chance)
        stack.enter_context(world.stack)
        world.open(tally)
        for fault in faults:
            world.answer(tally)
            ended_well = _suffer(world, fault, tally)
            world.repair()
            if not ended_well:
                world.pull()
            world.check(tally)
            tally.cycles += 1
            tally.faults[fault] += 1
        world.end(tally)


def _suffer(world: _World, fault: str, tally: Tally) -> bool:
    """Let ``fault`` happen to an answer or a pull, and say whether a pull ended well.

    A pull may fail, with an error that a person can mend.
    """
    studio, proxy, gateway, chance = world.studio, world.proxy, world.gateway, world.chance
    if fault in ANSWER_FAULTS:
        _suffer_answering(world, fault, tally)
    elif fault in PROXY_FAULTS:
        pages = fault in ("last page", "reversed")
        at = chance.randrange(0, 6 if pages else 12)
        asked = iter(range(10_000))
        proxy.fault = lambda a: (
            fault if (not pages or a.path.startswith("/api/tasks/?")) and next(asked) == at else ""
        )
        with contextlib.suppress(ServerError):
            world.pull(SHORT)
            return True
    elif fault == "gateway killed during a pull through it":
        _at(proxy, chance.randrange(1, 12), gateway.kill)
        with contextlib.suppress(ServerError):
            world.pull(SHORT)
    elif fault == "gateway killed while it pulls":
        gateway.restart()  # it pulls at once; that pull goes on without it
        _at(proxy, chance.randrange(0, 5), gateway.kill)
        gateway.process.wait(_LONGEST)
    elif fault == "server killed during a pull":
        _kill_at(proxy, studio, chance.randrange(1, 12))
        with contextlib.suppress(ServerError):
            world.pull(SHORT)
    elif fault == "server killed between an annotation and its pull":
        studio.kill()
    elif fault == "pull killed":
        with _pulling(world) as pull:
            _at(proxy, chance.randrange(1, 10), pull.kill)
            pull.wait(_LONGEST)
    else:
        with _pulling(world) as one, _pulling(world) as two:
            codes = {one.wait(_LONGEST), two.wait(_LONGEST)}
        assert codes <= {0, 5}, codes  # 5: the study is held
        return 0 in codes
    return False


def _suffer_answering(world: _World, fault: str, tally: Tally) -> None:
    """Let ``fault`` happen to the next answer of somebody; it is given again until it is acknowledged."""
    proxy, gateway, studio = world.proxy, world.gateway, world.studio
    hit: list[int] = []
    goes_on = world.chance.random() < 0.5

    def before(a: Asked) -> Fault:
        if hit or a.method not in ("POST", "PATCH") or "/annotations" not in a.path:
            return ""
        hit.append(a.number)
        if fault in _CUTS:
            return _CUTS[fault]
        if fault != "gateway killed in the middle of an answer":
            return "cut after"
        gateway.kill()
        return "" if goes_on else "cut before"

    def after(a: Asked) -> None:
        if a.number in hit and fault == "gateway killed between an answer and its acknowledgement":
            gateway.kill()
        elif a.number in hit and fault == "server killed between an answer and its acknowledgement":
            studio.kill()

    proxy.fault, proxy.passed = before, after
    someone = world.chance.choice(world.people)
    if not world.answer_one(someone, tally):
        world.edit(someone, tally)
    assert hit, f"nothing suffered: {fault}"


def _at(proxy: Proxy, request: int, kill: Callable[[], None]) -> None:
    """Kill when so many requests have come by, this one done and not answered; or at the next one."""
    proxy.asked.clear()
    proxy.passed = lambda asked: kill() if asked.number >= request else None


@contextlib.contextmanager
def _pulling(world: _World) -> Iterator[subprocess.Popen[bytes]]:
    connection = world.gateway.connection
    environment = {**os.environ, URL_VARIABLE: connection.url, TOKEN_VARIABLE: connection.token}
    command = [sys.executable, "-m", "nextset", "validate", "pull", str(world.study.folder)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _kill_at(proxy: Proxy, studio: Studio, request: int) -> None:
    """Kill the server when so many requests have come by: this one is done, and not answered."""
    proxy.asked.clear()

    def passed(asked: Asked) -> None:
        if asked.number == request:
            studio.kill()

    proxy.passed = passed
    # What comes after finds nobody, and does not have to wait for long.
    proxy.fault = lambda asked: "504 after" if asked.number == request else ""


def _no_fault(proxy: Proxy) -> None:
    proxy.fault = lambda asked: ""
    proxy.passed = lambda asked: None


def main(folder: Path, seed: int, cycles: int) -> None:
    """Run ``cycles``, some of them a study; print the tally as JSON, and how it goes to stderr."""
    chance = random.Random(seed)
    tally = Tally()
    began = time.monotonic()
    with running(folder / "label-studio") as studio:
        people = [studio.annotator(f"{name}@example.org") for name in ("ana", "ben")]
        study = 0
        while tally.cycles < cycles:
            n = min(_CYCLES, cycles - tally.cycles)
            faults = chance.choices(FAULTS, _WEIGHTS, k=n)
            faulty_session(studio, people, folder / f"study-{study}", chance.randrange(2**32), faults, tally)
            study += 1
            sys.stderr.write(f"{tally.cycles} cycles, {time.monotonic() - began:.0f} s, good: {tally.good}\n")
    said = {**vars(tally), "good": tally.good, "seconds": time.monotonic() - began}
    sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
