"""The guidelines for each route to annotators: the lines for it, and the keys or words to answer with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, get_args

from nextset.validation.judgment_choices import (
    ANSWER_KEYS,
    CHOICE_REASONS,
    KNOWN_KEYS,
    QUESTION_KEYS,
    QUESTION_REASONS,
    REASON_KEYS,
    REASONS,
    STANCE_KEYS,
    VERDICT_KEYS,
)

__all__ = ["ROUTES", "Route", "answer_values", "lines_for", "without_marks"]

Route = Literal["session", "label-studio", "csv", "potato"]
"""The routes. session: pages that nextset makes and maintains. Others: files of `validate export --for`."""

ROUTES: tuple[Route, ...] = get_args(Route)

_PAIR = "pair"
"""The mark of lines for annotators who judge a premise with its hypothesis."""
_WORD = "|".join([*ROUTES, _PAIR])
_MARK = re.compile(rf"^\{{\{{for ((?:{_WORD})(?: (?:{_WORD}))*)\}}\}} ?", re.MULTILINE)


def lines_for(route: Route, guidelines: str, *, pairs: bool = False) -> str:
    """Return ``guidelines`` without the lines that begin with ``{{for ROUTE...}}`` of other routes.

    Lines that begin with ``{{for pair}}`` remain if annotators judge ``pairs``.
    """
    wanted = {route, _PAIR} if pairs else {route}
    lines = []
    for line in guidelines.splitlines(keepends=True):
        mark = _MARK.match(line)
        if mark is None or not wanted.isdisjoint(mark[1].split()):
            lines.append(line[mark.end() :] if mark else line)
    return "".join(lines)


def without_marks(guidelines: str) -> str:
    """Return ``guidelines`` with all marked lines, without their marks."""
    return _MARK.sub("", guidelines)


def answer_values(route: Route) -> dict[str, str]:
    """Return the text for each answer, by placeholder: the key on a page, or the word to write in a table."""
    check_keys = {
        f"{block}.{choice}": key for block, keys in QUESTION_KEYS.items() for choice, key in keys.items()
    }
    check_keys |= {f"known.{choice}": key for choice, key in KNOWN_KEYS.items()}
    check_keys |= {f"answer.{choice}": key for choice, key in ANSWER_KEYS.items()}
    keys = {f"key:{name}": key for name, key in {**VERDICT_KEYS, **STANCE_KEYS, **check_keys}.items()}
    reasons = {
        "key:reasons": REASONS,
        "key:question_reasons": QUESTION_REASONS,
        "key:choice_reasons": CHOICE_REASONS,
    }
    if route == "csv":
        words = {name: f"`{name.removeprefix('key:').rpartition('.')[2]}`" for name in keys}
        return {**words, **{name: _words(of) for name, of in reasons.items()}}
    return {**keys, **{name: _span(of) for name, of in reasons.items()}}


def _words(reasons: Sequence[str]) -> str:
    return ", ".join(f"`{reason}`" for reason in reasons)


def _span(reasons: Sequence[str]) -> str:
    keys = REASON_KEYS[: len(reasons)]
    return f"{keys[0]}–{keys[-1]}"
