"""A server's chat completion: the text of its answer, and how the answer ended."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from nextset.redaction import redacted
from nextset.scoring.model_server.answer_token_logs import TokenLog, answer_logs, token_logs
from nextset.scoring.model_server.token_usage import Usage, usage_of
from nextset.scoring.prompts.answer_parsing import thoughts_of, without_thoughts

__all__ = ["CUT_OFF", "NOT_AN_ANSWER", "Completion", "completion_of", "whole_characters"]

NOT_AN_ANSWER = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""The errors of reading a reply with values that no answer has, such as numbers of hundreds of digits."""

CUT_OFF = "length"
"""The ending of an answer that was cut off at the limit of tokens."""

REFUSAL = "refusal"
"""The ending of a refusal to answer."""

CUT_OFF_WORDS = {"length", "max_tokens", "max_output_tokens", "model_length", "incomplete"}
"""The words for `CUT_OFF` that servers use, in lower case."""
WHOLE = {"stop", "eos", "eos_token", "stop_token", "stop_sequence", "end_turn", "complete", "completed"}
"""The words that servers use if the model itself ended its answer."""
FAILED = {"error", "abort", "cancelled", "insufficient_system_resource"}
"""The words that servers use if they gave up."""
_WORD = re.compile(r"\w[\w .:-]*")
"""An ending that is a word; vLLM's stop_reason may also be the string that ended the answer."""


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer as the server sent it."""

    text: str
    """The unchanged text, with the model's thoughts if they are in it."""
    ending: str = ""
    """Empty for a whole answer; else `CUT_OFF` or the server's word, such as content_filter."""
    thoughts: str = ""
    """The model's thoughts, which the server gave apart from the text or in it; empty if it showed none."""
    usage: Usage | None = None
    """The tokens of the request; None if the server did not count them, or if the answer was stored by an
    earlier version."""
    model: str = ""
    """The server's name of the model that answered, often with its version; empty if unknown."""
    fingerprint: str = ""
    """The server's name of its own version (``system_fingerprint``); empty if unknown."""
    date: str = ""
    """The day of the answer, as YYYY-MM-DD in UTC; empty if unknown."""
    choice_logs: tuple[TokenLog, ...] | None = None
    """The log probabilities of the answer's tokens; None if they are not known."""

    @property
    def answer(self) -> str:
        """The text after the model's thoughts; empty if the thoughts do not end."""
        return without_thoughts(self.text) or ""

    def without_traces(self) -> Completion:
        """Return the same without the thoughts, also where they are in the text."""
        thinks = bool(thoughts_of(self.text))
        return replace(self, thoughts="", text=self.answer if thinks else self.text)


def completion_of(reply: Any, answer_tokens: int) -> Completion:
    """Return the completion in ``reply``, a response as JSON, which may have up to ``answer_tokens`` tokens.

    Secrets that the server repeats are hidden. The day is left empty.

    An answer is cut off if the server says so, if its thoughts do not end, or if the server does not say how
    it ended and reports ``answer_tokens`` tokens or more. Raises ValueError if ``reply`` is not a completion,
    or if the server says that it failed.
    """
    try:
        choices = reply["choices"]
        choice = next((c for c in choices if c.get("index") == 0), choices[0])
        written = choice["message"].get("content") if "message" in choice else choice["text"]
        text = _clean(_text(written))
        words = [_clean(w) for w in _endings(reply, choice) if isinstance(w, str) and w.strip()]
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ValueError(f"the answer is not a chat completion{_said(reply)}") from None
    more: dict[str, Any] = {
        "thoughts": _clean(_thoughts(choice)) or thoughts_of(text),
        "usage": usage_of(reply),
        "model": _name(reply.get("model")),
        "fingerprint": _name(reply.get("system_fingerprint")),
        "choice_logs": answer_logs(token_logs(choice), without_thoughts(text) or ""),
    }
    reason = next(iter(words), "")
    ending = reason.strip().lower()
    if ending in FAILED:
        raise ValueError(f"the answer ended with {reason!r:.100}")
    at_limit = not ending and _written(reply) >= answer_tokens
    cut_off = any(word.strip().lower() in CUT_OFF_WORDS for word in words)
    if cut_off or at_limit or without_thoughts(text) is None:
        return Completion(text, CUT_OFF, **more)
    if _refused(choice):
        return Completion(text, REFUSAL, **more)
    return Completion(text, "" if ending in WHOLE else reason[:100], **more)


def _said(reply: Any) -> str:
    """Return the error that some servers send with the status 200, after a colon; empty if there is none."""
    error = reply.get("error") if isinstance(reply, dict) else None
    error = error.get("message", error) if isinstance(error, dict) else error
    return f": {_clean(repr(error))[:300]}" if error else ""


def whole_characters(text: str) -> str:
    """Return ``text`` with � for half characters (lone surrogates), which cannot be stored or shown."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _clean(text: str) -> str:
    """Return ``text`` without half characters and without secrets."""
    return redacted(whole_characters(text))


def _thoughts(choice: dict[str, Any]) -> str:
    """Return the thoughts that the server gives apart: reasoning_content (vLLM, SGLang, llama.cpp, DeepSeek)
    or reasoning (vLLM, OpenRouter)."""
    message = choice.get("message", choice)
    parts = message.get("content")
    if isinstance(parts, list):  # parts of type thinking (Mistral)
        inner = [part.get("thinking") for part in parts if isinstance(part, dict)]
        if thoughts := "\n".join(text for text in map(_text, inner) if text):
            return thoughts
    return _text(message.get("reasoning_content")) or _text(message.get("reasoning"))


def _name(value: Any) -> str:
    """Return ``value`` if it is a text; it is cut after secrets are hidden, as a part of one would stay."""
    return _clean(value)[:200] if isinstance(value, str) else ""


def _endings(reply: dict[str, Any], choice: dict[str, Any]) -> tuple[Any, ...]:
    """Return the values that can say how an answer ended, the usual place first."""
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
    """Return True if the model refused to answer, regardless of its other text."""
    message = choice.get("message")
    return isinstance(message, dict) and bool(message.get("refusal"))


def _word(ending: Any) -> str:
    """Return ``ending`` as a word; a string that stopped the answer, such as </s>, becomes stop."""
    word = ending.strip() if isinstance(ending, str) else ""
    return "stop" if word and not _WORD.fullmatch(word) else word


def _text(content: Any) -> str:
    """Return the text of ``content``, a string or a list of parts; empty if there is no text."""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    return content if isinstance(content, str) else ""


def _written(reply: dict[str, Any]) -> int:
    """Return the number of tokens that the server says it wrote; 0 if it does not say."""
    usage = reply.get("usage")
    tokens = usage.get("completion_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) else 0
