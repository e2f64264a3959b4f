"""Several requests to a server at a time; the first failure ends them all."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, as_completed, wait
from contextvars import copy_context
from typing import TypeVar, cast

from nextset.artifacts.answer_usage import flush_usage
from nextset.artifacts.part_progress import note_share
from nextset.scoring.model_server.model_requests import ModelRequests
from nextset.scoring.model_server.rate_and_cost_limits import Ledger
from nextset.scoring.model_server.server_client import COMPLETIONS, Patience, ServerClient, connections
from nextset.scoring.models.recorded_servers import require_address

__all__ = ["ask_all"]

HINT_AFTER = 20.0
"""Seconds without any answer after which a hint is logged."""
_LOG = logging.getLogger(__name__)

Asked = TypeVar("Asked", bound=Hashable)
Answer = TypeVar("Answer")


def ask_all(
    ask: Callable[[ServerClient, Asked], Answer],
    asked: Iterable[Asked],
    requests: ModelRequests,
    ledger: Ledger,
    patience: Patience,
) -> dict[Asked, Answer]:
    """Return the result of ``ask`` for each of ``asked``; several requests run at the same time.

    ``requests`` are the model and its settings. Raises the error of the first request that fails; then no
    more requests are sent.
    """
    failed = threading.Event()
    source, at_once = requests.source, requests.server.at_once
    require_address(source, requests.model.server)
    with connections(at_once) as http, ThreadPoolExecutor(at_once) as pool:
        client = ServerClient(requests, http, ledger, patience)

        def answer(one: Asked) -> Answer:
            if failed.is_set():  # send no more requests; the failure is raised below
                return cast("Answer", None)
            try:
                return ask(client, one)
            except BaseException:
                failed.set()
                raise

        jobs = {one: pool.submit(copy_context().run, answer, one) for one in asked}
        try:
            done, _ = wait(jobs.values(), HINT_AFTER, FIRST_COMPLETED)
            if jobs and not done:
                _LOG.warning(
                    "%s has not answered within %g s; it may be slow; if it is a base model, %s",
                    source.name, HINT_AFTER, COMPLETIONS,
                )  # fmt: skip
            for n, job in enumerate(as_completed(jobs.values()), 1):
                job.result()
                note_share(n / len(jobs))
            return {one: job.result() for one, job in jobs.items()}
        finally:
            failed.set()
            flush_usage()
