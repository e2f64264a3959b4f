"""The measures of thinking in a study's audit, and how much each model thought, as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.measures.thought_measures import CHARACTERS, TOKENS
from nextset.auditing.traces.trace_measures import trace_measures
from nextset.auditing.traces.traced_rows import TracedRows
from nextset.counted import counted
from nextset.scoring.trace_stage import STAGE, trace_tables

__all__ = ["thought_rows", "thought_sentences"]


def thought_rows(traces: Artifact, rows: Iterable[TracedRows]) -> Iterator[MeasureRow]:
    """Yield the measures of the thinking in ``traces``, which `nextset.scoring.trace_stage` writes.

    ``rows`` are those that models are asked about in one wording at a time, as
    `nextset.auditing.audit_form.AuditForm.traced` gives them.
    """
    if traces.rows(STAGE):
        for traced in rows:
            yield from trace_measures(_Shards(traces), traced)


def thought_sentences(measures: pa.Table) -> tuple[str, ...]:
    """Return a sentence on each model with measures of thinking in ``measures``, a table of MeasureRow."""
    known = [row for row in measures.to_pylist() if row["by"] == "all" and row["value"] is not None]
    amounts: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for row in known:
        if row["measure"] in (TOKENS.name, CHARACTERS.name):
            whole = (row["value"] * row["n"], row["n"])
            amounts.setdefault((row["model"], row["measure"]), []).append(whole)
    sentences = []
    for model in dict.fromkeys(model for model, _ in amounts):
        unit, of_unit = "tokens", amounts.get((model, TOKENS.name))
        if of_unit is None:
            unit, of_unit = "characters", amounts[model, CHARACTERS.name]
        total, answers = round(sum(n for n, _ in of_unit)), sum(n for _, n in of_unit)
        sentences.append(
            f"{model} showed its thinking before {counted(answers, 'answers')} about items or quads that "
            f"measure bias: {total:,} {unit}."
        )
    return tuple(sentences)


@dataclass(frozen=True)
class _Shards:
    """The tables of traces, which are read again each time."""

    traces: Artifact

    def __iter__(self) -> Iterator[pa.Table]:
        return trace_tables(self.traces)
