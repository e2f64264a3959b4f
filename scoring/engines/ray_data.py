"""Jobs on a Ray cluster, through Ray Data: a worker for each GPU, or where there is none for each CPU."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from nextset.artifacts.build import Made, Part
from nextset.errors import ModelError, NextsetError
from nextset.scoring.devices import device_type
from nextset.scoring.engines.local import run_with_lookahead
from nextset.scoring.engines.ray_cluster import cluster, tally
from nextset.scoring.jobs import Job

__all__ = ["Worker", "run_on_ray"]

ATTEMPTS = 4
"""How often a part is begun before its workers' deaths are put down to it."""
AHEAD = 2
"""Lots of parts that a worker has at hand, the one that it works on included."""
TOGETHER = 4
"""Parts a lot for a GPU: it need not wait until the next part has been read. A CPU gains nothing by that."""


def run_on_ray(parts: Mapping[str, Part]) -> Iterator[tuple[str, Made]]:
    """Make ``parts`` on the cluster at RAY_ADDRESS, or on one that is started on this machine.

    What a worker or a machine that died had at hand is made again by another one. Raises DependencyMissing
    without Ray, NextsetError when there is no cluster or it gives up, and the first error of a part as it is.
    """
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
                remedy="see to the cluster, then run this again: what is finished is kept",
            ) from e
    if waiting:
        raise NextsetError(f"Ray left out {', '.join(sorted(waiting))}", remedy="run this again")


def _results(parts: Mapping[str, Part], resources: Mapping[str, float]) -> Iterator[tuple[str, Any]]:
    """Each part's file, with what was made or the error, as they come."""
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.max_errored_blocks = 0  # nothing is left out
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
    """Makes parts, in a process of its own; the model that was asked last stays loaded."""

    def __init__(self, begun: Any) -> None:
        """``begun`` is a `tally`."""
        self.begun = begun

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The columns file and made, for the columns file and make; the first error takes the last place.

        Ray would wrap an error that is raised here, and hide what it says.
        """
        files: list[str] = []
        results: list[Made | Exception] = []
        try:
            for file, result in run_with_lookahead(self._checked(batch)):
                files.append(file)
                results.append(result)
        except Exception as e:  # noqa: BLE001 - raised again where the results are taken
            files.append("")
            results.append(_portable(e))
        made = np.empty(len(results), dtype=object)
        made[:] = results
        return {"file": np.array(files), "made": made}

    def _checked(self, batch: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """The parts; raises NextsetError for one that cannot be made here, or that no worker survived."""
        import ray

        for file, make in zip(batch["file"].tolist(), batch["make"], strict=True):
            if ray.get(self.begun.add.remote(file)) > ATTEMPTS:
                raise NextsetError(
                    f"{ATTEMPTS} Ray workers died over {file} or what comes with it",
                    remedy="mostly memory did not suffice: start Ray with fewer CPUs a machine, so that "
                    "fewer models are loaded; then run this again: what is finished is kept",
                )
            if isinstance(make, Job) and make.model.device != (here := device_type()):
                raise ModelError(
                    f"{make.model.source.name} is to run on {make.model.device}, and a Ray worker has {here}",
                    remedy="install a torch that finds the GPUs of each machine, or start Ray with "
                    "--num-gpus 0",
                )
            yield file, make


def _portable(error: Exception) -> Exception:
    """``error`` with where it came from, as something that reaches another process."""
    from ray import cloudpickle

    told = traceback.format_exc()
    error.add_note(f"in a Ray worker:\n{told}")
    try:
        cloudpickle.loads(cloudpickle.dumps(error))  # type: ignore[no-untyped-call]
    except Exception:  # noqa: BLE001 - whatever an exception's own way of being rebuilt raises
        return RuntimeError(told)
    return error
