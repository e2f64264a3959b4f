"""A model behind an OpenAI-compatible server as a scorer: it answers with text, once or more per wording."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nextset.array_types import Floats
from nextset.artifacts.part_progress import note_share
from nextset.files.cache_home import cache_home
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.asked_prompt import AskedPrompt, PromptSample
from nextset.scoring.model_server.batch_rounds import BatchRounds, batches_of
from nextset.scoring.model_server.choice_logprobs import continuation_probabilities
from nextset.scoring.model_server.concurrent_requests import ask_all
from nextset.scoring.model_server.model_requests import ModelRequests
from nextset.scoring.model_server.prompt_continuation import continuation_requests
from nextset.scoring.model_server.rate_and_cost_limits import Ledger, ledger_of
from nextset.scoring.model_server.server_client import (
    FIRST_TOKENS,
    Patience,
    ServerClient,
    stored_completion,
)
from nextset.scoring.model_server.stored_answers import StoredAnswer
from nextset.scoring.model_server.unreadable_answers import LastAnswer
from nextset.scoring.model_server.unwanted_thinking import warn_of_thinking
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.prompt_numbers import prompt_numbers
from nextset.scoring.prompt_wordings import own_prompts, render_prompts
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.scorer_protocol import OUTCOME_COLUMNS, Numbers

__all__ = ["ServerScorer"]


@dataclass(frozen=True)
class ServerScorer:
    """A model at a server, asked in the wordings of a form.

    Scores are means over the prompts of an input and the samples of each. With log probabilities, an answer
    counts with the probabilities of the choices (`nextset.scoring.model_server.choice_logprobs`). Without
    them it is a vote for a choice or for an outcome such as refused, and the number votes of the input is
    1.
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
        """Return the numbers of each input; several prompts are asked at a time.

        A prompt without a choice counts with its outcome. Raises ModelError if the server does not answer, if
        a limit is reached, or if too many answers are unreadable. Answers are stored in every case.
        """
        samples = range(self.asking.server.samples)
        asked = [[PromptSample(*pair) for pair in itertools.product(ps, samples)] for ps in encoded]
        shares = self._shares(list(dict.fromkeys(itertools.chain.from_iterable(asked))))
        numbers = [
            self._numbers([one.prompt for one in of_input], [shares[one] for one in of_input])
            for of_input in asked
        ]
        return np.array(numbers).reshape(len(encoded), len(self.columns))

    def _numbers(self, prompts: Sequence[Rendered], shares: Sequence[Floats]) -> Numbers:
        """Return the numbers of an input; each of ``shares`` has those of choices and then of outcomes."""
        outcomes = np.mean([one[-len(OUTCOME_COLUMNS) :] for one in shares], axis=0)
        outcomes[-1] = outcomes[-1] > 0
        of_choices = [one[: -len(OUTCOME_COLUMNS)] for one in shares]
        return np.concatenate([prompt_numbers(self.asking.form, prompts, of_choices, False), outcomes])

    def exact(self, encoded: Sequence[tuple[Rendered, ...]]) -> Numbers:
        """Return the numbers of `scores`, because a server's precision cannot be chosen."""
        return self.scores(encoded)

    def alone(self, encoded: Sequence[tuple[Rendered, ...]]) -> Numbers:
        """Return the numbers of `scores`, because each prompt is sent by itself, and only once."""
        return self.scores(encoded)

    def stored(self, prompt: Rendered) -> list[StoredAnswer] | None:
        """Return the stored answers to ``prompt``, one per sample, without asking.

        None if one of them, or of the answers before a reminder, is not stored. Empty for a base model whose
        choices are only given probabilities.
        """
        server, stored = self.asking.server, list[StoredAnswer]()
        for sample in range(server.samples):
            asked = self._begun(PromptSample(prompt, sample))
            while asked.is_open:
                completion = stored_completion(self.answers, asked.request, self._first_tokens)
                if completion is None:
                    return [] if self._continuations(PromptSample(prompt, sample)) else None
                asked.read(completion)
            stored.append(StoredAnswer(asked.completion, asked.outcome.choice, asked.outcome.other))
        return stored

    @functools.cached_property
    def _requests(self) -> ModelRequests:
        return ModelRequests.of(self.source, self.asking.scoring, self.asking.model)

    def _shares(self, asked: Sequence[PromptSample]) -> Mapping[PromptSample, Floats]:
        """Return the shares of `AskedPrompt.shares` for each of ``asked``."""
        if self.asking.server.batch:
            return self._shares_in_batches(asked)
        return ask_all(self._answered, asked, self._requests, self.ledger, self.patience)

    def first_requests(self, prompt: Rendered) -> list[tuple[AnswerRequest, ...]]:
        """Return the first requests for the answers to ``prompt``.

        They are one for each sample, with all tokens and with few, or one for each choice that continues it.
        """
        if continuations := self._continuations(PromptSample(prompt, 0)):
            return [(one,) for one in continuations]
        server = self.asking.server
        samples = (PromptSample(prompt, sample) for sample in range(server.samples))
        whole_requests = (AskedPrompt(asked, self._requests).request for asked in samples)
        few = min(self._first_tokens, server.answer_tokens)
        return [(whole, replace(whole, answer_tokens=few)) for whole in whole_requests]

    def _shares_in_batches(self, asked: Sequence[PromptSample]) -> Mapping[PromptSample, Floats]:
        """Return the same by the server's batch API: a batch of prompts, then the reminders that it needs."""
        with batches_of(self._requests, self.answers, self.ledger) as batches:
            exact = self._continued_in_batches(batches, asked)
            prompts = [self._begun(one) for one in asked if one not in exact]
            while waiting := [(prompt, prompt.request) for prompt in prompts if prompt.is_open]:
                completions = batches.answered([request for _, request in waiting], self._first_tokens)
                for prompt, request in waiting:
                    prompt.read(completions[request])
                note_share(sum(not prompt.is_open for prompt in prompts) / len(prompts))
        return exact | {prompt.asked: self._noted(prompt) for prompt in prompts}

    def _continued_in_batches(
        self, batches: BatchRounds, asked: Sequence[PromptSample]
    ) -> dict[PromptSample, Floats]:
        """Return the shares of the prompts that the server echoes, by one batch of all continuations."""
        requests = {one: self._continuations(one) for one in asked}
        completions = batches.continued(itertools.chain.from_iterable(requests.values()))
        logs = {one: [completions[r].choice_logs for r in each] for one, each in requests.items() if each}
        exact = {one: continuation_probabilities(each) for one, each in logs.items()}
        return {one: self._without_outcomes(p) for one, p in exact.items() if p is not None}

    def _answered(self, client: ServerClient, asked: PromptSample) -> Floats:
        exact = self._continued(client, asked)
        if exact is not None:
            return self._without_outcomes(exact)
        prompt = self._begun(asked)
        while prompt.is_open:
            prompt.read(client.stored_or_asked(self.answers, prompt.request, self._first_tokens))
        return self._noted(prompt)

    def _begun(self, asked: PromptSample) -> AskedPrompt:
        return AskedPrompt(asked, self._requests)

    def _continued(self, client: ServerClient, asked: PromptSample) -> Floats | None:
        """Return the probabilities of the choices after the prompt; None unless the server gives them.

        They are exact, as for a model on this machine, because no answer is sampled.
        """
        logs = []
        for one in self._continuations(asked):
            completion = client.continuation(self.answers, one)
            if completion is None or not completion.choice_logs:
                return None
            logs.append(completion.choice_logs)
        return continuation_probabilities(logs) if logs else None

    def _continuations(self, asked: PromptSample) -> list[AnswerRequest]:
        """Return the requests for the choices after a prompt; empty unless the settings ask for them."""
        server = self.asking.server
        if not server.logprobs or server.api != "completions":
            return []
        whole = self._requests.request([("user", asked.prompt.prompt)], asked.prompt.choices)
        return continuation_requests(whole)

    def _without_outcomes(self, exact: Floats) -> Floats:
        """Return the probabilities of the choices as shares, with no share for another outcome."""
        return np.concatenate([exact, np.zeros(len(OUTCOME_COLUMNS))])

    @functools.cached_property
    def _counted_as(self) -> str:
        """The server, the model and the wordings whose unreadable answers are counted together."""
        return f"{self.source.digest} {(self.asking.prompts or own_prompts()).digest(self.asking.form)}"

    def _noted(self, prompt: AskedPrompt) -> Floats:
        """Return the shares of a prompt, which counts among the answers of the run; raises ModelError."""
        server, counts = self.asking.server, self.ledger.unreadable
        warn_of_thinking(self.source.name, self.asking.model, prompt.completion)
        counts.note(self._counted_as, prompt.asked, LastAnswer(prompt.completion, prompt.outcome.other))
        counts.check(self._counted_as, self.source.name, server.unreadable_at_most, self._first_tokens)
        return prompt.shares()

    @property
    def _first_tokens(self) -> int:
        """The most tokens of an answer that shows no thoughts."""
        server = self.asking.server
        chosen = "answer_tokens" in server.model_fields_set
        return server.answer_tokens if chosen else FIRST_TOKENS
