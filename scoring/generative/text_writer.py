"""Models that write a text for a prompt: a causal language model on this machine, or one behind a server."""

from __future__ import annotations

from nextset.scoring.models.sources import ModelSource
from nextset.scoring.writer_protocol import TextWriter
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

__all__ = ["text_writer"]


def text_writer(
    source: ModelSource, scoring: ScoringSettings, model: ModelSettings, device: str | None = None
) -> TextWriter:
    """Return the model in ``source``, ready to write; raises ModelError if it cannot be loaded."""
    if source.address:
        from nextset.scoring.model_server.server_writer import ServerWriter

        return ServerWriter.of(source, scoring, model)
    from nextset.scoring.generative.causal_writer import CausalWriter

    return CausalWriter.load(source, scoring, model, device)
