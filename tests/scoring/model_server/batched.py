"""Requests for the tests of batches, and a client that sends them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import httpx2

from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.batch_answers import answer_in_batches
from nextset.scoring.model_server.batch_client import BatchClient, BatchPatience
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.model_server.rate_and_cost_limits import Ledger
from nextset.scoring.model_server.sent_batches import SentBatches
from nextset.study.scoring_settings import ServerSettings

__all__ = ["SERVER", "answered", "requests_of"]

SERVER = "5" * 32
BATCH = ServerSettings(batch=True)


def requests_of(count: int, first: int = 0) -> list[AnswerRequest]:
    """Different requests."""
    return [
        AnswerRequest(SERVER, "m", (("user", f"Is {n} a number?"),), ("yes", "no"), 64)
        for n in range(first, first + count)
    ]


def answered(
    address: str,
    folder: Path | None,
    requests: Sequence[AnswerRequest],
    *,
    ledger: Ledger | None = None,
    settings: ServerSettings = BATCH,
    patience: BatchPatience | None = None,
    sleep: Callable[[float], None] = lambda seconds: None,
    key: str = "",
    record: Path | None = None,
) -> dict[AnswerRequest, Completion]:
    """The answers to ``requests``, stored in ``folder``; the client waits for nothing."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx2.Client(verify=False, trust_env=False) as http:
        client = BatchClient("openai:m", address, headers, http, patience or BatchPatience(sleep=sleep))
        return answer_in_batches(
            requests,
            client,
            SERVER,
            Answers(folder / "answers.sqlite" if folder else None),
            SentBatches((record or folder or Path()) / "answers.batches.sqlite"),
            (ledger or Ledger(ServerSettings())).account("openai:m", settings),
        )
