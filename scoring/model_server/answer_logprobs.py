"""The log probabilities of an answer's tokens, in the formats of the servers."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nextset.redaction import redacted
from nextset.scoring.prompts.answer_parsing import AROUND, thoughts_end

__all__ = ["TokenLog", "answer_logs", "joined", "token_bytes", "token_logs"]

MOST_ANSWER_TOKENS = 32
"""The most tokens of an answer whose log probabilities are stored; a choice is near the beginning."""
MOST_ALTERNATIVES = 20
IMPOSSIBLE = -9999.0
"""The log probability of a token if the server gives none, or minus infinity."""
_DECORATION = re.compile(rf"(?:[{re.escape(AROUND)}]|<\w+>)*")
"""Text before an answer that does not belong to it."""


@dataclass(frozen=True, slots=True)
class TokenLog:
    """A token of an answer. Bytes that are not UTF-8 by themselves are escaped as lone surrogates."""

    token: str
    logprob: float
    """Its natural log probability."""
    likeliest: tuple[tuple[str, float], ...] = ()
    """The likeliest tokens at its place, each with its log probability."""


def token_logs(choice: Any) -> tuple[TokenLog, ...] | None:
    """Return the tokens of ``choice``, an entry of a response's choices; None without log probabilities.

    The formats are ``logprobs.content`` (chats, and llama.cpp), and ``logprobs.tokens`` with
    ``top_logprobs`` (completions of OpenAI, vLLM, SGLang).
    """
    logs = choice.get("logprobs") if isinstance(choice, dict) else None
    if not isinstance(logs, dict):
        return None
    try:
        if isinstance(logs.get("content"), list):
            return tuple(_of_content(entry) for entry in logs["content"]) or None
        tokens, values = logs["tokens"], logs["token_logprobs"]
        likeliest = logs.get("top_logprobs") or [None] * len(tokens)
        rows = zip(tokens, values, likeliest, strict=True)
        return tuple(TokenLog(_text(t), _finite(v), _pairs(best)) for t, v, best in rows) or None
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def answer_logs(logs: Sequence[TokenLog] | None, answer: str) -> tuple[TokenLog, ...] | None:
    """Return the tokens of ``answer``, with the blanks, marks and tags before it; None if they are not known.

    Thoughts and other text before the answer are left out. None too if the tokens together contain a secret,
    which could not be hidden in its pieces.
    """
    if not logs or not answer:
        return None
    pieces = [token_bytes(log) for log in logs]
    text = b"".join(pieces).decode("utf-8", "surrogateescape")
    begins, shown = text.rfind(answer), joined(logs)
    if begins < 0 or redacted(shown) != shown:
        return None
    before = _before(text[:begins]).encode("utf-8", "surrogateescape")
    places = itertools.accumulate(map(len, pieces), initial=0)
    first = next((n for n, place in enumerate(places) if place >= len(before)), len(logs))
    return tuple(logs[first : first + MOST_ANSWER_TOKENS]) or None


def _before(text: str) -> str:
    """Return ``text``, which comes before an answer, without the decoration of the answer at its end."""
    end = thoughts_end(text)
    return text[:end] if _DECORATION.fullmatch(text, end) else text.rstrip(AROUND)


def joined(logs: Sequence[TokenLog]) -> str:
    """Return the text of the tokens; � stands for bytes that are not UTF-8."""
    return b"".join(map(token_bytes, logs)).decode("utf-8", "replace")


def token_bytes(log: TokenLog) -> bytes:
    """Return the bytes of a token."""
    return log.token.encode("utf-8", "surrogateescape")


def _of_content(entry: dict[str, Any]) -> TokenLog:
    best = [(_token(one), _finite(one["logprob"])) for one in entry.get("top_logprobs") or ()]
    return TokenLog(_token(entry), _finite(entry["logprob"]), tuple(best[:MOST_ALTERNATIVES]))


def _token(entry: dict[str, Any]) -> str:
    """Return the token of ``entry``, from its bytes if the server gives them."""
    raw = entry.get("bytes")
    if isinstance(raw, list) and raw:
        return bytes(raw).decode("utf-8", "surrogateescape")
    return _text(entry["token"])


def _text(token: Any) -> str:
    """Return ``token`` with � for half characters; raises TypeError if it is not a text."""
    if not isinstance(token, str):
        raise TypeError("a token is not a text")
    return token.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _pairs(best: Any) -> tuple[tuple[str, float], ...]:
    """Return the likeliest tokens of one place, the likeliest first."""
    if not isinstance(best, dict):
        return ()
    pairs = [(_text(token), _finite(value)) for token, value in best.items()]
    return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:MOST_ALTERNATIVES])


def _finite(value: Any) -> float:
    """Return ``value`` as a log probability, at most 0."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return IMPOSSIBLE
    try:
        number = float(value)
    except OverflowError:  # an integer of more than 308 digits
        return IMPOSSIBLE
    return min(0.0, number) if math.isfinite(number) else IMPOSSIBLE
