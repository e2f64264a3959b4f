"""Answers that are read from the store again, without asking the server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nextset.records.prompt_outcomes import Outcome
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.prompts.rendered_prompt import Rendered

__all__ = ["AnswerReader", "StoredAnswer"]


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The last answer to a prompt, as the store has it."""

    completion: Completion
    """The answer, with the thinking before it."""
    choice: int | None
    """The position of the choice that it gives; None if it gives none."""
    outcome: Outcome | None
    """The outcome of an answer that is none of the choices."""

    @property
    def thinking_tokens(self) -> int | None:
        """The number of tokens of the thinking; None if the server does not say.

        Many servers count no tokens of thinking that they do send; their 0 does not mean that there was
        none.
        """
        usage = self.completion.usage
        return usage.thinking if usage is not None and usage.thinking else None


AnswerReader = Callable[[Rendered], Sequence[StoredAnswer] | None]
"""Returns the stored answers to a prompt, one per sample; None if they are not stored on this machine."""
