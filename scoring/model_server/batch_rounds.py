"""Prompts in rounds of batches: short answers first, then whole answers for models that think."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from nextset.artifacts.answer_usage import flush_usage
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.batch_answers import answer_in_batches
from nextset.scoring.model_server.batch_client import BatchClient, BatchPatience
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.model_server.model_requests import ModelRequests
from nextset.scoring.model_server.rate_and_cost_limits import Ledger, ModelAccount
from nextset.scoring.model_server.secret_headers import hide_secret_fields, secret_headers
from nextset.scoring.model_server.sent_batches import BATCHES_FILE, SentBatches
from nextset.scoring.model_server.server_client import connections, thoughts_alone
from nextset.scoring.models.recorded_servers import require_address

__all__ = ["BatchRounds", "batches_of"]


@dataclass
class BatchRounds:
    """The batches of one model at a server."""

    client: BatchClient
    requests: ModelRequests
    """The model and its settings."""
    answers: Answers
    """The stored answers."""
    record: SentBatches
    """The batches that were sent."""
    account: ModelAccount
    """The model's requests and costs in this run."""
    thinks: bool = False
    """True once a short answer was only thoughts: the model then gets all tokens at once."""

    def answered(self, asked: Iterable[AnswerRequest], first_tokens: int) -> dict[AnswerRequest, Completion]:
        """Return the answer to each of ``asked``, which gets at most ``first_tokens`` tokens at first.

        Requests whose short answer is only thoughts are sent again, as `ServerClient.stored_or_asked` does.
        Raises ModelError; all answers that arrived are stored before.
        """
        unique = list(dict.fromkeys(asked))
        answers = {one: known for one in unique if (known := self._known(one, first_tokens)) is not None}
        if not self.thinks:
            short = {one: _short(one, first_tokens) for one in unique if one not in answers}
            completions = self._sent(list(short.values()))
            answers |= {
                one: completions[first]
                for one, first in short.items()
                if first == one or not thoughts_alone(completions[first])
            }
            self.thinks = any(thoughts_alone(completion) for completion in completions.values())
        return answers | self._sent([one for one in unique if one not in answers])

    def continued(self, asked: Iterable[AnswerRequest]) -> dict[AnswerRequest, Completion]:
        """Return the continuation of each of ``asked``; raises ModelError.

        It has no log probabilities if the server does not echo its prompt.
        """
        return self._sent(list(dict.fromkeys(asked)))

    def _known(self, asked: AnswerRequest, first_tokens: int) -> Completion | None:
        whole, short = self.answers.get(asked), self.answers.get(_short(asked, first_tokens))
        return short if whole is None and short is not None and not thoughts_alone(short) else whole

    def _sent(self, asked: Sequence[AnswerRequest]) -> dict[AnswerRequest, Completion]:
        if not asked:
            return {}
        source, traces = self.requests.source, self.requests.traces
        return answer_in_batches(
            asked, self.client, source.digest, self.answers, self.record, self.account, traces=traces
        )


def _short(asked: AnswerRequest, first_tokens: int) -> AnswerRequest:
    return replace(asked, answer_tokens=min(first_tokens, asked.answer_tokens))


@contextmanager
def batches_of(
    requests: ModelRequests, answers: Answers, ledger: Ledger, patience: BatchPatience | None = None
) -> Iterator[BatchRounds]:
    """Yield the batches of a model, whose record is next to the stored answers; nothing is sent yet.

    Answers that are only in memory have a record that ends with the block. Raises ModelError if the
    environment lacks an address or a key.
    """
    source, server = requests.source, requests.server
    require_address(source, requests.model.server)
    headers = secret_headers(source, server.headers)
    hide_secret_fields(source, server.body)
    with ExitStack() as stack:
        http = stack.enter_context(connections(1))
        stack.callback(flush_usage)
        folder = answers.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nextset-")))
        yield BatchRounds(
            BatchClient(source.name, source.address, headers, http, patience or BatchPatience()),
            requests,
            answers,
            SentBatches(folder / BATCHES_FILE),
            ledger.account(source.name, server),
        )
