"""The warning about a model that thinks although the study says thinking: false."""

from __future__ import annotations

import functools
import logging

from nextset.scoring.model_server.completion import Completion
from nextset.study.scoring_settings import ModelSettings

__all__ = ["warn_of_thinking"]

_LOG = logging.getLogger(__name__)


def warn_of_thinking(model: str, settings: ModelSettings, completion: Completion) -> None:
    """Log a warning, once per model and process, if the answer has thoughts that ``settings`` do not want."""
    counted = completion.usage.thinking if completion.usage is not None else 0
    if settings.thinking is False and (completion.thoughts or counted):
        _warn(model)


@functools.cache
def _warn(model: str) -> None:
    _LOG.warning(
        "%s: it thinks, although its settings say thinking: false; its server does not read enable_thinking. "
        "Its thinking costs tokens and counts as any other; write reasoning_effort, or a field of the server "
        "as server.body, or remove thinking: false",
        model,
    )
