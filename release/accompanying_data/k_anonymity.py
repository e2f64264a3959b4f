"""k-anonymity of annotators' demographic fields (Sweeney 2002)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import StudyError

__all__ = ["KAnonymity", "k_anonymity", "require_k_anonymity"]

_SHOWN = 5
"""The number of smallest groups whose sizes are shown."""


@dataclass(frozen=True)
class KAnonymity:
    """The k-anonymity of people: the sizes of the groups with the same values."""

    k: int | None
    """The size of the smallest group of people with the same values in all fields; None without people."""
    sizes: tuple[int, ...]
    """The sizes of all groups, the smallest first."""
    without: Mapping[str, int]
    """k after dropping only one field, by field; empty without people."""

    @property
    def people(self) -> int:
        """The number of people."""
        return sum(self.sizes)


def k_anonymity(rows: Collection[Sequence[str]], fields: Sequence[str]) -> KAnonymity:
    """Return the k-anonymity of ``rows``, one per person, with a value for each of ``fields``.

    Sweeney (2002), Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), definition 3, with all
    fields as the quasi-identifier. Every subset of the fields is covered too: people who share the values of
    all fields share the values of any subset, so groups by fewer fields are never smaller.
    """
    sizes = tuple(sorted(Counter(map(tuple, rows)).values()))
    if not sizes:
        return KAnonymity(None, (), {})
    without = {
        field: min(Counter(tuple(v for j, v in enumerate(row) if j != i) for row in rows).values())
        for i, field in enumerate(fields)
    }
    return KAnonymity(sizes[0], sizes, without)


def require_k_anonymity(
    rows: Collection[Sequence[str]], fields: Sequence[str], k: int, file: Path
) -> KAnonymity:
    """Return the k-anonymity of ``rows``, read from ``file``. Raises StudyError if it is below ``k``.

    The message has the sizes of the smallest groups. It names neither people nor values.
    """
    grouping = k_anonymity(rows, fields)
    if grouping.k is None or grouping.k >= k:
        return grouping
    few = [size for size in grouping.sizes if size < k]
    shown = ", ".join(map(str, few[:_SHOWN])) + (", …" if len(few) > _SHOWN else "")
    raise StudyError(
        f"the demographic fields ({', '.join(fields)}) could identify annotators; combinations of values "
        f"that fewer than {k} of the {grouping.people} annotators share: {len(few)} of {len(grouping.sizes)} "
        f"(sizes of the smallest groups: {shown})",
        file=file,
        remedy=_remedy(grouping, k),
    )


def _remedy(found: KAnonymity, k: int) -> str:
    if found.people < k:
        return (
            "remove release.annotators.demographics, because with so few annotators any field could identify "
            f"one (or lower release.annotators.k to at most {found.people})"
        )
    field, reached = max(found.without.items(), key=lambda of: of[1])
    if reached < k:
        return (
            f"drop or coarsen several fields (if only {field} is dropped, the smallest group has {reached}), "
            "or lower release.annotators.k"
        )
    return (
        f"coarsen {field} (without it the smallest group has {reached}), drop a field, "
        "or lower release.annotators.k"
    )
