"""Damaged results of a finished study, and killed runs: how much damage is found, and how the runs end."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nextset
from benchmarks.figures import figure
from nextset.artifacts.artifact import is_finished, open_artifact
from nextset.errors import NextsetError
from tests.studies.test_interrupted import KILLED, content

__all__ = ["flip_figures", "kill_figures"]

FLIPS = 2
"""The number of flipped bits per file of out/."""
MANIFEST_FLIPS = 30
"""The number of flipped bits per manifest.json of a stage."""
RUNS, KILLS = 25, 25


def flip_figures() -> None:
    """Flip one bit at a time; print the results of `status --deep`, of reading, and of a run."""
    with _finished() as folder:
        study, rng = nextset.Study.load(folder), random.Random(0)
        found, flips, missed, broken = 0, 0, [], []
        for path in _files(study.out):
            for _ in range(MANIFEST_FLIPS if _is_manifest(study.out, path) else FLIPS):
                with _flipped(path, rng) as place:
                    flips += 1
                    try:
                        state = {s.state for s in nextset.status(study, deep=True)}
                        used = _is_read(study.out, path)
                    except Exception:  # noqa: BLE001 - any other error is a defect, which is what this looks for
                        broken.append(f"{place}: {traceback.format_exc()}")
                        continue
                    if "damaged" in state and not used:
                        found += 1
                    else:
                        missed.append(f"{place}: {sorted(state)}, {'read' if used else 'refused'}")
        name = "flipped bits in every file of out/, found by status --deep and by the file's readers"
        figure(name, found, f"{flips:,}", found == flips)
        figure("tracebacks", len(broken), "0", not broken)
        _tell((*missed, *broken))
        _runs(study, rng)


def _runs(study: nextset.Study, rng: random.Random) -> None:
    """Check that a run after a flip ends with the bytes of a run without it, or with an error and remedy."""
    before, ended, others = content(study.out), Counter[str](), []
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(study.folder, f"{scratch}/kept")
        for path in rng.choices(_files(study.out), k=RUNS):
            raw = bytearray(path.read_bytes())
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
            path.write_bytes(raw)
            command = [sys.executable, "-m", "nextset", "run", study.folder]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0 and content(study.out) == before:
                ended["same"] += 1
            elif done.returncode and "  try: " in done.stderr and "Traceback" not in done.stderr:
                ended["refused"] += 1
            else:
                ended["otherwise"] += 1
                others.append(f"{path}: {done.returncode} {done.stderr[-2000:]}")
            shutil.rmtree(study.out)
            shutil.copytree(f"{scratch}/kept/out", study.out)
    figure("runs after a flip that ended with the same bytes", ended["same"], "measured only", True)
    figure("that ended with an error and its remedy", ended["refused"], "measured only", True)
    figure("that ended in another way", ended["otherwise"], "0", not ended["otherwise"])
    _tell(others)


def kill_figures() -> None:
    """Kill runs when a random file is renamed into place, and resume them."""
    with _finished() as folder:
        before, rng = content(folder / "out"), random.Random(0)
        same, killed, others = 0, 0, []
        for _ in range(KILLS):
            nth = rng.randrange(1, 200)
            with tempfile.TemporaryDirectory() as scratch:
                copy = Path(shutil.copytree(folder, f"{scratch}/mine", ignore=shutil.ignore_patterns("out")))
                done = subprocess.run(
                    [sys.executable, "-c", KILLED, copy, str(nth)], capture_output=True, check=False
                )
                killed += done.returncode == -signal.SIGKILL
                nextset.run(nextset.Study.load(copy))
                if content(copy / "out") == before:
                    same += 1
                else:
                    others.append(f"killed at rename {nth}")
        figure("runs that were killed", killed, "measured only", True)
        figure("of all, those that ended with the same bytes", same, f"{KILLS}", same == KILLS)
        _tell(others)


@contextmanager
def _finished() -> Iterator[Path]:
    """Yield a study of `nextset new`, run to its end."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = nextset.new_study(Path(scratch) / "mine").file.parent
        nextset.run(nextset.Study.load(folder))
        yield folder


def _files(out: Path) -> list[Path]:
    """Return all files except hidden ones, such as the note of the process that has locked the study."""
    return [p for p in sorted(out.rglob("*")) if p.is_file() and not p.name.startswith(".")]


def _is_manifest(out: Path, path: Path) -> bool:
    return path.name == "manifest.json" and path.parent.parent == out


@contextmanager
def _flipped(path: Path, rng: random.Random) -> Iterator[str]:
    raw = path.read_bytes()
    i, bit = rng.randrange(len(raw)), rng.randrange(8)
    path.write_bytes(raw[:i] + bytes([raw[i] ^ 1 << bit]) + raw[i + 1 :])
    try:
        yield f"{path}, byte {i}, bit {bit}"
    finally:
        path.write_bytes(raw)


def _is_read(out: Path, path: Path) -> bool:
    """Return whether a later stage could read the file ``path``: no stage reads pages and the dataset."""
    folder = out / path.relative_to(out).parts[0]
    if not (is_finished(folder) and path.suffix in (".parquet", ".json", ".yaml")):
        return False
    try:
        artifact = open_artifact(folder)
        for table in artifact.tables:
            artifact.table(table)
        for name in artifact.snapshots:
            artifact.snapshot(name)
    except NextsetError:
        return False
    return True


def _tell(lines: list[str] | tuple[str, ...]) -> None:
    for line in lines:
        sys.stderr.write(f"{line}\n")
