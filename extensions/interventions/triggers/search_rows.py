"""The rows that a search may see, and the few rows that each step reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

import pyarrow as pa
import pyarrow.compute as pc

from nextset.extensions.interventions.triggers.searched_model import BatchRows

__all__ = ["SearchRows"]


@dataclass(frozen=True)
class SearchRows:
    """The rows of one class, without those of templates that are held out."""

    compared: pa.Table
    """Quads or masked statements, or NLI items."""
    units: Sequence[Sequence[int]]
    """The rows that are read together: single quads, or sets of NLI items that differ only by the group."""
    known: pa.Table
    """Rows whose answers are known; may be empty."""

    @classmethod
    def of_quads(cls, quads: pa.Table, twins: pa.Table, held_out: Collection[str]) -> SearchRows:
        """Return the rows of quads or masked statements and of their specified twins."""
        compared = _seen(quads, held_out)
        return cls(compared, [(i,) for i in range(compared.num_rows)], _seen(twins, held_out))

    @classmethod
    def of_items(cls, items: pa.Table, held_out: Collection[str]) -> SearchRows:
        """Return the rows of NLI items: sets of two or more, and test items."""
        seen = _seen(items, held_out)
        is_test = pc.equal(seen["stance_design"], "test")
        compared = seen.filter(pc.invert(is_test))
        members: dict[str, list[int]] = {}
        for i, name in enumerate(compared["set_id"].to_pylist()):
            if name is not None:
                members.setdefault(name, []).append(i)
        return cls(
            compared, [indices for indices in members.values() if len(indices) > 1], seen.filter(is_test)
        )

    def sample(self, random: Random, n: int) -> BatchRows:
        """Return ``n`` units and ``n`` rows whose answers are known, or all if there are fewer."""
        units = random.sample(range(len(self.units)), min(n, len(self.units)))
        rows = [row for unit in sorted(units) for row in self.units[unit]]
        known = sorted(random.sample(range(self.known.num_rows), min(n, self.known.num_rows)))
        return BatchRows(
            self.compared.take(pa.array(rows, pa.int64())), self.known.take(pa.array(known, pa.int64()))
        )


def _seen(rows: pa.Table, held_out: Collection[str]) -> pa.Table:
    names = pc.cast(rows["template_id"], pa.string())
    return rows.filter(pc.invert(pc.is_in(names, value_set=pa.array(sorted(held_out), pa.string()))))
