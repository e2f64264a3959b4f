"""Inputs as prompts that fit a model: those that are too long are refused, or cut as little as necessary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, Protocol, TypeVar

from nextset.errors import ModelError
from nextset.scoring.models.loading import Loaded
from nextset.study.model_key import model_setting
from nextset.study.scoring_settings import ModelSettings

__all__ = ["fitted"]


class _Measured(Protocol):
    @property
    def longest(self) -> int:
        """The number of tokens of the longest row."""
        ...


M = TypeVar("M", bound=_Measured)


def fitted(
    inputs: Sequence[Any],
    prompted: Callable[[Sequence[Any], bool], list[M]],
    loaded: Loaded,
    settings: ModelSettings,
) -> list[M]:
    """Return the inputs as ``prompted`` makes them; its second argument is True for inputs that were cut.

    Raises ModelError for inputs that are too long for the model, unless its ``settings`` say to cut them. As
    little as necessary is cut from the end of the premise or the context.
    """
    rendered, most, name = prompted(inputs, False), loaded.max_length, loaded.name
    long = [i for i, p in enumerate(rendered) if p.longest > most]
    if long and settings.too_long == "refuse":
        listed = "\n".join(f"  {rendered[i].longest} tokens: {_shown(inputs[i])}" for i in long)
        raise ModelError(
            f"{name} reads at most {most} tokens; with their prompts, these texts have more:\n{listed}",
            remedy="shorten the texts, choose a model that reads longer texts, or cut them "
            f"{model_setting(name, 'too_long: truncate')}",
        )
    for i in long:
        rendered[i] = _cut(inputs[i], rendered[i].longest, prompted, loaded)
    return rendered


def _cut(asked: Any, length: int, prompted: Callable[[Sequence[Any], bool], list[M]], loaded: Loaded) -> M:
    """Return ``asked`` with the end of its first text cut until it fits; ``length`` is uncut."""
    text = asked.texts()[0]
    offsets = loaded.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).offsets
    keep = len(offsets)
    while keep:
        keep = max(0, keep - (length - loaded.max_length))
        kept = text[: offsets[keep - 1][1]] if keep else ""
        (one,) = prompted([replace(asked, **{fields(asked)[0].name: kept})], True)
        length = one.longest
        if length <= loaded.max_length:
            return one
    raise ModelError(
        f"{loaded.name} reads at most {loaded.max_length} tokens, and even without its first text a "
        f"prompt has {length}: {_shown(asked)}",
        remedy="choose a model that reads longer texts, or write shorter wordings (scoring.prompts)",
    )


def _shown(asked: Any) -> str:
    text = " / ".join(asked.texts()[:2])
    return repr(text if len(text) <= 100 else f"{text[:50]} … {text[-50:]}")
