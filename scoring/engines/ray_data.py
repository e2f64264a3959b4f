"""Jobs on a Ray cluster, through Ray Data: one worker per GPU, or per CPU if there is no GPU."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from nextset.artifacts.build import Part, PartResult
from nextset.errors import ModelError, NextsetError
from nextset.scoring.engines.devices import device_type
from nextset.scoring.engines.engine_job import EngineJob
from nextset.scoring.engines.local import run_with_lookahead
from nextset.scoring.engines.ray_cluster import cluster, tally

__all__ = ["Worker", "run_on_ray"]

ATTEMPTS = 4
"""The maximum number of starts of a part; then the part is blamed for the deaths of its workers."""
AHEAD = 2
"""The number of batches of parts in a worker's queue, including the batch in progress."""
TOGETHER = 4
"""Parts per batch for a GPU, so that it does not wait while the next part is read. A CPU would not gain."""


def run_on_ray(parts: Mapping[str, Part]) -> Iterator[tuple[str, PartResult]]:
    """Make ``parts`` on the cluster at RAY_ADDRESS, or on one that is started on this machine.

    Jobs that can ask a model behind a server run in this process afterwards, so that the limits of the run
    hold. If a worker or machine dies, others redo the work it had in progress. Raises DependencyMissing
    without Ray, NextsetError if there is no cluster or if Ray gives up, and the first error of a part
    unchanged.
    """
    here = {file: part for file, part in parts.items() if _asks_servers(part.make)}
    yield from _on_cluster({file: part for file, part in parts.items() if file not in here})
    yield from run_with_lookahead(_of_this_device((file, part.make) for file, part in here.items()))


def _asks_servers(make: Any) -> bool:
    """Return True for a job whose model, or one of the models before it in a cascade, is behind a server."""
    return isinstance(make, EngineJob) and any(
        model.source.address for model in (make.model, *make.earlier) if hasattr(model, "source")
    )


def _of_this_device(makes: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield the parts; raises ModelError for a model that should run on a different device."""
    for file, make in makes:
        at_server = isinstance(make, EngineJob) and make.model.source.address
        if isinstance(make, EngineJob) and not at_server and make.model.device != (here := device_type()):
            raise ModelError(
                f"{make.model.source.name} should run on {make.model.device}, but a Ray worker has {here}",
                remedy="install a version of torch that finds the GPUs of each machine, or start Ray with "
                "--num-gpus 0",
            )
        yield file, make


def _on_cluster(parts: Mapping[str, Part]) -> Iterator[tuple[str, PartResult]]:
    """Make ``parts`` on the cluster, as `run_on_ray`."""
    waiting = set(parts)
    if not waiting:
        return
    with cluster() as resources:
        from ray.exceptions import RayError

        try:
            for file, made in _results(parts, resources):
                if isinstance(made, Exception):
                    raise made
                waiting.remove(file)
                yield file, made
        except RayError as e:
            raise NextsetError(
                f"Ray gave up: {str(e).strip().splitlines()[0]}",
                remedy="check the cluster, then run this again; finished work is kept",
            ) from None
    if waiting:
        raise NextsetError(
            f"Ray did not return results for {', '.join(sorted(waiting))}", remedy="run this again"
        )


def _results(parts: Mapping[str, Part], resources: Mapping[str, float]) -> Iterator[tuple[str, Any]]:
    """Yield each part's file with its result or its error, as they arrive."""
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.max_errored_blocks = 0  # no block may be skipped
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    gpus, cpus = int(resources.get("GPU", 0)), int(resources.get("CPU", 1))
    rows = [{"file": file, "make": part.make} for file, part in parts.items()]
    together = TOGETHER if gpus else 1
    blocks = -(-len(rows) // together)
    results = ray.data.from_items(rows, override_num_blocks=blocks).map_batches(
        Worker,
        fn_constructor_args=[tally()],
        batch_size=together,
        compute=ray.data.ActorPoolStrategy(
            size=min(gpus or cpus, blocks), max_tasks_in_flight_per_actor=AHEAD
        ),
        num_cpus=1,
        num_gpus=1 if gpus else 0,
    )
    for batch in results.iter_batches(batch_size=None, prefetch_batches=0):
        yield from zip(batch["file"].tolist(), batch["made"].tolist(), strict=True)


class Worker:
    """A separate process that makes parts; the model that was asked last stays loaded."""

    def __init__(self, begun: Any) -> None:
        """Store ``begun``, a `tally` of the parts that workers have started."""
        self.begun = begun

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Return the columns file and made for the columns file and make; after an error, it comes last.

        An error is returned because Ray would wrap a raised error and hide its message.
        """
        files: list[str] = []
        results: list[PartResult | Exception] = []
        try:
            for file, result in run_with_lookahead(_of_this_device(self._checked(batch))):
                files.append(file)
                results.append(result)
        except Exception as e:  # noqa: BLE001 - raised again in the process that takes the results
            files.append("")
            results.append(_portable(e))
        made = np.empty(len(results), dtype=object)
        made[:] = results
        return {"file": np.array(files), "made": made}

    def _checked(self, batch: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield the parts; raises NextsetError if the workers that made one all died."""
        import ray

        for file, make in zip(batch["file"].tolist(), batch["make"], strict=True):
            if ray.get(self.begun.add.remote(file)) > ATTEMPTS:
                raise NextsetError(
                    f"{ATTEMPTS} Ray workers died while they worked on {file} or on files in the same batch",
                    remedy="the usual cause is too little memory: start Ray with fewer CPUs per machine, so "
                    "that fewer models are loaded, and run this again; finished work is kept",
                )
            yield file, make


def _portable(error: Exception) -> Exception:
    """Return ``error`` with its traceback as a note, in a form that can be sent to another process."""
    from ray import cloudpickle

    trace = traceback.format_exc()
    error.add_note(f"in a Ray worker:\n{trace}")
    try:
        cloudpickle.loads(cloudpickle.dumps(error))  # type: ignore[no-untyped-call]
    except Exception:  # noqa: BLE001 - unpickling an exception can raise anything
        return RuntimeError(trace)
    return error
