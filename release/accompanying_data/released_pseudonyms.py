"""Pseudonyms of annotators in a dataset: other ones than in the study, and the same in all its versions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

__all__ = ["dataset_pseudonyms"]

_ROUNDS = 50_000
"""About 20 ms per annotator; to try all 2^48 possible pseudonyms of a study would take a GPU a century."""


def dataset_pseudonyms(judges: Iterable[str], dataset: str) -> Mapping[str, str]:
    """Return the pseudonym in ``dataset`` (its name) of each of a study's ``judges``.

    A study's pseudonym is a keyed hash of an account. Without the key it leads to no account and no number
    on the server, so it would be safe in a single dataset. But it is the same in every study with this key,
    and in what the organiser keeps for pay. With it, readers could join the demographic fields of two
    datasets, each of which passed its k-anonymity check, or a dataset and a table of payments. So a dataset
    has pseudonyms of its own, ``p-`` and 12 hex digits: PBKDF2 of the study's pseudonym, with the dataset's
    name as its salt. They need no key and are the same in all versions of a dataset, as long as its name and
    the study's key stay. The rounds make it too slow to try out all pseudonyms that a study may have.
    """
    salt = b"nextset: annotators of " + dataset.encode()
    return {judge: _hashed(judge, salt) for judge in sorted(set(judges))}


def _hashed(judge: str, salt: bytes) -> str:
    return "p-" + hashlib.pbkdf2_hmac("sha256", judge.encode(), salt, _ROUNDS, dklen=6).hex()
