"""Pseudonyms of annotators in a dataset: different from those in the study, the same in all its versions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

__all__ = ["dataset_pseudonyms"]

_ROUNDS = 50_000
"""About 20 ms per annotator; trying all 2^48 possible pseudonyms of a study would take a GPU a century."""


def dataset_pseudonyms(judges: Iterable[str], dataset: str) -> Mapping[str, str]:
    """Return the pseudonym in ``dataset`` (its name) of each of a study's ``judges``.

    A study's pseudonym is a keyed hash of an account. Without the key it leads neither to an account nor to a
    number on the server, so it would be safe in a single dataset. But it is the same in every study with this
    key, and in the organiser's records of payments. With it, readers could join the demographic fields of two
    datasets, each of which passed its k-anonymity check, or a dataset and a table of payments. So a dataset
    has its own pseudonyms, ``p-`` and 12 hex digits: PBKDF2 of the study's pseudonym, with the dataset's name
    as the salt. They need no key and are the same in all versions of a dataset, as long as the dataset's name
    and the study's key stay the same. The rounds make it too slow to try all possible pseudonyms of a study.
    """
    salt = b"nextset: annotators of " + dataset.encode()
    return {judge: _hashed(judge, salt) for judge in sorted(set(judges))}


def _hashed(judge: str, salt: bytes) -> str:
    return "p-" + hashlib.pbkdf2_hmac("sha256", judge.encode(), salt, _ROUNDS, dklen=6).hex()
