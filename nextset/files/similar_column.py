"""The column that a misspelt column name in a file probably means."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from types import MappingProxyType

__all__ = ["similar_column"]

_CLOSE = 0.8
"""The least ratio of similar names: that of *lable* and *label*."""


def similar_column(
    name: str, wanted: Collection[str], usual: Mapping[str, str] = MappingProxyType({})
) -> str | None:
    """Return the column of ``wanted`` that ``name`` probably means, else None.

    ``usual`` maps other common names, in lower case without separators, to nextset's.
    """
    folded = _folded(name)
    by_folded = {_folded(ours): ours for ours in wanted}
    if folded in by_folded:
        return by_folded[folded]
    if usual.get(folded) in wanted:
        return usual[folded]
    # a longer name is a different column, such as question_id
    similar = [ours for ours in by_folded if abs(len(ours) - len(folded)) <= 1]
    return next((by_folded[ours] for ours in difflib.get_close_matches(folded, similar, 1, _CLOSE)), None)


def _folded(name: str) -> str:
    return "".join(c for c in name.lower() if c not in "_-" and not c.isspace())
