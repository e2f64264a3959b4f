"""Sessions with faults in them, on a real Label Studio: what was acknowledged is in the log, once.

``python -m tests.validation.session.faulty_sessions FOLDER SEED CYCLES`` prints what happened as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nextset.errors import ServerError
from nextset.study.study_folder import Study
from nextset.validation.judgments.judgment_log import LOG_NAME, read
from nextset.validation.label_studio.address_and_token import TOKEN_VARIABLE, URL_VARIABLE
from nextset.validation.label_studio.http_retries import Patience
from nextset.validation.plan.event_log import PLAN_NAME, EventLog
from nextset.validation.session.close import close_session
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from tests.validation.faulty_proxy import Asked, Fault, Proxy, proxied
from tests.validation.session.sample_annotators import judged, pass_gate
from tests.validation.session.sample_study import made_study
from tests.validation.studio import Annotator, Studio, running

__all__ = ["FAULTS", "PROXY_FAULTS", "Tally", "faulty_session"]

SESSION = """
    consent: Example University runs this study. Your answers are kept under a pseudonym.
    support: Talk to A. Example, room 1, when something troubles you.
    budget: {batch: 6, person: 1000}
    rest_every: 4
    overlap: 2
"""

PROXY_FAULTS: tuple[Fault, ...] = (
    "504 after", "503 before", "cut before", "cut after", "half", "last page", "reversed",
)  # fmt: skip
FAULTS = (
    *PROXY_FAULTS,
    "server killed during a pull",
    "server killed between an annotation and its pull",
    "pull killed",
    "two pulls at once",
)
"""What a cycle can suffer; opening suffers a killed server in every study."""

_WEIGHTS = (*[12] * len(PROXY_FAULTS), 4, 4, 4, 4)
SHORT = Patience(reads=2.0, settle=0.3, pause=0.05)
"""For a server that will not come back by itself."""

_UNITS, _CYCLES = 60, 40


@dataclass
class Tally:
    """What happened."""

    cycles: int = 0
    """Cycles of answers, fault and pull."""
    faults: Counter[str] = field(default_factory=Counter)
    """Faults by name."""
    answers: int = 0
    """Answers, edits and skips that the server acknowledged."""
    lost: int = 0
    """Of these, those that are not in the log after the pull that should have taken them."""
    overwritten: int = 0
    """Times that the log's earlier lines were not what they had been."""
    doubled: int = 0
    """Units that were in a project twice, at the end of a study."""
    twice: int = 0
    """States of annotations that were in the log twice."""

    @property
    def good(self) -> bool:
        """Whether nothing was lost, overwritten or doubled."""
        return not (self.lost or self.overwritten or self.doubled or self.twice)


class _World:
    """A study, its people, and what the server has acknowledged."""

    def __init__(self, studio: Studio, people: list[Annotator], folder: Path, chance: random.Random) -> None:
        self.studio, self.people, self.chance = studio, people, chance
        self.study: Study = made_study(folder, _UNITS, SESSION)
        self.acknowledged: list[tuple[str, str]] = []
        """Annotation's number and verdict, or skip; each state that was acknowledged since the last pull."""
        self.done: dict[int, dict[int, int]] = {a.number: {} for a in people}
        self.waiting: dict[int, list[int]] = {a.number: [] for a in people}
        self.skipped: set[int] = set()
        self.logs = dict.fromkeys((LOG_NAME, PLAN_NAME), b"")

    def works(self) -> dict[int, str]:
        """The work projects by the people's places; people join in their order."""
        session = EventLog(self.study.judgments).state.current
        assert session is not None
        parts = list(session.people.values())
        return {a.number: p.projects["work"] for a, p in zip(self.people, parts, strict=True)}

    def open(self, proxy: Proxy, tally: Tally) -> None:
        """Open the session while the server is killed, then again; everybody passes the gate."""
        emails = [a.email for a in self.people]
        _kill_at(proxy, self.studio, self.chance.randrange(3, 25))
        with contextlib.suppress(ServerError):
            open_session(self.study, self.studio.client(proxy.address, SHORT), emails)
        tally.faults["server killed during open"] += 1
        _no_fault(proxy)
        self.studio.restart()
        opened = open_session(self.study, self.studio.client(), emails)
        assert len(opened.people) == len(self.people)
        right = [item.verdict for item in session_materials(self.study).briefing.comprehension]  # type: ignore[union-attr]
        session = EventLog(self.study.judgments).state.current
        assert session is not None
        for annotator, part in zip(self.people, session.people.values(), strict=True):
            pass_gate(self.studio, annotator, part.projects["gate"], right)
        pull_session(self.study, self.studio.client())

    def answer(self, tally: Tally) -> None:
        """Everybody answers, skips or edits a little; what is acknowledged is noted."""
        works = self.works()
        for annotator in self.people:
            done = self.done[annotator.number]
            waiting = self.waiting[annotator.number]
            if not waiting:
                there = self.studio.task_numbers(int(works[annotator.number])).values()
                waiting.extend(task for task in there if task not in done)
            for task in [waiting.pop(0) for _ in range(min(len(waiting), self.chance.randrange(4)))]:
                verdict = self.chance.choice(("valid", "invalid", "incoherent", "skip"))
                if verdict == "skip":
                    done[task] = annotator.answer(task, skip=True)
                    self.skipped.add(task)
                else:
                    done[task] = annotator.answer(task, *judged(verdict))
                self._note(done[task], verdict, tally)
            judged_ones = [number for task, number in done.items() if task not in self.skipped]
            if judged_ones and self.chance.random() < 0.3:
                number = self.chance.choice(judged_ones)
                verdict = self.chance.choice(("valid", "invalid", "incoherent"))
                annotator.edit(number, *judged(verdict))
                self._note(number, verdict, tally)

    def _note(self, annotation: int, verdict: str, tally: Tally) -> None:
        # An edit in the same cycle leaves only the last state for anybody to see.
        self.acknowledged = [a for a in self.acknowledged if a[0] != str(annotation)]
        self.acknowledged.append((str(annotation), verdict))
        tally.answers += 1

    def check(self, tally: Tally) -> None:
        """After a pull that ended well: everything acknowledged is there, and nothing was overwritten."""
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
        close_session(self.study, self.studio.client())
        session = list(EventLog(self.study.judgments).state.sessions.values())[-1]
        for part in session.people.values():
            for project in part.projects.values():
                params: dict[str, str | int] = {
                    "project": int(project),
                    "page_size": 10_000,
                    "include": "id,data",
                }
                found = self.studio.client().calls.get("/api/tasks/", params)["tasks"]
                units = Counter(task["data"]["unit_id"] for task in found)
                tally.doubled += sum(n - 1 for n in units.values())


def faulty_session(
    studio: Studio, people: list[Annotator], folder: Path, seed: int, faults: list[str], tally: Tally
) -> None:
    """A session in which each of ``faults`` happens in a cycle of its own; adds to ``tally``."""
    chance = random.Random(seed)
    with proxied(studio.url) as proxy:
        world = _World(studio, people, folder, chance)
        world.open(proxy, tally)
        for fault in faults:
            world.answer(tally)
            ended_well = _suffer(world, proxy, fault)
            _no_fault(proxy)
            if not ended_well:
                pull_session(world.study, studio.client())
            world.check(tally)
            tally.cycles += 1
            tally.faults[fault] += 1
        world.end(tally)


def _suffer(world: _World, proxy: Proxy, fault: str) -> bool:
    """Pull while ``fault`` happens, and say whether the pull ended well.

    It may fail, with an error that a person can mend.
    """
    studio, chance = world.studio, world.chance
    if fault in PROXY_FAULTS:
        pages = fault in ("last page", "reversed")
        at = chance.randrange(0, 6 if pages else 12)
        asked = iter(range(10_000))
        proxy.fault = lambda a: (
            fault if (not pages or a.path.startswith("/api/tasks/?")) and next(asked) == at else ""
        )
        with contextlib.suppress(ServerError):
            pull_session(world.study, studio.client(proxy.address, SHORT))
            return True
    elif fault == "server killed during a pull":
        _kill_at(proxy, studio, chance.randrange(1, 12))
        with contextlib.suppress(ServerError):
            pull_session(world.study, studio.client(proxy.address, SHORT))
        _no_fault(proxy)
        studio.restart()
    elif fault == "server killed between an annotation and its pull":
        studio.kill()
        studio.restart()
    elif fault == "pull killed":
        with _pulling(world.study, proxy.address, studio) as pull:
            at = chance.randrange(1, 10)
            proxy.asked.clear()
            proxy.passed = lambda asked: pull.kill() if asked.number >= at else None
            pull.wait(60)
    else:
        with (
            _pulling(world.study, studio.url, studio) as one,
            _pulling(world.study, studio.url, studio) as two,
        ):
            codes = {one.wait(60), two.wait(60)}
        assert codes <= {0, 5}, codes  # 5: the study is held
        return 0 in codes
    return False


@contextlib.contextmanager
def _pulling(study: Study, url: str, studio: Studio) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, URL_VARIABLE: url, TOKEN_VARIABLE: studio.connection.token}
    command = [sys.executable, "-m", "nextset", "validate", "pull", str(study.folder)]
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
