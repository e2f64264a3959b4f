"""Models that write a text to a prompt: a causal language model on this machine, or one behind a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from nextset.scoring.model_server.completion import Completion
from nextset.scoring.models.sources import ModelSource
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

__all__ = ["TextWriter", "WritingRequest", "text_writer"]


@dataclass(frozen=True, slots=True)
class WritingRequest:
    """A prompt, and how a model samples the text that it writes."""

    prompt: str
    """The text that the model reads, as a single message of a user."""
    tokens: int
    """The most tokens that a model on this machine writes; a server has its own limit (answer_tokens)."""
    temperature: float
    """0: the likeliest token each time; otherwise the logits are divided by it before a token is drawn."""
    seed: int
    """Seed of the sampling."""


class TextWriter(Protocol):
    """A model that writes."""

    def write(self, requests: Sequence[WritingRequest]) -> list[Completion]:
        """The text that the model writes to each request, and whether it is whole; raises ModelError."""
        ...


def text_writer(
    source: ModelSource, scoring: ScoringSettings, model: ModelSettings, device: str | None = None
) -> TextWriter:
    """The model in ``source``, ready to write; raises ModelError if it cannot be loaded."""
    if source.folder is None:
        from nextset.scoring.model_server.server_writer import ServerWriter

        return ServerWriter.of(source, scoring)
    from nextset.scoring.generative.causal_writer import CausalWriter

    return CausalWriter.load(source, scoring, model, device)
