"""The tables of choice items with the decisions of a port applied, and the table of these decisions."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence

from nextset.artifacts.build import Part, PartResult
from nextset.forms import CHOICE
from nextset.generation.choices.port.ported_templates import Port, made_templates
from nextset.records.arrow_schema import table_of
from nextset.records.port_decisions import PortDecision

__all__ = ["DECISIONS_TABLE", "ported_parts"]

DECISIONS_TABLE = "port_decisions"
"""The table of out/generate with a `PortDecision` for each template."""


def ported_parts(parts: Sequence[Part], port: Port) -> list[Part]:
    """Return ``parts`` with the items that the decisions leave, and the table of decisions."""
    items = [part for part in parts if part.table in (CHOICE.generated, CHOICE.masked)]

    @functools.cache
    def decisions() -> dict[tuple[str, str], PortDecision]:
        rows = port.decided(made_templates(part.make().table for part in items))
        return {(row.category, row.template_id): row for row in rows}

    def ported(part: Part) -> PartResult:
        made = part.make()
        table = port.ported(made.table, decisions())
        dropped = Counter(d.why for d in decisions().values() if d.language and not d.kept)
        counts = {f"templates: {why}": n for why, n in sorted(dropped.items())}
        if stray := port.stray_answers(decisions().values()):
            counts["stereotypes of the survey that no template has"] = stray
        return PartResult(table, {**made.counts, **(counts if part.table == CHOICE.generated else {})})

    return [
        *(Part(p.table, functools.partial(ported, p)) if p in items else p for p in parts),
        Part(DECISIONS_TABLE, lambda: PartResult(table_of(decisions().values(), PortDecision))),
    ]
