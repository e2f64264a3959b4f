"""The tokens of a request, as a server's reply counts them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Usage", "usage_of"]

MOST_TOKENS = 10**9
"""Reported counts outside 0 to this are not trusted."""
_READ = ("prompt_tokens", "input_tokens")
_WRITTEN = ("completion_tokens", "output_tokens")
_CACHED = ("cached_tokens", "prompt_cache_hit_tokens")
_THINKING = ("reasoning_tokens",)


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens that a request used, or the maximum that it may use."""

    read: int
    """The number of tokens of the prompt."""
    cached: int
    """The number of those that the server had in its own cache."""
    written: int
    """The number of tokens of the answer, with the thoughts before it."""
    thinking: int
    """The number of those that are thoughts."""

    def __add__(self, other: Usage) -> Usage:
        """Return the tokens of both."""
        return Usage(
            self.read + other.read,
            self.cached + other.cached,
            self.written + other.written,
            self.thinking + other.thinking,
        )


def usage_of(reply: Any) -> Usage | None:
    """Return the usage in ``reply``, a response as JSON; None if it is missing or not credible.

    The names are those of OpenAI, which vLLM, SGLang, llama.cpp and TGI use too, and those of some providers.
    Thoughts that a server counts only in its total become part of the written tokens.
    """
    report = reply.get("usage") if isinstance(reply, dict) else None
    if not isinstance(report, dict):
        return None
    read, written = _count(report, _READ), _count(report, _WRITTEN)
    if read is None or written is None:
        return None
    cached = _count(report, _CACHED, "prompt_tokens_details", "input_tokens_details") or 0
    thinking = _count(report, _THINKING, "completion_tokens_details", "output_tokens_details") or 0
    apart = max(0, (_count(report, ("total_tokens",)) or 0) - read - written)
    if thinking > written:  # the thoughts are not among the written tokens, whatever the total says
        apart = max(apart, thinking)
    thinking = max(thinking, apart)
    return Usage(read, min(cached, read), written + apart, thinking)


def _count(report: dict[str, Any], names: tuple[str, ...], *details: str) -> int | None:
    """Return the first credible count called one of ``names``, in ``report`` or its ``details``."""
    return next((int(n) for n in _values(report, names, details) if _is_credible(n)), None)


def _values(report: dict[str, Any], names: tuple[str, ...], details: tuple[str, ...]) -> Iterator[Any]:
    inner = (report.get(key) for key in details)
    for counts in (*(counts for counts in inner if isinstance(counts, dict)), report):
        yield from (counts.get(name) for name in names)


def _is_credible(count: Any) -> bool:
    return isinstance(count, int | float) and not isinstance(count, bool) and 0 <= count < MOST_TOKENS
