"""The records of duplicates and contamination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["THIS_VERSION", "ContaminationRow", "DuplicateRow"]

THIS_VERSION = "this version"


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateRow:
    """A row of a dataset version whose text is the same as, or similar to, the text of another row."""

    kind: Literal["exact", "near"]
    """exact: the texts differ at most in case, spacing and punctuation; near: they are similar enough."""
    id1: str
    """A row of this version; within a version, the smaller of the two ids."""
    id2: str
    """The other row; if an earlier version was compared, its row."""
    similarity: float
    """Jaccard similarity of the texts' sets of word 3-grams, in (0, 1]; 1 for exact duplicates."""
    where: str
    """this version, or NAME-VERSION of the earlier version that has id2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContaminationRow:
    """A dataset or corpus, with counts of the dataset version's rows that it contains."""

    source: str
    """The name of the file, without its folder, or the Hub id."""
    revision: str
    """SHA-256 of the file, or the commit on the Hub."""
    rows: int
    """Rows of the source (for a text file, paragraphs); all were read."""
    items: int
    """Items (or questions, or statements) of the dataset version that were searched for."""
    exact: int
    """Items with all word 8-grams of both texts in one passage."""
    near: int
    """Items with at least the share `near` of each text's 8-grams in one passage, including exact ones."""
    overlap: int
    """Items with at least one word 8-gram anywhere in the source; a text of fewer words counts as one."""
    share: float
    """near / items; 0 without items."""
    overlap_share: float
    """Share of an item's word 8-grams that are anywhere in the source, averaged over the items."""
    examples: tuple[str, ...]
    """Ids of near or exact items, in alphabetical order, at most five."""
    canary_found: bool
    """True if the source contains the dataset's canary GUID."""
