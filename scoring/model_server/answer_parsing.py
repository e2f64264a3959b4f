"""A server's answers as text: the schema that limits them, and which choice an answer is."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

__all__ = ["REMINDER", "answer_schema", "choice_of", "without_thoughts"]

REMINDER = "Answer with one of these and nothing else: {choices}."
"""The message to a model whose answer was not one of the choices."""

_NAMES = "think|thinking|thought|thoughts|reasoning|seed:think"
_WRAPPERS = "answer|final_answer|output|response|b|strong|i|em|p|code"
"""Tags that models write around an answer."""
_OPENS = re.compile(
    rf"<\s*(?:{_NAMES})\b[^<>]*>|\[think\]|◁think▷|<\|begin_of_thought\|>|<\|start_thinking\|>"
    r"|<\|channel\|>(?:analysis|commentary)|<unused94>",
    re.IGNORECASE,
)
"""The beginning of a model's thoughts; some chat templates write it for the model, at the prompt's end."""
_CLOSES = re.compile(
    rf"</(?!(?:{_WRAPPERS}|s)\s*>)[\w:.-]+\s*>|\[/think\]|◁/think▷|<\|end_of_thought\|>|<\|end_thinking\|>"
    r"|<\|start_response\|>|<\|channel\|>final<\|message\|>|<unused95>",
    re.IGNORECASE,
)
"""The end of a model's thoughts, or of anything else in tags that are not around an answer."""
_LAST = re.compile(
    r"(?:\s*(?:</s>|<eos>|<end_of_turn>|<\|(?:im_end|eot_id|end|return|endoftext|end_of_text|end_response)\|>))+$",
    re.IGNORECASE,
)
"""Tokens that end an answer, which some servers leave in its text."""
_WRAPPED = re.compile(rf"<({_WRAPPERS})>([^<>]*)</\1\s*>", re.IGNORECASE)
_MARK = re.compile(r"^\s*<|<\s*/?\s*[\w|][^<>]*>|\[/?think\]|◁")
"""A tag or a token of a chat template, or the beginning of one."""

_FENCE = re.compile(r"^```\w*\s*|\s*```$")
"""What Markdown puts around code."""
AROUND = " \t\r\n.,;:!?'\"`*()[]“”‘’"
"""Characters that are ignored around a choice."""


def answer_schema(choices: Sequence[str]) -> dict[str, Any]:
    """The ``response_format`` that lets a server write one of ``choices`` only, as {"answer": CHOICE}."""
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": list(choices)}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def without_thoughts(text: str) -> str | None:
    """The answer behind the thoughts that a model wrote into ``text``; None if they do not end.

    Tags around the answer are taken off. Empty if other tags or tokens of a chat template are left: what
    they mean is not known, and they may be thoughts.
    """
    answer = _LAST.sub("", _CLOSES.split(text)[-1])
    answer = _WRAPPED.sub(r"\2", answer).strip()
    seen = _visible(answer)
    if _OPENS.search(seen):
        return None
    return "" if _MARK.search(seen) else answer


def _visible(text: str) -> str:
    """``text`` as a reader sees it: without HTML's escapes, full-width letters and invisible characters."""
    plain = unicodedata.normalize("NFKC", html.unescape(text))
    return "".join(c for c in plain if unicodedata.category(c) != "Cf")


def choice_of(text: str, choices: Sequence[str]) -> int | None:
    """The position of the choice that ``text`` is, or of the only one that it mentions; else None.

    Case and punctuation around a choice are ignored. A choice inside a longer one (Guinea in Equatorial
    Guinea) does not count as mentioned.
    """
    answer = _plain(_unwrapped(text))
    plain = [_plain(choice) for choice in choices]
    if answer in plain:
        return plain.index(answer)
    mentioned = set()
    for choice in sorted(plain, key=len, reverse=True):
        answer, times = re.subn(rf"(?<!\w){re.escape(choice)}(?!\w)", "\0", answer)
        if times:
            mentioned.add(choice)
    return plain.index(mentioned.pop()) if len(mentioned) == 1 else None


def _unwrapped(text: str) -> str:
    """The answer inside JSON, where ``text`` is an object that has one; empty if the object is damaged."""
    inner = _FENCE.sub("", text.strip())
    if not inner.startswith("{"):
        return text
    try:
        found = json.loads(inner, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return ""
    if "answer" not in found:
        return text
    return found["answer"] if isinstance(found["answer"], str) else ""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object with these members; raises ValueError if it has one twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a member twice")
    return found


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(AROUND).casefold()
