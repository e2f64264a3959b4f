"""A model behind an OpenAI-compatible server as a scorer: it answers with text, one vote per wording."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nextset.files.cache_home import cache_home
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.answer_outcome import AnswerOutcome, outcome_of
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.model_server.concurrent_requests import ask_all
from nextset.scoring.model_server.rate_and_cost_limits import Ledger, ledger_of
from nextset.scoring.model_server.server_client import (
    FIRST_TOKENS,
    Patience,
    ServerClient,
    stored_completion,
)
from nextset.scoring.model_server.stored_answers import StoredAnswer
from nextset.scoring.models.sources import SERVER, ModelSource
from nextset.scoring.prompt_wordings import Rendered, render_prompts
from nextset.scoring.prompts.answer_parsing import REMINDER
from nextset.scoring.scorer_protocol import OUTCOME_COLUMNS, Numbers

__all__ = ["ServerScorer"]

ASKS = 3
"""The number of tries per wording before its answer counts as unreadable."""


class _NotStored(Exception):
    """An answer is not stored on this machine."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """The last answer to a prompt, and its outcome."""

    completion: Completion
    outcome: AnswerOutcome


@dataclass(frozen=True)
class ServerScorer:
    """A model at a server, asked about pairs, yes/no questions or questions with two subjects.

    The scores are votes, not probabilities: the share of the wordings with that answer.
    """

    source: ModelSource
    """The server's address and the model's name."""
    asking: Asking
    """The form, the wordings and the limits."""
    answers: Answers
    """The stored answers."""
    ledger: Ledger
    """The requests and the cost of the run so far."""
    patience: Patience = field(default_factory=Patience)
    """The limits on waiting for the server."""

    @classmethod
    def load(cls, source: ModelSource, asking: Asking) -> ServerScorer:
        """Return a scorer that stores answers on this machine, unless the study sets scoring.cache: false.

        Nothing is sent yet. Raises ModelError for a form that such a model cannot be asked about.
        """
        render_prompts(asking, ())
        path = cache_home() / "answers.sqlite" if asking.scoring.cache else None
        return cls(source, asking, Answers(path), ledger_of(asking.scoring.server))

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers of the form, of which no_answer is the share of answers with that meaning, and the
        shares of the other outcomes."""
        return SCORED_FORMS[self.asking.form].numbers + OUTCOME_COLUMNS

    def encoded(self, inputs: Sequence[Any]) -> Sequence[tuple[Rendered, ...]]:
        """Return the inputs in every wording; texts that are too long are refused by the server."""
        return render_prompts(self.asking, inputs)

    def scores(self, encoded: Sequence[tuple[Rendered, ...]]) -> Numbers:
        """Return the votes for each input; several prompts are asked at a time.

        A prompt without a choice counts with its outcome. Raises ModelError if the server does not answer, if
        a limit is reached, or if too many answers are unreadable. Answers are stored in every case.
        """
        replies = self._answered(dict.fromkeys(prompt for wordings in encoded for prompt in wordings))
        columns = self.columns
        votes = np.zeros((len(encoded), len(columns)))
        votes[:, columns.index("votes")] = 1
        for n, wordings in enumerate(encoded):
            for prompt in wordings:
                outcome = replies[prompt].outcome
                at = outcome.choice if outcome.choice is not None else columns.index(str(outcome.other))
                votes[n, at] += 1 / len(wordings)
        return votes

    def exact(self, encoded: Sequence[tuple[Rendered, ...]]) -> Numbers:
        """Return the votes of `scores`, because a server's precision cannot be chosen."""
        return self.scores(encoded)

    def alone(self, encoded: Sequence[tuple[Rendered, ...]]) -> Numbers:
        """Return the votes of `scores`, because each prompt is sent by itself, and only once."""
        return self.scores(encoded)

    def stored(self, prompt: Rendered) -> list[StoredAnswer] | None:
        """Return the stored answers to ``prompt``, one per sample, without asking.

        None if one of them, or of the answers before a reminder, is not stored.
        """

        def read(messages: list[tuple[str, str]], choices: Sequence[str]) -> Completion:
            completion = stored_completion(self.answers, self._request(messages, choices), self._first_tokens)
            if completion is None:
                raise _NotStored
            return completion

        try:
            last = self._conversation(prompt, read)
        except _NotStored:
            return None
        return [StoredAnswer(last.completion, last.outcome.choice, last.outcome.other)]

    def _answered(self, prompts: Iterable[Rendered]) -> dict[Rendered, _Answer]:
        return ask_all(
            self._answer, prompts, self.source, self.ledger, self.patience, self.asking.server.at_once
        )

    def _answer(self, client: ServerClient, prompt: Rendered) -> _Answer:
        answer = self._conversation(prompt, functools.partial(self._completion, client))
        self.ledger.unreadable.note(
            self.source.name, prompt.prompt, _shown(answer.completion), answer.outcome.other
        )
        self.ledger.unreadable.check(self.source.name, self.asking.server.unreadable_at_most)
        return answer

    def _conversation(
        self, prompt: Rendered, ask: Callable[[list[tuple[str, str]], Sequence[str]], Completion]
    ) -> _Answer:
        """Return the last answer to ``prompt``; an answer without a choice is followed by a reminder."""
        messages = [("user", prompt.prompt)]
        abstention = SCORED_FORMS[self.asking.form].abstention
        for _ in range(ASKS):
            completion = ask(messages, prompt.choices)
            outcome = outcome_of(completion, prompt.choices, abstention)
            if outcome.other in (None, "abstained"):
                break
            reminder = REMINDER.format(choices=", ".join(prompt.choices))
            messages += [("assistant", completion.answer or "…"), ("user", reminder)]
        return _Answer(completion, outcome)

    def _completion(
        self, client: ServerClient, messages: list[tuple[str, str]], choices: Sequence[str]
    ) -> Completion:
        """Return the model's answer to ``messages``, from the cache or the server."""
        return client.stored_or_asked(self.answers, self._request(messages, choices), self._first_tokens)

    def _request(self, messages: list[tuple[str, str]], choices: Sequence[str]) -> AnswerRequest:
        model = self.source.name.removeprefix(SERVER)
        server = self.asking.server
        return AnswerRequest(
            self.source.digest, model, tuple(messages), tuple(choices), server.answer_tokens, api=server.api
        )

    @property
    def _first_tokens(self) -> int:
        """The most tokens of an answer that shows no thoughts."""
        server = self.asking.server
        chosen = "answer_tokens" in server.model_fields_set
        return server.answer_tokens if chosen else FIRST_TOKENS


def _shown(completion: Completion) -> str:
    ended = f" (ended by {completion.ending!r})" if completion.ending else ""
    return f"{completion.answer or completion.text!r:.100}{ended}"
