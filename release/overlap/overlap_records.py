"""The records of duplicates and contamination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["THIS_VERSION", "ContaminationRow", "DuplicateRow"]

THIS_VERSION = "this version"


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateRow:
    """A row of a dataset version whose text is equal or similar to that of another row."""

    kind: Literal["exact", "near"]
    """exact: the texts differ at most in case, spacing and punctuation; near: their similarity suffices."""
    id1: str
    """A row of this version; within a version the smaller id of the two."""
    id2: str
    """The other row; of the earlier version if an earlier version was compared."""
    similarity: float
    """Jaccard similarity of the texts' sets of word 3-grams, in (0, 1]; 1 for exact duplicates."""
    where: str
    """this version, or NAME-VERSION of the earlier version that has id2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContaminationRow:
    """A data set or corpus, and how much of the dataset version it contains."""

    source: str
    """The name of the file, without its folder, or the Hub id."""
    revision: str
    """SHA-256 of the file, or the commit on the Hub."""
    rows: int
    """Rows of the source, all of which were read; paragraphs of a text file."""
    items: int
    """Items (questions, statements) of the dataset version that were looked for."""
    exact: int
    """Items with both texts in one passage: all of their word 8-grams."""
    near: int
    """The same for at least the share `near` of the 8-grams of each text; includes the exact ones."""
    overlap: int
    """Items with at least one word 8-gram anywhere in the source; a shorter text counts as a whole."""
    share: float
    """near / items; 0 without items."""
    overlap_share: float
    """Share of the items' word 8-grams that are anywhere in the source, averaged over the items."""
    examples: tuple[str, ...]
    """Ids of near or exact items, in alphabetical order, at most five."""
    canary_found: bool
    """Whether the source contains the dataset's canary GUID."""
