"""The first pass over a collection: every passage is checked before anything is written."""

from __future__ import annotations

from array import array
from hashlib import blake2b

import numpy as np

from nextset.errors import InputError
from nextset.extensions.ambiguity.passages import LocatedPassage
from nextset.extensions.ambiguity.search.passage_collection import PassageCollection

__all__ = ["count_passages"]


def count_passages(collection: PassageCollection) -> int:
    """Read the whole collection and return the number of its passages.

    Keeps eight bytes per passage in memory. Raises InputError for a wrong row, a repeated id, and a
    collection without passages.
    """
    hashes = array("Q")
    for passage, _, _ in collection.passages():
        hashes.append(_hash(passage.id))
    if not hashes:
        raise InputError(
            "the collection has no passages",
            file=collection.place,
            remedy="name a collection with at least one passage",
        )
    ordered = np.sort(np.frombuffer(hashes, np.uint64))
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if repeated.size:
        _refuse_repeated(collection, set(repeated.tolist()))
    return len(hashes)


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def _refuse_repeated(collection: PassageCollection, suspects: set[int]) -> None:
    """Raise InputError for the first id that is repeated; different ids may share one of the ``suspects``."""
    seen: dict[str, LocatedPassage] = {}
    for located in collection.passages():
        if _hash(located.passage.id) not in suspects:
            continue
        first = seen.setdefault(located.passage.id, located)
        if first is not located:
            raise InputError(
                f"the id {located.passage.id!r:.100} is repeated; it is also in {first.file}:{first.line}",
                file=located.file,
                line=located.line,
                remedy="give each passage its own id, or name a different column with "
                "ambiguity.retrieval.passages.id",
            )
