"""A server's chat completion: the text of its answer, and whether the answer is whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from nextset.scoring.model_server.answer_parsing import without_thoughts

__all__ = ["CUT_OFF", "Completion", "completion_of", "whole_characters"]

CUT_OFF = "length"
"""The ending of an answer that the limit of tokens cut off."""

REFUSAL = "refusal"
"""The ending of an answer with which the model refused."""

CUT_OFF_WORDS = {"length", "max_tokens", "max_output_tokens", "model_length", "incomplete"}
"""How servers write `CUT_OFF`, in lower case."""
WHOLE = {"stop", "eos", "eos_token", "stop_token", "stop_sequence", "end_turn", "complete", "completed"}
"""How servers write that the model itself ended its answer."""
FAILED = {"error", "abort", "cancelled", "insufficient_system_resource"}
"""How servers write that they gave up."""
_WORD = re.compile(r"\w[\w .:-]*")
"""An ending in words; vLLM's stop_reason may also be the string that ended the answer."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a server sent as an answer."""

    text: str
    """The text as it came, with the model's thoughts if it writes them there."""
    ending: str = ""
    """Empty for a whole answer; else `CUT_OFF` or the server's word, such as content_filter."""

    @property
    def answer(self) -> str:
        """The text behind the model's thoughts; empty while it is still thinking."""
        return without_thoughts(self.text) or ""


def completion_of(reply: Any, answer_tokens: int) -> Completion:
    """The completion in ``reply``, a response as JSON, that may have up to ``answer_tokens`` tokens.

    An answer is cut off if the server says so, if its thoughts do not end, or if the server does not say how
    it ended and reports as many tokens as it may have. Raises ValueError if ``reply`` is not a completion, or
    if the server says that it failed.
    """
    try:
        choices = reply["choices"]
        choice = next((c for c in choices if c.get("index") == 0), choices[0])
        written = choice["message"].get("content") if "message" in choice else choice["text"]
        text = whole_characters(_text(written))
        words = [whole_characters(w) for w in _endings(reply, choice) if isinstance(w, str) and w.strip()]
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ValueError("an answer that is not a chat completion") from None
    said = next(iter(words), "")
    ending = said.strip().lower()
    if ending in FAILED:
        raise ValueError(f"an answer that ended with {said!r:.100}")
    at_limit = not ending and _written(reply) >= answer_tokens
    cut_off = any(word.strip().lower() in CUT_OFF_WORDS for word in words)
    if cut_off or at_limit or without_thoughts(text) is None:
        return Completion(text, CUT_OFF)
    if _refused(choice):
        return Completion(text, REFUSAL)
    return Completion(text, "" if ending in WHOLE else said[:100])


def whole_characters(text: str) -> str:
    """``text`` with � for half a character (a lone surrogate), which cannot be stored or shown."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _endings(reply: dict[str, Any], choice: dict[str, Any]) -> tuple[Any, ...]:
    """Where servers say how an answer ended, the usual place first."""
    incomplete = reply.get("status") == "incomplete"
    details = reply.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return (
        choice.get("finish_reason"),
        choice.get("native_finish_reason"),
        _word(choice.get("stop_reason")),
        _word(reply.get("stop_reason")),
        (reason or "incomplete") if incomplete else None,
    )


def _refused(choice: dict[str, Any]) -> bool:
    """Whether the model refused to answer, whatever it wrote besides."""
    message = choice.get("message")
    return isinstance(message, dict) and bool(message.get("refusal"))


def _word(ending: Any) -> str:
    """``ending`` as a word; a string that stopped the answer, such as </s>, is stop."""
    said = ending.strip() if isinstance(ending, str) else ""
    return "stop" if said and not _WORD.fullmatch(said) else said


def _text(content: Any) -> str:
    """The text of ``content``, a string or a list of parts; empty if the model wrote none, or refused."""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    return content if isinstance(content, str) else ""


def _written(reply: dict[str, Any]) -> int:
    """The tokens that the server says it wrote; 0 if it does not."""
    usage = reply.get("usage")
    tokens = usage.get("completion_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) else 0
