"""A scan of all rows before they are scored, for the longest rows and for inputs repeated across parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.scoring.cache.keys import input_keys
from nextset.scoring.forms.scored_form import ScoredForm
from nextset.scoring.row_chunks import Readable

__all__ = ["InputScan", "scan_inputs"]

LONGEST = 256
"""The number of rows that each model reads before the run; they have the longest texts."""


@dataclass(frozen=True)
class InputScan:
    """The result of a scan of all rows."""

    longest: pa.Table
    """The rows with the most characters."""
    repeated: tuple[frozenset[bytes], ...]
    """For each part, the keys of the inputs that are also in another part."""


def scan_inputs(form: ScoredForm, rows: Sequence[Readable]) -> InputScan:
    """Return the scan of all ``rows``; keeps eight bytes per input in memory.

    An input in several parts would get slightly different scores in each part, and the part that finishes
    first would decide which scores are stored. Such inputs are therefore scored one by one.
    """
    longest: list[pa.Table] = []
    heads: list[npt.NDArray[np.uint64]] = []
    for part in rows:
        table = part.read(form.columns)
        longest = [_longest(pa.concat_tables([*longest, table]))]
        heads.append(np.unique(_heads(_keys(form, table))))
    every, parts = np.unique(np.concatenate(heads) if heads else np.empty(0, np.uint64), return_counts=True)
    several = every[parts > 1]
    repeated = []
    for part, own in zip(rows, heads, strict=True):
        if not np.isin(own, several).any():
            repeated.append(frozenset[bytes]())
            continue
        keys = _keys(form, part.read(form.columns))
        mask = np.isin(_heads(keys), several)
        repeated.append(frozenset(key for key, there in zip(keys, mask.tolist(), strict=True) if there))
    return InputScan(longest[0] if longest else pa.table({}), tuple(repeated))


def _keys(form: ScoredForm, table: pa.Table) -> list[bytes]:
    return input_keys([x.texts() for x in form.inputs(table)])


def _heads(keys: Sequence[bytes]) -> npt.NDArray[np.uint64]:
    """Return the first half of each key. If two inputs share it, they are only scored one by one."""
    return np.frombuffer(b"".join(keys), dtype="<u8")[::2]


def _longest(table: pa.Table) -> pa.Table:
    sizes = np.zeros(table.num_rows, np.int64)
    for column in table.columns:
        if pa.types.is_string(column.type):
            sizes += pc.utf8_length(column).to_numpy()
    return table.take(np.sort(np.argsort(-sizes, kind="stable")[:LONGEST])).combine_chunks()
