"""Choice items of neutral content: the controls of own templates, which are about no stereotype."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools

__all__ = ["NEUTRAL_BY", "neutral_choices"]

NEUTRAL_BY = ("target", "target_groups", "source_id")
"""The columns that tell items of neutral content; a table without target_groups has none."""


def neutral_choices(table: pa.Table) -> Bools:
    """Return True for each choice item that is about no stereotype, shape (rows,).

    It has neither a target nor target groups, and is not a published item, whose groups may be unknown.
    """
    if "target_groups" not in table.column_names:
        return np.zeros(table.num_rows, np.bool_)
    groups = pc.fill_null(pc.equal(pc.list_value_length(table["target_groups"]), 0), False)
    own = pc.is_null(table["source_id"]) if "source_id" in table.column_names else pa.scalar(True)
    return np.asarray(pc.and_(pc.and_(pc.is_null(table["target"]), groups), own), np.bool_)
