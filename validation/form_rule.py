"""The form rule: checks the form of hypotheses when the tool is tried out without annotators."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

__all__ = ["form_by_unit", "with_form_ok"]

_DOUBLED = re.compile(r"\b(\w+)\s+\1\b", re.IGNORECASE)
_SHORTEST_FILL = 3


def form_by_unit(items: pa.Table, ids: Sequence[str | None]) -> dict[str, bool]:
    """Return whether the form of each unit of a table of NLI items is ok, in the order of the units' ids.

    ``ids`` are the units of the rows, null for rows that are not judged.

    This is not a verdict and supports no conclusion: the rule does not see the meaning, and was written for
    English. The form is not ok if

    - a word is repeated in a row, or the word at the mask is also elsewhere in the hypothesis, or has fewer
      than three letters;
    - the same hypothesis was made as pro and as anti, so it does not say which group it means.
    """
    rows: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for unit_id, row in zip(ids, items.to_pylist(), strict=True):
        if unit_id is not None:
            rows[unit_id].append(row)
    return {unit_id: _form_ok(rows[unit_id]) for unit_id in sorted(rows)}


def with_form_ok(rows: pa.Table, form: Mapping[str, bool]) -> pa.Table:
    """Return ``rows`` with the column form_ok, from their column unit_id; null for rows without a unit."""
    form_ok = [None if unit is None else form[unit] for unit in rows["unit_id"].to_pylist()]
    return rows.append_column("form_ok", pa.array(form_ok, pa.bool_()))


def _form_ok(rows: Sequence[Mapping[str, Any]]) -> bool:
    return len({row["stance_design"] for row in rows}) == 1 and not any(_malformed(row) for row in rows)


def _malformed(row: Mapping[str, Any]) -> bool:
    text = row["hypothesis"]
    words = [w.lower() for w in re.findall(r"\w+", text)]
    fills = row["bindings"]["fills"] if row["bindings"] else []
    return bool(_DOUBLED.search(text)) or any(_out_of_place(f["word"].lower(), words) for f in fills)


def _out_of_place(fill: str, words: Sequence[str]) -> bool:
    return sum(c.isalpha() for c in fill) < _SHORTEST_FILL or words.count(fill) > 1
