"""The Ray cluster that jobs run on: the one that RAY_ADDRESS names, or one on this machine alone."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from nextset.errors import NextsetError

__all__ = ["cluster", "tally"]

STORE = 512 * 2**20
"""Bytes of shared memory for jobs and results under way, on a cluster that is started here."""


@contextmanager
def cluster() -> Iterator[Mapping[str, float]]:
    """Connected to the cluster, until left; its resources, such as CPU and GPU.

    One that this process is connected to already is used, and left as it is. Raises NextsetError when none
    answers at RAY_ADDRESS.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    import ray

    if ray.is_initialized():
        yield _quiet()
        return
    address = os.environ.get("RAY_ADDRESS", "local")
    own = {"include_dashboard": False, "_node_ip_address": "127.0.0.1", "object_store_memory": STORE}
    try:
        ray.init(
            address, logging_level=logging.ERROR, log_to_driver=False, **(own if address == "local" else {})
        )
    except (ConnectionError, RuntimeError, ValueError) as e:
        raise NextsetError(
            f"no Ray cluster at {address}: {str(e).strip().splitlines()[0]}",
            remedy="start one there (ray start --head), or unset RAY_ADDRESS to start one here",
        ) from e
    try:
        yield _quiet()
    finally:
        ray.shutdown()


def _quiet() -> Mapping[str, float]:
    """The resources; Ray Data draws and logs nothing from here on, and hides no failure."""
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.max_errored_blocks = 0
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    found: Mapping[str, float] = ray.cluster_resources()
    return found


class _Tally:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, name: str) -> int:
        self.counts[name] += 1
        return self.counts[name]


def tally() -> Any:
    """An actor on this machine that counts names: ``add`` tells how often it was given one."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return ray.remote(_Tally).options(num_cpus=0, scheduling_strategy=here).remote()
