"""Labels of groups: the group that F or femal is probably meant for, the unknown one, and their order."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

__all__ = ["UNKNOWN", "meant_group", "says_unknown", "women_and_men", "women_first"]

UNKNOWN = "unknown"
"""The value in tables for a group that is not given, or that is not compared."""
_CLOSE = 0.75
"""From this ratio on, words are similar: *femal* and *female* have 0.91."""
_SAME = (
    frozenset(("female", "females", "woman", "women", "f", "w", "girl", "girls", "feminine", "she")),
    frozenset(("male", "males", "man", "men", "m", "boy", "boys", "masculine", "he")),
    frozenset(("nonbinary", "enby", "nb", "x")),
)
"""Words for one group: women, men, and people who are neither."""
_UNKNOWN = frozenset(("", "unknown", "notknown", "unk", "na", "n/a", "none", "null", "nan", "?", "–"))
"""Labels that say that the group is not known, without spaces, hyphens and underscores."""


def says_unknown(label: str) -> bool:
    """Return whether ``label`` says that the group is not known."""
    return _folded(label) in _UNKNOWN


def meant_group(label: str, groups: Sequence[str]) -> str | None:
    """Return the group in ``groups`` that ``label`` is probably meant for, else None."""
    folded = _folded(label)
    by_folded = {_folded(group): group for group in groups}
    words = next((words for words in _SAME if folded in words), frozenset((folded,)))
    if same := next((group for name, group in by_folded.items() if name in words), None):
        return same
    return next((by_folded[name] for name in difflib.get_close_matches(folded, by_folded, 1, _CLOSE)), None)


def women_first(groups: Iterable[str]) -> list[str]:
    """Return ``groups`` in alphabetical order, but women and then men before all others."""
    return sorted(groups, key=lambda group: (_place(group), group))


def women_and_men(groups: Iterable[str]) -> tuple[str, str] | None:
    """Return the groups of women and of men in ``groups``; None unless there is one of each."""
    by_place: dict[int, list[str]] = {}
    for group in groups:
        by_place.setdefault(_place(group), []).append(group)
    women, men = by_place.get(0, []), by_place.get(1, [])
    return (women[0], men[0]) if len(women) == len(men) == 1 else None


def _place(group: str) -> int:
    return next((i for i, words in enumerate(_SAME[:2]) if _folded(group) in words), 2)


def _folded(text: str) -> str:
    return "".join(c for c in text.casefold() if c not in "_-" and not c.isspace())
