"""Programs of their own that use a score cache: many at once, killed, without space, without permission."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nextset.cli.output import errors
from nextset.scoring.cache.keys import Scope, input_key
from nextset.scoring.cache.repair import repair
from nextset.scoring.cache.score_cache import ScoreCache

SCOPE = Scope("a model", "0" * 32, "nli", "float32", ("entailment", "neutral", "contradiction", "truncated"))


def keys_of(numbers: range) -> list[bytes]:
    return [input_key([str(n)]) for n in numbers]


def rows_of(numbers: range) -> npt.NDArray[np.float64]:
    return np.array([[n, n / 3, np.nan, -0.0] for n in numbers])


def put(cache: ScoreCache, numbers: range) -> None:
    cache.put(SCOPE, keys_of(numbers), rows_of(numbers))


def intact(cache: ScoreCache, numbers: range) -> bool | None:
    """True where all rows are there as they were put, False where none is, None otherwise."""
    found = cache.get(SCOPE, keys_of(numbers))
    if found.there.all() and found.numbers.tobytes() == rows_of(numbers).tobytes():
        return True
    return None if found.there.any() else False


def write(folder: Path) -> None:
    """Put the same rows as every other process that does, in an order of its own, and look them up."""
    cache, starts = ScoreCache(folder), list(range(0, 4000, 100))
    random.Random(os.getpid()).shuffle(starts)
    for start in starts:
        put(cache, range(start, start + 150))
        assert intact(cache, range(start, start + 150))


def killed(folder: Path) -> None:
    """Children put until the kernel ends them, each at another moment; prints what was lost or torn."""
    cache, moments = ScoreCache(folder), random.Random(4)
    lost, torn, kept, in_the_middle = 0, 0, 0, 0
    for round_ in range(12):
        first = round_ * 1_000_000
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            # The signal has no handler: the kernel ends the process wherever it is, as SIGKILL does. The
            # timer counts processor time, so that on a busy machine as much is put before.
            signal.setitimer(signal.ITIMER_PROF, moments.uniform(0.005, 0.25))
            for batch in range(100_000):
                put(cache, range(first + batch * 1000, first + batch * 1000 + 1000))
                os.write(writer, b".")
        moments.uniform(0, 1)  # parent and child draw alike: the next child is to draw another moment
        os.close(writer)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status)
        with os.fdopen(reader, "rb") as stream:
            done = len(stream.read())
        in_the_middle += cache.path(SCOPE).with_name(cache.path(SCOPE).name + "-journal").exists()
        for batch in range(done + 1):
            state = intact(cache, range(first + batch * 1000, first + batch * 1000 + 1000))
            torn += state is None
            lost += state is False and batch < done
        kept += done
    repaired = repair(cache.path(SCOPE))
    sys.stdout.write(
        json.dumps(
            {"lost": lost, "torn": torn, "kept": kept, "journals": in_the_middle, "repaired": repaired.lost}
        )
    )


def full(folder: Path) -> None:
    """Put more than there is room for, with more room again, and end as a command does without."""
    cache = ScoreCache(folder)
    put(cache, range(100))
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    said = ""
    try:
        put(cache, range(100, 20_000))
    except OSError as e:
        said = f"{e.filename} {e.strerror}"
    assert cache.path(SCOPE).name in said
    assert intact(cache, range(100))
    assert intact(cache, range(100, 20_000)) is False
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    put(cache, range(100, 5000))
    assert intact(cache, range(5000))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    with errors(False):
        put(cache, range(5000, 20_000))


def read_only(folder: Path) -> None:
    """Read what is there, and be refused when putting, as a user who may only read."""
    cache = ScoreCache(folder)
    put(cache, range(100))
    for path in (folder / ".lock", cache.path(SCOPE)):
        path.chmod(0o444)
    folder.chmod(0o555)
    if os.geteuid() == 0:
        os.seteuid(65534)
    assert intact(cache, range(100))
    assert intact(cache, range(100, 200)) is False
    with errors(False):
        put(cache, range(100, 200))


if __name__ == "__main__":
    {f.__name__: f for f in (write, killed, full, read_only)}[sys.argv[1]](Path(sys.argv[2]))
