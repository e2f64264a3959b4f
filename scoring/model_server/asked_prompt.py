"""A prompt on its way to an answer that is one of the choices: it is sent, read, and sent with a reminder."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nextset.array_types import Floats
from nextset.scoring.model_server.answer_cache import AnswerRequest
from nextset.scoring.model_server.answer_outcome import AnswerOutcome, outcome_of
from nextset.scoring.model_server.choice_logprobs import choice_probabilities
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.model_server.model_requests import ModelRequests
from nextset.scoring.prompts.answer_parsing import REMINDER
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.scorer_protocol import OUTCOME_COLUMNS

__all__ = ["ASKS", "AskedPrompt", "PromptSample"]

ASKS = 3
"""The number of tries per prompt; then the last answer counts with its outcome."""


@dataclass(frozen=True, slots=True)
class PromptSample:
    """One of the answers that a prompt gets."""

    prompt: Rendered
    sample: int
    """The number of the answer, from 0, which is added to the seed."""


@dataclass
class AskedPrompt:
    """The conversation about one prompt so far."""

    asked: PromptSample
    requests: ModelRequests
    """The model and its settings."""
    messages: list[tuple[str, str]] = field(default_factory=list)
    """The answers so far, each with the reminder after it."""
    tries: int = 0
    """The number of answers so far."""
    completion: Completion = field(default_factory=lambda: Completion(""))
    """The last answer."""
    outcome: AnswerOutcome = field(default_factory=lambda: AnswerOutcome(None, "unreadable"))
    """Its outcome."""

    @property
    def is_open(self) -> bool:
        """True if the prompt has to be sent, for the first time or with a reminder."""
        answered = self.tries > 0 and self.outcome.other in (None, "abstained")
        return self.tries < ASKS and not answered

    @property
    def request(self) -> AnswerRequest:
        """The request to send next."""
        messages = (("user", self.asked.prompt.prompt), *self.messages)
        seed = self.requests.server.seed + self.asked.sample
        return self.requests.request(messages, self.asked.prompt.choices, seed=seed)

    def read(self, completion: Completion) -> None:
        """Read the answer to `request`."""
        choices = self.asked.prompt.choices
        self.tries, self.completion = self.tries + 1, completion
        self.outcome = outcome_of(completion, self.asked.prompt)
        reminder = REMINDER.format(choices=", ".join(choices))
        self.messages += [("assistant", completion.answer or "…"), ("user", reminder)]

    def probabilities(self) -> Floats | None:
        """Return the probabilities of the choices that the last answer came with, shape (choices,).

        None if it is none of the choices, or has no log probabilities that tell the choices apart.
        """
        if self.outcome.choice is None:
            return None
        return choice_probabilities(self.completion.choice_logs, self.asked.prompt.choices)

    def shares(self) -> Floats:
        """Return what the answer adds to an input's numbers: probabilities, or a vote.

        The shape is (choices + outcomes,): the shares of the choices, in the order of the prompt, and then
        the numbers of `OUTCOME_COLUMNS`.
        """
        probabilities = self.probabilities()
        if probabilities is not None:
            return np.concatenate([probabilities, np.zeros(len(OUTCOME_COLUMNS))])
        choice, other = self.outcome.choice, self.outcome.other
        choices = len(self.asked.prompt.choices)
        vote = np.zeros(choices + len(OUTCOME_COLUMNS))
        vote[choice if choice is not None else choices + OUTCOME_COLUMNS.index(str(other))] = 1
        vote[choices + OUTCOME_COLUMNS.index("votes")] = 1
        return vote
