"""The protocol of models that write a text for a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from nextset.scoring.model_server.completion import Completion

__all__ = ["TextWriter", "WritingRequest"]


@dataclass(frozen=True, slots=True)
class WritingRequest:
    """A prompt, with the settings for sampling the text."""

    prompt: str
    """The text that the model reads, as a single user message."""
    tokens: int
    """The maximum number of tokens that a model on this machine writes; a server's limit is answer_tokens."""
    temperature: float
    """0: the likeliest token each time. Above 0: the logits are divided by it before a token is drawn."""
    seed: int
    """The seed of the sampling."""


class TextWriter(Protocol):
    """A model that writes."""

    def write(self, requests: Sequence[WritingRequest]) -> list[Completion]:
        """Return the text that the model writes for each request, and how it ended; raises ModelError."""
        ...
