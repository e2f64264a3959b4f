"""A context that sets torch so that the same training gives the same weights."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["reproducible"]

_CUBLAS = "CUBLAS_WORKSPACE_CONFIG"


@contextmanager
def reproducible(seed: int, threads: int | None = None) -> Iterator[None]:
    """Seed all generators and fix the order of all sums; with ``threads``, set torch's number of threads.

    On a GPU, operations without a deterministic form are still computed, and two trainings may differ.
    """
    import numpy as np
    import torch
    from transformers.utils import logging

    os.environ.setdefault(_CUBLAS, ":4096:8")  # read when CUDA is first used
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    before = torch.are_deterministic_algorithms_enabled()
    warned = torch.is_deterministic_algorithms_warn_only_enabled()
    had_threads, verbosity = torch.get_num_threads(), logging.get_verbosity()
    filled = torch.utils.deterministic.fill_uninitialized_memory  # type: ignore[attr-defined]
    try:
        torch.use_deterministic_algorithms(True, warn_only=torch.cuda.is_available())
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
        if threads is not None:
            torch.set_num_threads(threads)
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        logging.set_verbosity_error()  # type: ignore[no-untyped-call]
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # nextset draws its own
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*deterministic")
            yield
    finally:
        logging.set_verbosity(verbosity)
        torch.set_num_threads(had_threads)
        torch.utils.deterministic.fill_uninitialized_memory = filled  # type: ignore[attr-defined]
        torch.use_deterministic_algorithms(before, warn_only=warned)
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.set_rng_state(states[2])
