"""A model behind an OpenAI-compatible server that writes a text for each prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nextset.files.cache_home import cache_home
from nextset.scoring.model_server.answer_cache import Answers
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.model_server.concurrent_requests import ask_all
from nextset.scoring.model_server.model_requests import ModelRequests
from nextset.scoring.model_server.rate_and_cost_limits import Ledger, ledger_of
from nextset.scoring.model_server.server_client import FIRST_TOKENS, Patience
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.writer_protocol import WritingRequest
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

__all__ = ["ServerWriter"]


@dataclass(frozen=True)
class ServerWriter:
    """A model at a server that writes. Each request is sent once, and its answer is stored."""

    source: ModelSource
    """The server's address and the model's name."""
    requests: ModelRequests
    """The settings of requests."""
    answers: Answers
    """The stored answers."""
    ledger: Ledger
    """The requests and the cost of the run so far."""
    patience: Patience = field(default_factory=Patience)
    """The limits on waiting for the server."""

    @classmethod
    def of(
        cls, source: ModelSource, scoring: ScoringSettings, model: ModelSettings | None = None
    ) -> ServerWriter:
        """Return a writer that stores answers on this machine, unless the study sets scoring.cache: false.

        Nothing is sent yet.
        """
        path = cache_home() / "answers.sqlite" if scoring.cache else None
        requests = ModelRequests.of(source, scoring, model or ModelSettings())
        return cls(source, requests, Answers(path), ledger_of(scoring.server))

    def write(self, requests: Sequence[WritingRequest]) -> list[Completion]:
        """Return the text for each request; several are asked at a time, and equal requests are sent once.

        Raises ModelError if the server does not answer or a limit is reached; answers are stored in any case.
        """
        answer_requests = [
            self.requests.request([("user", r.prompt)], temperature=r.temperature, seed=r.seed)
            for r in requests
        ]
        server = self.requests.server
        first = max([FIRST_TOKENS, *(request.tokens for request in requests)])
        if "answer_tokens" in server.model_fields_set:
            first = server.answer_tokens
        completions = ask_all(
            lambda client, asked: client.stored_or_asked(self.answers, asked, first),
            dict.fromkeys(answer_requests),
            self.requests,
            self.ledger,
            self.patience,
        )
        return [completions[one] for one in answer_requests]
