"""JSON objects without repeated keys: `json.loads` by itself silently takes the last value."""

from __future__ import annotations

from collections import Counter
from typing import Any

__all__ = ["RepeatedKey", "unique_keys"]


class RepeatedKey(ValueError):
    """A JSON object has a repeated key."""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of ``pairs``, as the ``object_pairs_hook`` of `json.loads`; raises RepeatedKey."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        repeated, n = Counter(name for name, _ in pairs).most_common(1)[0]
        raise RepeatedKey(f"the key {repeated[:40]!a} is repeated ({n} times in one object)")
    return fields
