"""Scoring runs that are killed, run out of disk or find their files changed; prints what came of each.

python -m tests.scoring.faulty_runs FOLDER SEED FAULT=RUNS…. A program of its own, so that it can fork before
any thread has begun: nothing is imported anew in a run, which then takes a second.
"""

from __future__ import annotations

import functools
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pandas  # noqa: F401 - imported once, not in each run
import pyarrow.dataset  # noqa: F401
import torch  # noqa: F401
from transformers import ElectraForSequenceClassification, RobertaForSequenceClassification  # noqa: F401

import nextset.scoring.engines.local
import nextset.scoring.nli
import nextset.scoring.tokenization  # noqa: F401
from nextset.artifacts.progress_callback import SILENT, Progress, Tick
from nextset.cli.output import errors
from nextset.scoring.models.recurrent.reader_registration import register_recurrent_readers
from nextset.scoring.models.sources import BUILTIN
from nextset.scoring.stage import score
from nextset.study.study_folder import Study
from tests.scoring.small_study import MODELS, small_study

__all__: list[str] = []

ROOT = str(Path(__file__).parents[2])
NAMES = [name.removeprefix("builtin:") for name in MODELS]
OURS = f"{ROOT}/nextset/"


class Runs:
    """One study, copied for each run, with a cache for each."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.number = 0
        register_recurrent_readers()  # what loading a model imports
        in_child(self._make)
        self.fine = self.fresh()
        if self.run(self.fine) != 0:
            raise SystemExit("the run without a fault failed")

    def _make(self) -> None:
        folder = self.scratch / "study"
        small_study(folder, "local", files=3, items=25)
        file = folder / "study.yaml"
        text = file.read_text(encoding="utf-8")
        for name in NAMES:
            shutil.copytree(BUILTIN / name, self.scratch / name)
            text = text.replace(f"builtin:{name}", f"../models/{name}")
        waived = ", ".join(f"../models/{name}: {{canaries_waived: tried}}" for name in NAMES)
        file.write_text(f"{text}models: {{{waived}}}\n", encoding="utf-8")

    def fresh(self, *, cached: bool = True) -> Path:
        """A study that has not been scored, beside models of its own."""
        self.number += 1
        home = self.scratch / f"run-{self.number}"
        shutil.copytree(self.scratch / "study", home / "study")
        for name in NAMES:
            shutil.copytree(self.scratch / name, home / "models" / name)
        file = home / "study" / "study.yaml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("cache: false", f"cache: {str(cached).lower()}"), encoding="utf-8")
        return home / "study"

    def run(self, study: Path, before: Callable[[], None] = lambda: None, progress: Progress = SILENT) -> int:
        """Score ``study`` in a child as the command does; `in_child` says what comes back."""

        def work() -> None:
            os.environ["NEXTSET_CACHE"] = str(study.parent / "cache")
            before()
            with errors(debug=False):
                score(Study.load(study), progress)

        return in_child(work, study.parent / "said.txt")

    def same(self, study: Path) -> bool:
        """Whether ``study`` has the bytes of the run without a fault, and no more."""
        out = study / "out"
        left = [p.name for p in out.iterdir() if p.name not in ("generate", "score") and p.name[0] != "."]
        return content(out / "score") == content(self.fine / "out" / "score") and not left


def content(folder: Path) -> dict[str, bytes]:
    """All files below ``folder``."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def in_child(work: Callable[[], None], said: Path | None = None) -> int:
    """Do ``work`` in a child; its exit code, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if said is not None:
                to = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(to, 2)
            work()
            code = 0
        except SystemExit as e:
            code = int(e.code or 0)
        except BaseException:  # noqa: BLE001 - a child never goes on with its parent's work
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def recorded(study: Path) -> dict[Path, int]:
    """The shards that an unfinished run has recorded, and the inodes of their files."""
    work = study / "out" / "score.partial"
    journal = work / "journal.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines() if journal.is_file() else []
    files = [json.loads(line)["shard"]["file"] for line in lines if line.endswith("}")]
    return {study / "out" / "score" / f: (work / f).stat().st_ino for f in files}


def made_again(kept: dict[Path, int]) -> list[str]:
    """Which of the shards that were ``kept`` are other files now."""
    return [file.name for file, inode in kept.items() if file.stat().st_ino != inode]


def said_by(study: Path) -> str:
    """What the last run of ``study`` wrote to stderr."""
    return (study.parent / "said.txt").read_text(encoding="utf-8")


def killed(runs: Runs, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """SIGKILL at the nth call of a function of ours; then the same again without."""
    counter = runs.scratch / "calls"
    calls = 0

    def at(nth: int) -> Callable[[], None]:
        def hook(frame: FrameType, event: str, _: object) -> None:
            nonlocal calls
            if event == "call" and frame.f_code.co_filename.startswith(OURS):
                calls += 1
                if calls == nth:
                    os.kill(os.getpid(), signal.SIGKILL)

        def begin() -> None:
            sys.setprofile(hook)

        return begin

    def counted(stage: str) -> Tick:
        def tick(done: int, total: int) -> None:
            counter.write_text(str(calls), encoding="utf-8")

        return tick

    runs.run(runs.fresh(), at(-1), counted)
    most = int(counter.read_text(encoding="utf-8"))
    rng = random.Random(seed)
    for _ in range(count):
        study, nth = runs.fresh(), rng.randint(1, most)
        code = runs.run(study, at(nth))
        kept = recorded(study)
        again = runs.run(study)
        ok = code == -signal.SIGKILL and again == 0 and not made_again(kept)
        ok = ok and runs.same(study) and whole(study)
        yield {"at": nth, "kept": len(kept), "codes": [code, again], "ok": ok}


def whole(study: Path) -> bool:
    """Whether the cache of ``study`` is sound and has each input of each model once."""
    files = sorted((study.parent / "cache" / "scores").glob("*.sqlite"))
    found = []
    for file in files:
        with sqlite3.connect(file) as db:
            found.append((db.execute("PRAGMA integrity_check").fetchone()[0], *db.execute(
                "SELECT count(*), count(DISTINCT key) FROM rows").fetchone()))  # fmt: skip
        db.close()
    return len(found) >= 2 and all(how == "ok" and rows == keys for how, rows, keys in found)


def full(runs: Runs, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """No file can grow beyond some bytes, from the beginning or after a shard; then the same with room.

    The first two runs are without the cache, so that it is a shard that finds no room.
    """
    rng = random.Random(seed)
    least = min(len(raw) for name, raw in content(runs.fine / "out" / "score").items() if "scores" in name)
    for i in range(count):
        cached = i > 1
        study = runs.fresh(cached=cached)
        size = least - 1 if not cached else rng.randrange(300, least)
        fill = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size))
        late = i % 2 == 1
        code = runs.run(study, progress=after_first(fill)) if late else runs.run(study, fill)
        said, kept = said_by(study), recorded(study)
        again = runs.run(study)
        ok = code == 9 and "finished work is kept" in said and (".sqlite" if cached else ".parquet") in said
        ok = ok and "Traceback" not in said and len(kept) == late
        ok = ok and again == 0 and not made_again(kept) and runs.same(study)
        yield {"bytes": size, "kept": len(kept), "codes": [code, again], "said": said, "ok": ok}


def after_first(change: Callable[[], None]) -> Progress:
    """Calls ``change`` in the run, when its first shard has been recorded."""

    def progress(stage: str) -> Tick:
        def tick(done: int, total: int) -> None:
            if stage == "score" and done == 1:
                change()

        return tick

    return progress


def other_weights(folder: Path, *, in_place: bool) -> None:
    """Weights that differ in a few bits, over the old ones or in their place."""
    file = folder / "model.safetensors"
    raw = bytearray(file.read_bytes())
    for at in range(len(raw) - 4_000, len(raw), 4):
        raw[at] ^= 1
    if in_place:
        with file.open("r+b") as stream:
            stream.write(raw)
    else:
        beside = folder / "new"
        beside.write_bytes(raw)
        beside.replace(file)


def changed(runs: Runs, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """A model's weights become others after the first shard: an error, then one revision alone."""
    apart = runs.fresh()
    other_weights(apart.parent / "models" / NAMES[0], in_place=False)
    runs.run(apart)
    wanted = content(apart / "out" / "score")
    for i in range(count):
        study = runs.fresh()
        change = functools.partial(other_weights, study.parent / "models" / NAMES[0], in_place=i % 2 == 0)
        code = runs.run(study, progress=after_first(change))
        said = said_by(study)
        again = runs.run(study)
        ok = (
            code == 6
            and "changed while the model was in use" in said
            and "Traceback" not in said
            and again == 0
        )
        ok = ok and content(study / "out" / "score") == wanted and not runs.same(study)
        yield {"in place": i % 2 == 0, "codes": [code, again], "said": said, "ok": ok}


def cut(runs: Runs, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """A score shard is cut in half, of a finished run or of one that was killed: it alone is made again."""
    rng = random.Random(seed)
    for i in range(count):
        study = runs.fresh()
        if finished := i % 2 == 0:
            runs.run(study)
        else:
            runs.run(study, progress=after_first(lambda: os.kill(os.getpid(), signal.SIGKILL)))
        shards = sorted((study / "out").glob("score*/scores/*.parquet"))
        shard = rng.choice(shards)
        others = {study / "out" / "score" / "scores" / p.name: p.stat().st_ino for p in shards if p != shard}
        shard.write_bytes(shard.read_bytes()[: shard.stat().st_size // 2])
        again = runs.run(study)
        ok = again == 0 and not made_again(others) and runs.same(study)
        yield {"finished": finished, "codes": [again], "ok": ok}


def spoilt(runs: Runs, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """The cache's files are damaged after the first shard: reckoned again, never a wrong number."""
    rng = random.Random(seed)
    for i in range(count):
        study = runs.fresh()
        damage = functools.partial(damaged, study.parent / "cache" / "scores", rng, short=i % 2 == 1)
        code = runs.run(study, progress=after_first(damage))
        good = runs.same(study)
        shutil.rmtree(study / "out" / "score")
        again = runs.run(study)
        yield {"codes": [code, again], "ok": code == 0 and again == 0 and good and runs.same(study)}


def damaged(cache: Path, rng: random.Random, *, short: bool) -> None:
    """Cut the files of ``cache`` short, or turn some of their bits."""
    for file in cache.glob("*.sqlite"):
        raw = bytearray(file.read_bytes())
        if short:
            raw = raw[: rng.randrange(len(raw))]
        else:
            for _ in range(40):
                raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        file.write_bytes(raw)


FAULTS = {"killed": killed, "full": full, "changed": changed, "cut": cut, "spoilt": spoilt}


def main() -> None:
    """Print the outcomes as JSON, by fault."""
    scratch, seed = Path(sys.argv[1]), int(sys.argv[2])
    runs = Runs(scratch)
    found = {}
    for asked in sys.argv[3:]:
        fault, _, count = asked.partition("=")
        found[fault] = list(FAULTS[fault](runs, int(count), seed))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
