"""The Ray cluster that runs jobs: the cluster at RAY_ADDRESS, or one that is started on this machine."""

from __future__ import annotations

import functools
import importlib.util
import logging
import os
import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from nextset.errors import DependencyMissing, ModelError
from nextset.scoring.models.library_errors import cause, library_errors

__all__ = ["cluster", "has_gpus", "tally"]

STORE = 512 * 2**20
"""Bytes of shared memory for jobs and results in progress, on a cluster that is started here."""
SECONDS = 10
"""Seconds within which a cluster must answer."""


@contextmanager
def cluster() -> Iterator[Mapping[str, float]]:
    """Connect to the cluster and yield its resources, such as CPU and GPU.

    If this process already has a connection, it is used and left open. Raises DependencyMissing without Ray,
    and ModelError if no cluster answers at RAY_ADDRESS, or if no cluster can be started.
    """
    if importlib.util.find_spec("ray") is None:
        raise DependencyMissing(
            "scoring.engine: ray needs Ray, which is not installed", remedy="pip install 'nextset[ray]'"
        )
    address = os.environ.get("RAY_ADDRESS", "local")
    _set_up(local=address == "local")
    import ray

    if ray.is_initialized():
        yield _resources()
        return
    _connect(address)
    try:
        yield _resources()
    finally:
        ray.shutdown()


def _set_up(*, local: bool) -> None:
    """Turn Ray's usage reporting off and limit its logging to crashes; Ray reads these on import."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    if local:  # listen only on the loopback address, as on Windows and macOS
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")


def _connect(address: str) -> None:
    import ray

    own: dict[str, Any] = {}
    if address == "local":
        import torch

        gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
        own = {"include_dashboard": False, "object_store_memory": STORE, "num_gpus": gpus}
    problem, remedy = (
        ("Ray cannot be started on this machine", "free some memory and disk space, or set engine: local")
        if address == "local"
        else (
            f"the Ray cluster at {address} cannot be used",
            "start a cluster there (ray start --head), or unset RAY_ADDRESS to start one on this machine",
        )
    )
    with library_errors(problem, remedy):
        _check_answers(address)
        try:
            with _silenced():
                ray.init(address, logging_level=logging.ERROR, log_to_driver=False, **own)
        except (RuntimeError, ray.exceptions.AuthenticationError) as e:
            if "token" not in str(e).lower():
                raise
            raise ModelError(
                f"{problem} without its token: {cause(e)}",
                remedy="set RAY_AUTH_TOKEN to the cluster's token, or RAY_AUTH_TOKEN_PATH to its file",
            ) from None
    # otherwise Ray would report on standard output that workers died
    ray._private.worker._worker_logs_enabled = False


def _check_answers(address: str) -> None:
    """Raise OSError if nothing listens at ``address``; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.rpartition("/")[2].strip("[]"), int(port)), SECONDS).close()


def _resources() -> Mapping[str, float]:
    import ray

    resources: Mapping[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return resources


@contextmanager
def _silenced() -> Iterator[None]:
    """Silence standard error, where Ray announces that it will not log anything."""
    kept = os.dup(2)
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@functools.cache
def has_gpus(address: str) -> bool:
    """Return True if the cluster at ``address``, the RAY_ADDRESS, has GPUs; the cluster is asked once."""
    with cluster() as resources:
        return resources.get("GPU", 0) >= 1


class _Tally:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, name: str) -> int:
        self.counts[name] += 1
        return self.counts[name]


def tally() -> Any:
    """Return an actor on this machine that counts names: ``add`` returns the number of calls with a name."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return ray.remote(_Tally).options(num_cpus=0, scheduling_strategy=here).remote()
