"""The shares of a model's answers that cannot be read or are cut off: a limit stops a run, or a warning is
logged."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field

from nextset.errors import ModelError
from nextset.records.prompt_outcomes import Outcome
from nextset.scoring.model_server.asked_prompt import PromptSample
from nextset.scoring.model_server.completion import Completion

__all__ = ["LastAnswer", "UnreadableAnswers"]

FIRST = 50
"""The number of prompts after which the share counts."""
CUT_OFF_AT_MOST = 0.2
"""The highest share of answers that are cut off before a warning is logged."""
FOR_THOUGHTS = 4096
"""The minimum number of tokens that the warning suggests."""
_LOG = logging.getLogger(__name__)
SHOWN = 5
"""The number of unreadable answers that the error shows."""


@dataclass(frozen=True, slots=True)
class LastAnswer:
    """The last answer to a prompt."""

    completion: Completion
    outcome: Outcome | None
    """Its outcome; None if it is one of the choices."""

    @property
    def shown(self) -> str:
        """The answer as errors show it."""
        ending = self.completion.ending
        ended = f" (ended by {ending!r})" if ending else ""
        return f"{self.completion.answer or self.completion.text!r:.100}{ended}"


@dataclass
class _Counts:
    """The prompts that a model was asked in this run, and those whose last answer is none of the choices."""

    prompts: set[PromptSample] = field(default_factory=set)
    unreadable: dict[PromptSample, LastAnswer] = field(default_factory=dict)
    cut_off: set[PromptSample] = field(default_factory=set)
    warned: bool = False
    """True once the warning about answers that are cut off was logged."""


class UnreadableAnswers:
    """A count of the answers of each model in each wording; threads may share it.

    A process can run several studies, and a study again with other wordings: the key of a count covers the
    server and the wordings, and a count ends with the error that it causes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._models: dict[str, _Counts] = {}

    def note(self, key: str, asked: PromptSample, answer: LastAnswer) -> None:
        """Count the last ``answer`` to a prompt; a later answer to the same prompt replaces it."""
        with self._lock:
            counts = self._models.setdefault(key, _Counts())
            counts.prompts.add(asked)
            counts.unreadable.pop(asked, None)
            counts.cut_off.discard(asked)
            if answer.outcome == "unreadable":
                counts.unreadable[asked] = answer
            elif answer.outcome == "cut_off":
                counts.cut_off.add(asked)

    def check(self, key: str, model: str, at_most: float, tokens: int) -> None:
        """Raise ModelError if the share of unreadable answers of ``model`` is above ``at_most``.

        If many answers are cut off at their limit of ``tokens``, a warning is logged, once per model.
        """
        with self._lock:
            counts = self._models.get(key, _Counts())
            prompts, cut_off = len(counts.prompts), len(counts.cut_off)
            warn = prompts >= FIRST and cut_off > CUT_OFF_AT_MOST * prompts and not counts.warned
            counts.warned |= warn
            stop = prompts >= FIRST and len(counts.unreadable) > at_most * prompts
            unreadable = dict(counts.unreadable) if stop else {}
            if stop:
                del self._models[key]
        if warn:
            _warn(model, cut_off, prompts, tokens)
        if stop:
            raise _too_many(model, unreadable, prompts, at_most)


def _warn(model: str, cut_off: int, prompts: int, tokens: int) -> None:
    _LOG.warning(
        "%s: %s of %s answers were cut off at %s tokens, and cut-off answers do not count; write scoring: "
        "{server: {answer_tokens: %s}} in study.yaml if the model thinks before it answers; if it is a base "
        "model, which goes on writing, write scoring: {server: {api: completions}}",
        model, f"{cut_off:,}", f"{prompts:,}", tokens, max(FOR_THOUGHTS, 4 * tokens),
    )  # fmt: skip


def _too_many(
    model: str, unreadable: dict[PromptSample, LastAnswer], prompts: int, at_most: float
) -> ModelError:
    listed = [
        f"  {answer.shown} to {asked.prompt.prompt!r:.200}"
        for asked, answer in list(unreadable.items())[:SHOWN]
    ]
    if len(unreadable) > SHOWN:
        listed.append(f"  and {len(unreadable) - SHOWN:,} more")
    return ModelError(
        f"{model} did not answer {len(unreadable):,} of {prompts:,} prompts with one of the choices, more "
        f"than the limit of {at_most:.0%}:\n" + "\n".join(listed),
        remedy="reword the prompts (scoring.prompts), choose a model that answers with a choice, or "
        "raise scoring.server.unreadable_at_most; all answers are kept",
    )
