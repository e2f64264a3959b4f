"""Counts as text: a number with its noun in the singular or the plural; and shares in per cent."""

from __future__ import annotations

__all__ = ["counted", "per_cent_text"]

_SINGULAR = {
    "people": "person",
    "batches": "batch",
    "classes": "class",
    "copies": "copy",
    "countries": "country",
    "entries": "entry",
    "hypotheses": "hypothesis",
    "queries": "query",
}


def counted(n: int, many: str, one: str = "") -> str:
    """Return ``n`` with the words ``many``, or with ``one`` if ``n`` is 1.

    By default ``one`` is ``many`` with its first word, the noun, in the singular: `1 row scored anew`.
    """
    return f"{n:,} {(one or _singular(many)) if n == 1 else many}"


def per_cent_text(share: float | None, sign: str = "") -> str:
    """Return ``share`` in per cent with one decimal and a true minus sign; a dash for None.

    ``sign`` is empty, or + if a number above 0 has a plus sign.
    """
    return "–" if share is None else f"{100 * share:{sign}.1f}".replace("-", "−")


def _singular(words: str) -> str:
    noun, space, rest = words.partition(" ")
    return _SINGULAR.get(noun, noun.removesuffix("s")) + space + rest
