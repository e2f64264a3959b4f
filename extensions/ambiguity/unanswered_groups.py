"""Answers that models refused or that were cut off, by the group that a right answer would have found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["UnansweredGroup", "unanswered_groups", "unanswered_warnings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnansweredGroup:
    """The answers of a model about people of a group that it refused, or that were cut off; they find no
    one."""

    model: str
    """The model's published name."""
    group: str
    """The group of the people, or unknown."""
    answers: int
    """The number of people of this group whom an answer could have found."""
    refused: int
    """The number of them whose question the model refused to answer."""
    cut_off: int
    """The number of them whose answer did not end within the limit of tokens."""


def unanswered_groups(asked: Iterable[tuple[str, str, str]]) -> list[UnansweredGroup]:
    """Return one row per model and group, for models with a refused or cut-off answer.

    ``asked`` are the model, the group and the outcome of each answer
    (`nextset.records.reader_answers.ReaderAnswer`).
    """
    counts = Counter(asked)
    silent = {model for model, _, outcome in counts if outcome != "answer"}
    pairs = dict.fromkeys((model, group) for model, group, _ in counts if model in silent)
    return [
        UnansweredGroup(
            model=model,
            group=group,
            answers=sum(n for (m, g, _), n in counts.items() if (m, g) == (model, group)),
            refused=counts[model, group, "refused"],
            cut_off=counts[model, group, "cut_off"],
        )
        for model, group in pairs
    ]


def unanswered_warnings(rows: Sequence[UnansweredGroup]) -> Iterator[str]:
    """Yield a warning for each model, with its numbers by group."""
    for model in dict.fromkeys(row.model for row in rows):
        own = [row for row in rows if row.model == model and row.refused + row.cut_off]
        parts = [
            f"{row.group}: refused {row.refused:,}, cut off {row.cut_off:,}, of {row.answers:,}"
            for row in own
        ]
        yield f"{model} gave no answer that can find people, by group: {'; '.join(parts)}."
