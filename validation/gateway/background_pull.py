"""Pulls in the background: a study's answers are pulled when a person waits for it, and regularly."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nextset.errors import NextsetError, StudyHeld
from nextset.validation.label_studio.studies_with_sessions import study_gone
from nextset.validation.plan.event_log import EventLog

__all__ = ["EVERYBODY", "BackgroundPulls"]

EVERYBODY = ""
"""Stands for all people if it is unknown who answered last, such as when the gateway has just started."""

_REGULARLY = 300.0
"""Seconds until new answers are pulled even if no one waits, so that changes are found and kept."""
_LONGEST_PAUSE = 30.0
"""The most seconds between two pulls of a study; the pause is otherwise as long as the last pull took."""
_AGAIN = (5.0, 10.0, 20.0, 40.0, 60.0)
"""Seconds before a pull that failed once, twice, … is retried."""


@dataclass
class _Study:
    """The state of a study's pulls; times are in seconds of the clock."""

    waiting: set[str] = field(default_factory=set)
    """The people who wait for the next pull to begin."""
    served: set[str] = field(default_factory=set)
    """The people for whom a pull is running."""
    due: float | None = None
    """The time when the next pull is due; None if nothing has changed."""
    failures: int = 0
    """The number of failed pulls in a row."""
    ended: int = 0
    """The number of pulls that have ended."""
    gone: bool = False
    """True if the folder was gone when the last pull was due."""
    earliest: float = 0.0
    """The earliest time of the next pull: one person who keeps asking must not keep the server busy."""


class BackgroundPulls:
    """Runs ``nextset validate pull``, one at a time, in a separate process: people continue meanwhile.

    Each pull has its own process, which is started after the pull before it: it has imported its modules when
    it gets its study. ``environment`` names the server for the process. ``say`` receives a line about each
    pull that found new answers or failed. ``ended`` is called after each pull. A failed pull is retried as
    long as the study has an open session. A study whose folder is gone is left out until someone asks again.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        say: Callable[[str], None],
        ended: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._environment, self._ended, self._clock = environment, ended, clock
        self._tell = say
        self._studies: dict[Path, _Study] = {}
        self._changed = asyncio.Event()
        self._pulled = asyncio.Event()
        self._ready: Process | None = None
        """The process of the next pull, which waits for its study."""

    def ask(self, study: Path, person: str) -> None:
        """Pull at once, since ``person`` (or `EVERYBODY`) waits for it."""
        known = self._studies.setdefault(study, _Study())
        known.waiting.add(person)
        self._due(known, self._clock())

    def tell(self, study: Path) -> None:
        """Pull at once, so that the output says what has changed in study.yaml; no one waits for it."""
        self._due(self._studies.setdefault(study, _Study()), self._clock())

    def note_answer(self, study: Path) -> None:
        """Pull within some minutes, since there is an answer that the log does not have."""
        self._due(self._studies.setdefault(study, _Study()), self._clock() + _REGULARLY)

    def waits(self, study: Path, person: str) -> bool:
        """Return whether the last answers of ``person`` are not pulled yet."""
        known = self._studies.get(study)
        return known is not None and bool({person, EVERYBODY} & (known.waiting | known.served))

    async def settled(self, study: Path, person: str, seconds: float) -> None:
        """Return when a pull that ``person`` waits for has ended, at the latest after ``seconds``.

        The next step may be there then, even if the person has asked again meanwhile: a page asks with the
        last answer of a batch, and again when it finds no item.
        """
        known = self._studies.get(study)
        if known is None:
            return
        ended = known.ended
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.waits(study, person) and known.ended == ended:
                    await self._pulled.wait()

    async def run(self) -> None:
        """Run the pulls that are due until cancelled, which also ends the processes of pulls."""
        try:
            await self._run_due()
        finally:
            if self._ready is not None:
                await _end(self._ready)

    async def _run_due(self) -> None:
        while True:
            with contextlib.suppress(OSError):  # the next pull says why there is no process
                await self._prepare()
            self._changed.clear()
            due = [(known.due, study) for study, known in self._studies.items() if known.due is not None]
            at, study = min(due, default=(None, None))
            if at is None or study is None:
                await self._changed.wait()
                continue
            if at > self._clock():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), at - self._clock())
                continue
            await self._pull(study)

    def _due(self, known: _Study, at: float) -> None:
        at = max(at, known.earliest)
        known.due = at if known.due is None else min(known.due, at)
        self._changed.set()

    async def _pull(self, study: Path) -> None:
        known = self._studies[study]
        known.due, known.served, known.waiting = None, known.waiting, set()
        was_gone, known.gone = known.gone, await asyncio.to_thread(study_gone, study)
        if known.gone:
            known.waiting, known.served, known.failures = set(), set(), 0
            if not was_gone:
                self._say(
                    f"{study}: its folder is gone or unreadable; its sessions are left out until it returns\n"
                    "  try: put it back, or mount its disk; the answers meanwhile stay in Label Studio"
                )
            self._end_pull(known)
            return
        begun = self._clock()
        code, output = await self._run(study)
        ended = self._clock()
        known.earliest = ended + min(ended - begun, _LONGEST_PAUSE)
        if known.due is not None:  # someone asked meanwhile
            known.due = max(known.due, known.earliest)
        if code == 0:
            known.failures, known.served = 0, set()
        elif await asyncio.to_thread(_closed, study):
            # no one waits for a pull; answers at a gate are pulled when a session opens
            known.due, known.waiting, known.served, known.failures = None, set(), set(), 0
        else:
            known.waiting |= known.served
            known.served = set()
            wait = _AGAIN[min(known.failures, len(_AGAIN) - 1)]
            known.failures += 1
            self._due(known, self._clock() + wait)
            if code != StudyHeld.exit_code:  # otherwise another command is running, and it will end
                self._say(f"a pull of {study} failed and will be retried in {wait:.0f} seconds:\n{output}")
        if code == 0 and output:
            self._say(output)
        self._end_pull(known)

    def _end_pull(self, known: _Study) -> None:
        known.ended += 1
        self._ended()
        self._pulled.set()
        self._pulled = asyncio.Event()

    def _say(self, line: str) -> None:
        with contextlib.suppress(OSError):  # the output is closed; the pulls continue
            self._tell(line)

    async def _run(self, study: Path) -> tuple[int, str]:
        """Return the exit code and the output of a pull."""
        try:
            process = await self._prepare()
        except OSError as e:  # there are too many processes, or too little memory, for now
            return 1, f"it could not be started: {e.strerror}"
        self._ready = None
        try:
            out, errors = await process.communicate(os.fsencode(study))
        except asyncio.CancelledError:
            await _end(process)
            raise
        code = process.returncode if process.returncode is not None else 1
        output = (out if code == 0 else errors).decode("utf-8", errors="replace").strip()
        return code, "\n".join(output.splitlines()[-12:])

    async def _prepare(self) -> Process:
        """Return the process that waits for a study, which is started if there is none. Raises OSError."""
        if self._ready is None or self._ready.returncode is not None:
            self._ready = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "nextset.cli.prepared_pull"),
                env={**os.environ, **self._environment, "NO_COLOR": "1"},
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                start_new_session=True,
            )
        return self._ready


async def _end(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has ended
        process.terminate()
    await process.wait()


def _closed(study: Path) -> bool:
    """Return whether the study has no open session."""
    try:
        state = EventLog(study / "judgments").state
    except NextsetError:
        return False
    return bool(state.sessions) and state.current is None
