"""The share of a model's answers that cannot be read: a run stops if it is above a limit."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from nextset.errors import ModelError
from nextset.records.answer_outcomes import Outcome

__all__ = ["UnreadableAnswers"]

FIRST = 50
"""The number of prompts after which the share counts."""
SHOWN = 5
"""The number of unreadable answers that the error shows."""


@dataclass
class _Answered:
    """The prompts that a model was asked in this run, and those with an answer that cannot be read."""

    prompts: set[str] = field(default_factory=set)
    unreadable: dict[str, str] = field(default_factory=dict)
    """The answer to each prompt."""


class UnreadableAnswers:
    """A count of the answers of each model of a run; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._models: dict[str, _Answered] = {}

    def note(self, model: str, prompt: str, answer: str, outcome: Outcome | None) -> None:
        """Count the last ``answer`` to ``prompt``, each prompt once."""
        with self._lock:
            answered = self._models.setdefault(model, _Answered())
            answered.prompts.add(prompt)
            if outcome == "unreadable":
                answered.unreadable[prompt] = answer

    def check(self, model: str, at_most: float) -> None:
        """Raise ModelError if the share of unreadable answers of ``model`` is above ``at_most``."""
        with self._lock:
            answered = self._models.get(model, _Answered())
            prompts, unreadable = len(answered.prompts), dict(answered.unreadable)
        if prompts < FIRST or len(unreadable) <= at_most * prompts:
            return
        listed = [f"  {answer} to {prompt!r:.200}" for prompt, answer in list(unreadable.items())[:SHOWN]]
        if len(unreadable) > SHOWN:
            listed.append(f"  and {len(unreadable) - SHOWN:,} more")
        asked = f"{len(unreadable):,} of {prompts:,} prompts"
        raise ModelError(
            f"{model} did not answer {asked} with one of the choices, more than the limit of {at_most:.0%}:\n"
            + "\n".join(listed),
            remedy="reword the prompts (scoring.prompts), choose a model that answers with a choice, or "
            "raise scoring.server.unreadable_at_most; all answers are kept",
        )
