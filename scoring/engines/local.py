"""Jobs on this machine: the next one is read while a model works; with several GPUs, one thread each."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from nextset.build import Made, Part
from scoring.jobs import Job

__all__ = ["local", "on_devices"]


def local(parts: Mapping[str, Part]) -> Iterator[tuple[str, Made]]:
    """Make ``parts``, whose makers are jobs, on all GPUs of this machine, or else on its CPU."""
    import torch

    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if gpus > 1:
        return on_devices(parts, [f"cuda:{i}" for i in range(gpus)])
    return _looking_ahead(parts)


def _looking_ahead(parts: Mapping[str, Part]) -> Iterator[tuple[str, Made]]:
    """One job after the other; while a model works, the inputs of its next job are read and encoded."""
    jobs = [(file, part.make) for file, part in parts.items()]
    with ThreadPoolExecutor(1, thread_name_prefix="ahead") as pool:
        ahead = None
        for i, (file, job) in enumerate(jobs):
            if not isinstance(job, Job):
                yield file, job()
                continue
            ready = ahead.result() if ahead is not None else job.ready()
            following = jobs[i + 1][1] if i + 1 < len(jobs) else None
            # not across models: two of them might not fit into memory
            same = isinstance(following, Job) and following.model == job.model and not following.earlier
            ahead = pool.submit(following.ready) if same and isinstance(following, Job) else None
            yield file, job.finished(ready)


def on_devices(parts: Mapping[str, Part], devices: Sequence[str]) -> Iterator[tuple[str, Made]]:
    """Each device takes the next job when it is done with one; the first error stops all and is raised."""
    waiting = iter(list(parts.items()))
    turn, stop = threading.Lock(), threading.Event()
    done: queue.Queue[tuple[str, Made] | Exception | None] = queue.Queue()

    def work(device: str) -> None:
        try:
            while not stop.is_set():
                with turn:
                    file, part = next(waiting, ("", None))
                if part is None:
                    break
                job = part.make
                done.put((file, job.moved(device)() if isinstance(job, Job) else job()))
        except Exception as e:  # noqa: BLE001 - raised again where the results are taken
            done.put(e)
        finally:
            done.put(None)

    threads = [threading.Thread(target=work, args=(d,), name=d, daemon=True) for d in devices]
    for thread in threads:
        thread.start()
    try:
        ended = 0
        while ended < len(threads):
            found = done.get()
            if found is None:
                ended += 1
            elif isinstance(found, Exception):
                raise found
            else:
                yield found
    finally:
        stop.set()
        for thread in threads:
            thread.join()
