"""A model behind an OpenAI-compatible server that writes a text for each prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nextset.files.cache_home import cache_home
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.model_server.concurrent_requests import ask_all
from nextset.scoring.model_server.rate_and_cost_limits import Ledger, ledger_of
from nextset.scoring.model_server.server_client import FIRST_TOKENS, Patience
from nextset.scoring.models.sources import SERVER, ModelSource
from nextset.scoring.writer_protocol import WritingRequest
from nextset.study.scoring_settings import ScoringSettings

__all__ = ["ServerWriter"]


@dataclass(frozen=True)
class ServerWriter:
    """A model at a server that writes. Each request is sent once, and its answer is stored."""

    source: ModelSource
    """The server's address and the model's name."""
    scoring: ScoringSettings
    """The limits."""
    answers: Answers
    """The stored answers."""
    ledger: Ledger
    """The requests and the cost of the run so far."""
    patience: Patience = field(default_factory=Patience)
    """The limits on waiting for the server."""

    @classmethod
    def of(cls, source: ModelSource, scoring: ScoringSettings) -> ServerWriter:
        """Return a writer that stores answers on this machine, unless the study sets scoring.cache: false.

        Nothing is sent yet.
        """
        path = cache_home() / "answers.sqlite" if scoring.cache else None
        return cls(source, scoring, Answers(path), ledger_of(scoring.server))

    def write(self, requests: Sequence[WritingRequest]) -> list[Completion]:
        """Return the text for each request; several are asked at a time, and equal requests are sent once.

        Raises ModelError if the server does not answer or a limit is reached; answers are stored in any case.
        """
        answer_requests = [self._asked(request) for request in requests]
        server = self.scoring.server
        first = max([FIRST_TOKENS, *(request.tokens for request in requests)])
        if "answer_tokens" in server.model_fields_set:
            first = server.answer_tokens
        completions = ask_all(
            lambda client, asked: client.stored_or_asked(self.answers, asked, first),
            dict.fromkeys(answer_requests),
            self.source,
            self.ledger,
            self.patience,
            self.scoring.server.at_once,
        )
        return [completions[one] for one in answer_requests]

    def _asked(self, request: WritingRequest) -> AnswerRequest:
        return AnswerRequest(
            server=self.source.digest,
            model=self.source.name.removeprefix(SERVER),
            messages=(("user", request.prompt),),
            choices=(),
            answer_tokens=self.scoring.server.answer_tokens,
            temperature=request.temperature,
            seed=request.seed,
            api=self.scoring.server.api,
        )
