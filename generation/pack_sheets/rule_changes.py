"""The changes by a sound rule in a text: the changed words, without their unchanged letters."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

__all__ = ["rule_changes"]

Change = tuple[str, str]
"""The characters before and after a change."""


def rule_changes(before: str, after: str) -> Iterator[Change]:
    """Yield the changes from ``before`` to ``after``: ``de le`` became ``du``, ``que A`` became ``qu’A``.

    Letters that stay the same at both ends of a change are omitted (``e `` became ``’``), so that a rule
    gives the same change for many names.
    """
    one, two = before.split(" "), after.split(" ")
    for tag, i, j, k, m in difflib.SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if tag != "equal":
            yield _trimmed(" ".join(one[i:j]), " ".join(two[k:m]))


def _trimmed(before: str, after: str) -> Change:
    start = _common(before, after)
    before, after = before[start:], after[start:]
    end = _common(before[::-1], after[::-1])
    return before[: len(before) - end], after[: len(after) - end]


def _common(one: str, two: str) -> int:
    """Return the number of characters that both texts begin with."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two))
    )
