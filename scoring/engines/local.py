"""Jobs on this machine: the next job is read while a model works; with several GPUs, one thread per GPU."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from nextset.artifacts.build import Part, PartResult, in_turn
from nextset.scoring.engines.engine_job import EngineJob

__all__ = ["run_in_order", "run_locally", "run_on_devices", "run_with_lookahead"]

Make = Callable[[], PartResult]


def run_locally(parts: Mapping[str, Part]) -> Iterator[tuple[str, PartResult]]:
    """Make ``parts``, whose makers are jobs, on all GPUs of this machine, or else on its CPU."""
    import torch

    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if gpus > 1:
        return run_on_devices(parts, [f"cuda:{i}" for i in range(gpus)])
    return run_with_lookahead((file, part.make) for file, part in parts.items())


def run_in_order(parts: Mapping[str, Part]) -> Iterator[tuple[str, PartResult]]:
    """Make ``parts`` on the first GPU of this machine, or else on its CPU."""
    return run_with_lookahead((file, part.make) for file, part in parts.items())


def run_with_lookahead(makes: Iterator[tuple[str, Make]]) -> Iterator[tuple[str, PartResult]]:
    """Run jobs in order and yield their results; the next job is read and encoded while the model works."""
    with ThreadPoolExecutor(1, thread_name_prefix="ahead") as pool:
        ahead: Future[Any] | None = None
        following = next(makes, None)
        while following is not None:
            file, make = following
            if isinstance(make, EngineJob):
                prepared = make.prepare() if ahead is None else ahead.result()
                following = next(makes, None)
                ahead = _read_ahead(pool, make, following)
                yield file, make.finish(prepared)
            else:
                yield file, make()
                following = next(makes, None)


def _read_ahead(
    pool: ThreadPoolExecutor, job: EngineJob, following: tuple[str, Make] | None
) -> Future[Any] | None:
    """Start to read the next job if it has the same model, because two models might not fit into memory."""
    make = following[1] if following is not None else None
    same = isinstance(make, EngineJob) and make.model == job.model and not make.earlier
    return pool.submit(make.prepare) if isinstance(make, EngineJob) and same else None


def run_on_devices(parts: Mapping[str, Part], devices: Sequence[str]) -> Iterator[tuple[str, PartResult]]:
    """Run jobs on devices and yield their results; a device takes the next job when it has finished one.

    Makers that are not jobs run in this thread afterwards. The first error is raised as soon as the other
    devices have finished their current jobs.
    """
    jobs = ((file, part.make) for file, part in parts.items() if isinstance(part.make, EngineJob))
    turn, stop, slots = threading.Lock(), threading.Event(), threading.Semaphore(2 * len(devices))
    done: queue.Queue[tuple[str, PartResult] | BaseException | None] = queue.Queue()

    def taken(device: str) -> Iterator[tuple[str, Make]]:
        while True:
            slots.acquire()  # so that results are not computed faster than they are used
            with turn:
                entry = None if stop.is_set() else next(jobs, None)
            if entry is None:
                return
            file, job = entry
            yield file, job.moved(device) if isinstance(job, EngineJob) else job

    def work(device: str) -> None:
        try:
            for result in run_with_lookahead(taken(device)):
                done.put(result)
        except BaseException as e:  # noqa: BLE001 - raised again in the thread that takes the results
            done.put(e)
        finally:
            done.put(None)

    threads = [
        threading.Thread(target=copy_context().run, args=(work, d), name=d, daemon=True) for d in devices
    ]
    for thread in threads:
        thread.start()
    try:
        ended = 0
        while ended < len(threads):
            outcome = done.get()
            slots.release()
            if outcome is None:
                ended += 1
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                yield outcome
    finally:
        stop.set()
        slots.release(len(threads))
        for thread in threads:
            thread.join()
    yield from in_turn({file: part for file, part in parts.items() if not isinstance(part.make, EngineJob)})
