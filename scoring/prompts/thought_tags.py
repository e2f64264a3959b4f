"""The tags around the thoughts of models: an opening tag, and the tag that closes it."""

from __future__ import annotations

import re

__all__ = ["open_thoughts", "thoughts_end"]

_TAGS = {
    r"<(think|thinking|thought|thoughts|reasoning|seed:think)>": r"</{name}>",
    r"\[THINK\]": "[/THINK]",
    r"◁think▷": "◁/think▷",
    r"<\|begin_of_thought\|>": "<|end_of_thought|>",
    r"<\|START_THINKING\|>": "<|END_THINKING|>",
    r"<\|channel\|>analysis<\|message\|>": "<|end|><|start|>assistant<|channel|>final<|message|>",
    r"<unused94>": "<unused95>",
}
"""The closing tags by patterns of the opening tags, as chat templates write them."""
_OPENING = re.compile("|".join(f"(?:{pattern})" for pattern in _TAGS), re.IGNORECASE)
_CLOSING = re.compile(
    r"</(?:think|thinking|thought|thoughts|reasoning|seed:think)>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
    r"|<\|END_THINKING\|>|<\|channel\|>final<\|message\|>|<unused95>",
    re.IGNORECASE,
)


def thoughts_end(text: str) -> int | None:
    """Return the place after the first closing tag in ``text``; None if there is no closing tag."""
    closing = _CLOSING.search(text)
    return closing.end() if closing else None


def open_thoughts(text: str) -> str | None:
    """Return the closing tag of the thoughts that ``text`` opens last; None if no thoughts are open."""
    openings = list(_OPENING.finditer(text))
    if not openings or _CLOSING.search(text, openings[-1].end()):
        return None
    opened = openings[-1]
    closing = next(tag for pattern, tag in _TAGS.items() if re.fullmatch(pattern, opened[0], re.IGNORECASE))
    return closing.format(name=opened[1])
