"""Pulls in the background: what waits is pulled once, in its order, and again after a failure."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from nextset.validation.gateway.background_pull import BackgroundPulls
from nextset.validation.label_studio.address_and_token import TOKEN_VARIABLE, URL_VARIABLE
from nextset.validation.label_studio.local_owner import DATA_VARIABLE
from nextset.validation.plan.event_log import append_events
from nextset.validation.plan.events import SessionClosed
from tests.validation.gateway.test_login_limit import Clock
from tests.validation.plan.sample_plans import at, opened

ANA, BEN = "a-ana", "a-ben"


class Pulling:
    """Pulls whose process is a small script of the test, which writes down that it ran."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder, self.clock = folder, clock
        self.said: list[str] = []
        self.ended = 0
        self.last = 0
        self.changed = asyncio.Event()
        self.pulls = BackgroundPulls({"MARK": "given"}, self.said.append, self._end, clock)

    def _end(self) -> None:
        self.ended += 1
        self.changed.set()

    def study(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        (folder / "study.yaml").touch()
        return folder

    @property
    def ran(self) -> list[str]:
        """The studies that were pulled, in order."""
        log = self.folder / "ran"
        return log.read_text(encoding="utf-8").split() if log.exists() else []

    async def started(self, processes: int) -> list[int]:
        """The processes for pulls so far, when there are as many as that."""
        log = self.folder / "waiting"
        async with asyncio.timeout(60):
            while not log.exists() or log.read_text(encoding="utf-8").count("\n") < processes:
                await asyncio.sleep(0.01)
        return [int(number) for number in log.read_text(encoding="utf-8").split()]

    async def until(self, pulls: int) -> None:
        async with asyncio.timeout(60):
            while self.ended < pulls:
                self.changed.clear()
                await self.changed.wait()

    async def idle(self) -> None:
        """Let what is due begin."""
        for _ in range(20):
            await asyncio.sleep(0)


SCRIPT = """#!{python}
import os, pathlib, sys, time
assert sys.argv[1:] == ["-m", "nextset.cli.prepared_pull"], sys.argv
folder = pathlib.Path(__file__).parent
with (folder / "waiting").open("a") as waiting:
    waiting.write(f"{{os.getpid()}}\\n")
study = pathlib.Path(os.fsdecode(sys.stdin.buffer.read()) or sys.exit())
assert (os.environ["MARK"], os.environ["NO_COLOR"]) == ("given", "1")
with (study.parent / "ran").open("a") as log:
    log.write(study.name + "\\n")
(study / "process").write_text(str(os.getpid()))
while (study / "hold").exists():
    time.sleep(0.01)
if (study / "held").exists():
    print("error: another run works in this folder", file=sys.stderr)
    sys.exit(5)
if (study / "broken").exists():
    print("\\n".join(f"line {{i}}" for i in range(30)), file=sys.stderr)
    sys.exit(10)
print((study / "news").read_text() if (study / "news").exists() else "", end="")
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An interpreter that does what nextset would, without a server: the process is a real one."""
    path = tmp_path / "python"
    path.write_text(SCRIPT.format(python=sys.executable), encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(path))
    return path


def running(folder: Path, test: Callable[[Pulling], Awaitable[None]]) -> Pulling:
    async def run() -> Pulling:
        pulling = Pulling(folder, Clock())
        task = asyncio.create_task(pulling.pulls.run())
        try:
            await test(pulling)
            assert not task.done(), "nothing ends the pulls"
        finally:
            task.cancel()
            await asyncio.wait([task])
        return pulling

    return asyncio.run(run())


def test_many_who_wait_are_served_by_one_pull(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        study = p.study("one")
        for person in (ANA, BEN, ANA):
            p.pulls.ask(study, person)
        assert p.pulls.waits(study, ANA)
        await p.until(1)
        await p.idle()
        assert p.ran == ["one"]
        assert not p.pulls.waits(study, ANA)
        assert not p.pulls.waits(study, BEN)
        assert not p.pulls.waits(p.study("other"), ANA)
        assert p.said == [], "nothing new is not told"

    running(tmp_path, test)


def test_who_comes_while_a_pull_runs_is_served_by_the_next(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        study = p.study("one")
        (study / "hold").touch()
        p.pulls.ask(study, ANA)
        while not p.ran:
            await asyncio.sleep(0.01)
        p.pulls.ask(study, BEN)
        assert p.pulls.waits(study, ANA)
        assert p.pulls.waits(study, BEN)
        (study / "hold").unlink()
        await p.until(1)
        assert p.pulls.waits(study, BEN), "the pull may have read the answers before Ben's came"
        await p.until(2)
        assert p.ran == ["one", "one"]
        assert not p.pulls.waits(study, BEN)

    running(tmp_path, test)


def test_a_page_that_waits_is_answered_when_the_pull_has_ended(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        study = p.study("one")
        await p.pulls.settled(study, ANA, 60)  # no one waits
        (study / "hold").touch()
        p.pulls.ask(study, ANA)
        await p.pulls.settled(study, ANA, 0)
        assert p.pulls.waits(study, ANA), "the time is over"
        held = asyncio.create_task(p.pulls.settled(study, ANA, 60))
        await p.idle()
        assert not held.done()
        (study / "hold").unlink()
        await held
        assert p.ended == 1
        assert not p.pulls.waits(study, ANA)

    running(tmp_path, test)


def test_a_page_that_asks_again_meanwhile_is_answered_after_the_first_pull(
    tmp_path: Path, script: Path
) -> None:
    async def test(p: Pulling) -> None:
        study = p.study("one")
        (study / "hold").touch()
        p.pulls.ask(study, ANA)  # with the last answer of a batch
        while not p.ran:
            await asyncio.sleep(0.01)
        p.pulls.ask(study, ANA)  # since there is no item
        held = asyncio.create_task(p.pulls.settled(study, ANA, 60))
        p.clock.seconds += 8
        (study / "hold").unlink()
        await held
        assert p.ended == 1, "the next batch may be there"
        assert p.ran == ["one"], "the second pull comes 8 seconds later"
        assert p.pulls.waits(study, ANA)

    running(tmp_path, test)


def test_one_at_a_time_those_who_wait_longest_first(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        (p.study("first") / "hold").touch()
        p.pulls.ask(p.study("first"), ANA)
        while not p.ran:
            await asyncio.sleep(0.01)
        for name in ("second", "third", "fourth"):
            p.clock.seconds += 1
            p.pulls.ask(p.study(name), ANA)
        p.clock.seconds += 1
        p.pulls.ask(p.study("second"), BEN)
        await p.idle()
        assert p.ran == ["first"], "one at a time"
        (p.study("first") / "hold").unlink()
        await p.until(4)
        assert p.ran == ["first", "second", "third", "fourth"]

    running(tmp_path, test)


def test_who_asks_again_and_again_keeps_it_busy_half_of_the_time(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        study, other = p.study("one"), p.study("other")
        (study / "hold").touch()
        p.pulls.ask(study, ANA)
        while not p.ran:
            await asyncio.sleep(0.01)
        p.clock.seconds += 8  # it takes that long
        p.pulls.ask(study, ANA)
        (study / "hold").unlink()
        await p.until(1)
        for _ in range(50):
            p.pulls.ask(study, ANA)
            await p.idle()
        assert p.ran == ["one"]
        assert p.pulls.waits(study, ANA), "it comes later"
        p.pulls.ask(other, BEN)
        await p.until(2)
        assert p.ran == ["one", "other"], "other studies do not wait"
        p.clock.seconds += 8
        p.pulls.ask(other, BEN)  # wakes it
        await p.until(3)
        assert sorted(p.ran[2:3]) in (["one"], ["other"])
        await p.until(4)
        assert sorted(p.ran) == ["one", "one", "other", "other"]

    running(tmp_path, test)


def test_answers_alone_are_pulled_after_five_minutes(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        study = p.study("one")
        p.pulls.note_answer(study)
        p.clock.seconds += 200
        p.pulls.note_answer(study)  # more answers do not put it off
        await p.idle()
        assert p.ran == []
        assert not p.pulls.waits(study, ANA)
        p.clock.seconds += 100
        p.pulls.note_answer(p.study("other"))  # wakes it
        await p.until(1)
        assert p.ran == ["one"]

    running(tmp_path, test)


def test_a_pull_that_fails_is_tried_again_after_longer_and_longer(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        study, other = p.study("one"), p.study("other")
        (study / "broken").touch()
        p.pulls.ask(study, ANA)
        await p.until(1)
        for tries, wait in enumerate((5, 10, 20, 40, 60, 60), 1):
            said = p.said[-1].splitlines()
            assert said[0].endswith(f"failed and will be retried in {wait} seconds:")
            assert said[1:] == [f"line {i}" for i in range(18, 30)], "the last lines of what it said"
            assert p.pulls.waits(study, ANA), "people still wait"
            p.clock.seconds += wait - 0.5
            p.pulls.note_answer(other)
            await p.idle()
            assert len(p.ran) == tries
            p.clock.seconds += 0.5
            p.pulls.note_answer(other)
            await p.until(tries + 1)
        (study / "broken").unlink()
        (study / "news").write_text("3 new", encoding="utf-8")
        p.clock.seconds += 60
        p.pulls.note_answer(other)
        await p.until(8)
        assert p.said[-1] == "3 new"
        assert not p.pulls.waits(study, ANA)

    running(tmp_path, test)


def test_a_pull_that_waits_for_a_command_says_nothing(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        study = p.study("one")
        (study / "held").touch()
        p.pulls.ask(study, ANA)
        await p.until(1)
        assert p.said == []
        assert p.pulls.waits(study, ANA)
        (study / "held").unlink()
        p.clock.seconds += 5
        p.pulls.ask(study, BEN)  # wakes it
        await p.until(2)
        assert p.said == []
        assert not p.pulls.waits(study, ANA)

    running(tmp_path, test)


@pytest.mark.parametrize("remains", ["nothing", "an empty folder"])
def test_a_study_whose_folder_is_gone_is_said_once_and_delays_no_one(
    tmp_path: Path, script: Path, remains: str
) -> None:
    async def test(p: Pulling) -> None:
        study = p.study("one")
        study.rename(tmp_path / "elsewhere")
        if remains == "an empty folder":
            study.mkdir()
        for ended in (1, 2):
            p.pulls.ask(study, ANA)
            await p.until(ended)
            assert not p.pulls.waits(study, ANA)
        assert [line.splitlines()[0] for line in p.said] == [
            f"{study}: its folder is gone or unreadable; its sessions are left out until it returns"
        ]
        p.clock.seconds += 10_000
        p.pulls.ask(p.study("other"), BEN)
        await p.until(3)
        assert p.ran == ["other"], "it is not retried by itself"
        if remains == "an empty folder":
            study.rmdir()
        (tmp_path / "elsewhere").rename(study)
        p.pulls.tell(study)
        await p.until(4)
        assert p.ran == ["other", "one"]

    running(tmp_path, test)


def test_failing_all_night_does_not_end_it(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        study = p.study("one")
        (study / "broken").touch()
        p.pulls.ask(study, ANA)
        p.pulls._studies[study].failures = 5000
        await p.until(1)
        assert "in 60 seconds" in p.said[-1]
        (study / "broken").unlink()
        p.clock.seconds += 60
        p.pulls.ask(study, BEN)
        await p.until(2)
        assert not p.pulls.waits(study, ANA)

    running(tmp_path, test)


def test_the_process_of_the_next_pull_waits_before_someone_needs_it(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        study = p.study("one\ntwo")
        (first,) = await p.started(1)
        assert p.ran == [], "it knows no study yet"
        p.pulls.ask(study, ANA)
        await p.until(1)
        assert int((study / "process").read_text()) == first
        assert p.ran == ["one", "two"]
        _, second = await p.started(2)
        assert second != first, "each pull has its own process"
        os.kill(second, signal.SIGKILL)
        while p.pulls._ready is None or p.pulls._ready.returncode is None:
            await asyncio.sleep(0.01)
        p.pulls.ask(p.study("other"), BEN)
        await p.until(2)
        assert p.said == [], "a process that died while it waited is replaced"
        assert p.ran[2:] == ["other"]
        last = (await p.started(4))[-1]
        os.kill(last, 0)
        p.last = last

    pulling = running(tmp_path, test)
    with pytest.raises(ProcessLookupError):
        os.kill(pulling.last, 0)


def test_no_process_can_be_started(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        study = p.study("one")
        script.rename(tmp_path / "elsewhere")
        p.pulls.ask(study, ANA)
        await p.until(1)
        assert "it could not be started: No such file" in p.said[-1]
        (tmp_path / "elsewhere").rename(script)
        p.clock.seconds += 5
        p.pulls.ask(study, BEN)
        await p.until(2)
        assert p.ran == ["one"]

    running(tmp_path, test)


def test_a_study_whose_session_was_closed_is_left_alone(tmp_path: Path, script: Path) -> None:
    async def test(p: Pulling) -> None:
        study = p.study("one")
        append_events(study / "judgments", [opened(["u1"]), SessionClosed(session="1", at=at(9))])
        (study / "broken").touch()
        p.pulls.ask(study, ANA)
        await p.until(1)
        assert p.said == []
        assert not p.pulls.waits(study, ANA)
        p.clock.seconds += 10_000
        p.pulls.note_answer(p.study("other"))
        await p.idle()
        assert p.ran == ["one"]

    running(tmp_path, test)


def test_a_pull_that_runs_when_the_gateway_stops_is_ended(tmp_path: Path, script: Path) -> None:
    async def run() -> None:
        p = Pulling(tmp_path, Clock())
        (p.study("one") / "hold").touch()
        task = asyncio.create_task(p.pulls.run())
        p.pulls.ask(p.study("one"), ANA)
        process = p.study("one") / "process"
        while not process.exists() or not process.read_text():
            await asyncio.sleep(0.01)
        task.cancel()
        async with asyncio.timeout(20):
            await asyncio.wait([task])
        assert task.cancelled()
        with pytest.raises(ProcessLookupError):
            os.kill(int(process.read_text()), 0)

    asyncio.run(run())


def test_nextset_itself_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (URL_VARIABLE, TOKEN_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "no server"))

    async def test(p: Pulling) -> None:
        p.pulls.ask(p.study("no study"), ANA)
        await p.until(1)
        assert "study.yaml: the file is empty" in p.said[-1]
        assert "Traceback" not in p.said[-1]

    running(tmp_path, test)


def test_a_prepared_pull_ends_with_the_gateway_that_started_it() -> None:
    command = [sys.executable, "-m", "nextset.cli.prepared_pull"]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert (ended.stdout, ended.stderr) == (b"", b"")
