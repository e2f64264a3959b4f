"""A server's answers as text: the schema that limits them, and which choice an answer is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

__all__ = ["REMINDER", "answer_schema", "choice_of", "without_thoughts"]

REMINDER = "Answer with one of these and nothing else: {choices}."
"""The message to a model whose answer was not one of the choices."""

_NAMES = "think|thinking|thought|thoughts|reasoning|seed:think"
_OPENS = re.compile(
    rf"<(?:{_NAMES})>|\[think\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|>analysis", re.IGNORECASE
)
"""The beginning of a model's thoughts; some chat templates write it for the model, at the prompt's end."""
_CLOSES = re.compile(
    rf"</(?:{_NAMES})>|\[/think\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
"""The end of a model's thoughts."""

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
    """The answer behind the thoughts that a model wrote into ``text``; None if they do not end."""
    answer = _CLOSES.split(text)[-1]
    return None if _OPENS.search(answer) else answer.strip()


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
    """The answer inside JSON, where ``text`` is an object that has one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    answer = found.get("answer") if isinstance(found, dict) else None
    return answer if isinstance(answer, str) else text


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(AROUND).casefold()
