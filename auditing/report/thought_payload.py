"""The thinking of models in the explorer: the beginnings of the texts, up to a size that a page can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.report.explorer_payload import coded
from nextset.forms import FORMS

__all__ = ["LONGEST", "MOST_CHARACTERS", "with_thoughts"]

LONGEST = 2000
"""The number of characters of a text that the page holds; out/traces has the whole text."""
MOST_CHARACTERS = 4_000_000
"""The number of characters of all texts on the page; they take about half as many bytes in the file."""
_ORDER = ("sample", "wording", "input", "place")


def with_thoughts(
    payload: Mapping[str, Any], traces: Iterable[pa.Table], most: int = MOST_CHARACTERS
) -> Mapping[str, Any]:
    """Return the explorer's ``payload`` with the thinking about its items; unchanged if there is none.

    ``traces`` are tables of `nextset.records.answer_traces.AnswerTrace`. Of each text, the page holds the
    beginning. If all beginnings have more than ``most`` characters, the first wordings come first, and a note
    says how many answers are left out.
    """
    shown = _shown(payload["ids"], traces)
    if not shown.num_rows:
        return payload
    lengths = np.minimum(shown["characters"].to_numpy(), LONGEST)
    held = int(np.count_nonzero(np.cumsum(lengths) <= most))
    notes = [payload.get("note", "")]
    if held < shown.num_rows:
        notes.append(
            f"It holds the thinking before {held:,} of {shown.num_rows:,} answers about them; the table "
            "traces has all."
        )
    rows = shown.slice(0, held)
    thoughts = {
        "places": rows["place"].to_pylist(),
        "models": coded(_names(rows)),
        **{name: coded(rows[name]) for name in ("answer", "conclusion", "outcome")},
        **{name: rows[name].to_pylist() for name in ("input", "wording", "sample", "characters", "tokens")},
        "texts": rows["text"].to_pylist(),
    }
    return {**payload, "note": " ".join(filter(None, notes)), "thoughts": thoughts}


def _shown(ids: list[str], traces: Iterable[pa.Table]) -> pa.Table:
    """Return the traces with a text about the items ``ids``, in the order of the page, with their lengths."""
    known = pa.array(ids, pa.string())
    pieces = []
    for table in traces:
        places = pc.index_in(pc.cast(table["item_id"], pa.string()), value_set=known)
        table = table.append_column("place", places)
        table = table.append_column("characters", pc.utf8_length(table["text"]))
        table = table.filter(pc.and_(pc.is_valid(places), pc.greater(table["characters"], 0)))
        at = table.schema.get_field_index("text")
        pieces.append(table.set_column(at, "text", pc.utf8_slice_codeunits(table["text"], 0, LONGEST)))
    if not pieces:
        return pa.table({})
    return pa.concat_tables(pieces).sort_by([(name, "ascending") for name in _ORDER])


def _names(rows: pa.Table) -> list[str]:
    """Return the name of each row's model, with the form that it was asked in if rows have several."""
    return [
        f"{model} ({FORMS[form].noun})" if FORMS[form].asks else model
        for model, form in zip(rows["model"].to_pylist(), rows["form"].to_pylist(), strict=True)
    ]
