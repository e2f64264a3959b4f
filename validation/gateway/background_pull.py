"""Pulls in the background: a study's answers are taken in when somebody waits for it, and now and then."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nextset.errors import NextsetError, StudyHeld
from nextset.validation.plan.event_log import EventLog

__all__ = ["EVERYBODY", "BackgroundPulls"]

EVERYBODY = ""
"""In place of a person: nobody knows who answered what last, such as when the gateway has just started."""

_REGULARLY = 300.0
"""Seconds after which answers that came in are pulled though nobody waits: changes are found, and kept."""
_LONGEST_PAUSE = 30.0
"""Seconds between two pulls of a study, at most; else as long as the last one took."""
_AGAIN = (5.0, 10.0, 20.0, 40.0, 60.0)
"""Seconds before a pull that failed once, twice, … is tried again."""


@dataclass
class _Study:
    """What is known of a study's pulls; times are in seconds of the clock."""

    waiting: set[str] = field(default_factory=set)
    """People who wait for the next pull to begin."""
    served: set[str] = field(default_factory=set)
    """People for whom a pull is running."""
    due: float | None = None
    """When the next pull is due; None if nothing has changed."""
    failures: int = 0
    """Pulls in a row that failed."""
    earliest: float = 0.0
    """When the next pull may begin: whoever asks again and again is not to keep the server busy alone."""


class BackgroundPulls:
    """Runs ``nextset validate pull``, one at a time, as a process of its own: people go on meanwhile.

    ``environment`` tells the process which server to use. ``say`` receives a line about each pull that
    brought something, or failed. ``ended`` is called after each. A pull that failed is tried again as long as
    the study has an open session.
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

    def ask(self, study: Path, person: str) -> None:
        """Pull at once: ``person`` waits for it, or `EVERYBODY`."""
        known = self._studies.setdefault(study, _Study())
        known.waiting.add(person)
        self._due(known, self._clock())

    def note_answer(self, study: Path) -> None:
        """Pull within some minutes: there is an answer that the log does not have."""
        self._due(self._studies.setdefault(study, _Study()), self._clock() + _REGULARLY)

    def waits(self, study: Path, person: str) -> bool:
        """Return whether what ``person`` did last is still to be taken in."""
        known = self._studies.get(study)
        return known is not None and bool({person, EVERYBODY} & (known.waiting | known.served))

    async def run(self) -> None:
        """Pull what is due, until it is cancelled; a pull that runs then is ended."""
        while True:
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
        begun = self._clock()
        code, said = await self._run(study)
        ended = self._clock()
        known.earliest = ended + min(ended - begun, _LONGEST_PAUSE)
        if known.due is not None:  # somebody asked meanwhile
            known.due = max(known.due, known.earliest)
        if code == 0:
            known.failures, known.served = 0, set()
        elif await asyncio.to_thread(_closed, study):
            # nobody waits for anything; what is answered at a gate is taken in when a session opens
            known.due, known.waiting, known.served, known.failures = None, set(), set(), 0
        else:
            known.waiting |= known.served
            known.served = set()
            wait = _AGAIN[min(known.failures, len(_AGAIN) - 1)]
            known.failures += 1
            self._due(known, self._clock() + wait)
            if code != StudyHeld.exit_code:  # else a command that somebody runs, which will end
                self._say(f"a pull of {study} failed and is tried again in {wait:.0f} seconds:\n{said}")
        if code == 0 and said:
            self._say(said)
        self._ended()

    def _say(self, line: str) -> None:
        with contextlib.suppress(OSError):  # nobody reads what it says any more; the pulls go on
            self._tell(line)

    async def _run(self, study: Path) -> tuple[int, str]:
        """Return the exit code of a pull, and what it said."""
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "nextset", "validate", "pull", str(study)),
                env={**os.environ, **self._environment, "NO_COLOR": "1"},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as e:  # too many processes, or no memory, for now
            return 1, f"it could not be started: {e.strerror}"
        try:
            out, errors = await process.communicate()
        except asyncio.CancelledError:
            process.terminate()
            await process.wait()
            raise
        code = process.returncode if process.returncode is not None else 1
        said = (out if code == 0 else errors).decode("utf-8", errors="replace").strip()
        return code, "\n".join(said.splitlines()[-12:])


def _closed(study: Path) -> bool:
    """Whether the study's sessions are closed."""
    try:
        state = EventLog(study / "judgments").state
    except NextsetError:
        return False
    return bool(state.sessions) and state.current is None
