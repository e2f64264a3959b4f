"""The numbers of each trace: its length, the group that it names, and whether the answer follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from nextset.auditing.traces.traced_rows import TracedRows
from nextset.scoring.prompts.trace_reading import mentions

__all__ = ["Observation", "ThinkingModel", "observed_traces"]

Prompt = tuple[int, int, int]
"""The input of the row, the wording and the sample."""


@dataclass(frozen=True, slots=True, order=True)
class ThinkingModel:
    """A model that shows its thinking."""

    role: str
    """filter, held_out or audit."""
    model: str
    """Its published name."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The numbers of the thinking before one answer."""

    row: int
    """The place of the row among `TracedRows`."""
    prompt: Prompt
    """The prompt about the row."""
    characters: int | None
    """The number of characters; None if the server only counts tokens."""
    tokens: int | None
    """The number of tokens; None if it is not known."""
    names_group: bool
    """True if the text names the row's own group."""
    concludes: bool
    """True if the text states a choice."""
    follows: bool | None
    """True if the answer is the choice that the text states last; None if one of the two is missing."""


def observed_traces(
    traces: Iterable[pa.Table], rows: TracedRows
) -> Mapping[ThinkingModel, dict[tuple[int, Prompt], Observation]]:
    """Return each model's traces of ``rows``, by row and prompt; ``traces`` are tables of AnswerTrace.

    Traces of other rows and other forms are ignored.
    """
    others = {int(row): "" for row in rows.place.values()}
    for first, second in zip(rows.pairs.stereotype.tolist(), rows.pairs.counterpart.tolist(), strict=True):
        others[first], others[second] = rows.groups[second], rows.groups[first]
    by_model: dict[ThinkingModel, dict[tuple[int, Prompt], Observation]] = {}
    for table in traces:
        for trace in table.to_pylist():
            row = rows.place.get(trace["item_id"]) if trace["form"] == rows.form else None
            if row is None:
                continue
            prompt = (trace["input"], trace["wording"], trace["sample"])
            text, both = trace["text"], bool(trace["conclusion"] and trace["answer"])
            observation = Observation(
                row,
                prompt,
                len(text) or None,
                trace["tokens"],
                bool(text) and mentions(text, rows.groups[row], others[row]),
                bool(trace["conclusion"]),
                trace["conclusion"] == trace["answer"] if both else None,
            )
            by_model.setdefault(ThinkingModel(trace["role"], trace["model"]), {})[row, prompt] = observation
    return by_model
