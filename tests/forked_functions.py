"""Work in a process of its own that needs no heavy imports: a fork of one that did them and nothing else."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

__all__ = ["command", "forked", "with_small_files"]

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "pandas",
        "pyarrow.dataset",
        "transformers.trainer",
        "transformers.models.bert.modeling_bert",
        "nextset.cli.app",
        "nextset.scoring.models.recurrent.bidaf_reader",
        "nextset.training.conversion.checkpoint_conversion",
        "nextset.training.fine_tuning.model_training",
    ]
)


def forked(stderr: Path, work: Callable[..., None], *args: object) -> int:
    """Do ``work`` in a new process; its exit code, or minus the signal that ended it.

    ``stderr`` gets what the process writes to stderr.
    """
    process = _FORKS.Process(target=_redirected, args=(stderr, work, args))
    process.start()
    process.join()
    code = process.exitcode
    process.close()
    assert code is not None
    return code


def _redirected(stderr: Path, work: Callable[..., None], args: Sequence[object]) -> None:
    os.dup2(os.open(stderr, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    work(*args)


def with_small_files(most: int, work: Callable[..., None], *args: object) -> None:
    """Do ``work`` in this process, in which no file can grow beyond ``most`` bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    work(*args)


def command(*arguments: str) -> None:
    """Run the command ``nextset`` with ``arguments``, as its entry point does."""
    from nextset.cli import main

    sys.argv = ["nextset", *arguments]
    main()
