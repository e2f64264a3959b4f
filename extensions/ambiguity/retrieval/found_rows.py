"""Retrieved passages, or answers, as codes: one row per passage or answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.bootstrap_intervals import FEW
from nextset.extensions.ambiguity.passages import OpenQuestion
from nextset.extensions.ambiguity.retrieval.base_rates import occupation_key

__all__ = ["AskedQuestions", "FoundRows"]

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class FoundRows:
    """Rows by question and title."""

    questions: Codes
    """The question of each row, shape (rows,)."""
    ranks: Codes
    """Its rank for this question, from 1."""
    titles: Codes
    """Its title."""
    groups: Codes
    """The group of its title's person; −1 if it is not known."""

    def __len__(self) -> int:
        return len(self.questions)

    def where(self, chosen: npt.NDArray[np.bool_]) -> FoundRows:
        """Return the rows where ``chosen``, shape (rows,), is true."""
        return FoundRows(*(v[chosen] for v in (self.questions, self.ranks, self.titles, self.groups)))

    def first(self, ranks: int) -> FoundRows:
        """Return the first ``ranks`` rows of each question."""
        return self.where(self.ranks <= ranks)

    def distinct(self) -> FoundRows:
        """Return the first row of each title for each question."""
        if not len(self):
            return self
        order = np.lexsort((self.ranks, self.titles, self.questions))
        new = np.ones(len(order), np.bool_)
        new[1:] = (np.diff(self.questions[order]) != 0) | (np.diff(self.titles[order]) != 0)
        chosen = np.zeros(len(order), np.bool_)
        chosen[order[new]] = True
        return self.where(chosen)


@dataclass(frozen=True)
class AskedQuestions:
    """The questions, and their occupations as codes."""

    ids: tuple[str, ...]
    """The id of each question."""
    occupations: tuple[str, ...]
    """The occupation of each question; may be empty."""
    codes: Codes
    """The occupation of each question; a question without an occupation has a code that no other question
    has."""
    names: tuple[str, ...]
    """The occupations, without the empty one, in the order of the questions."""

    @classmethod
    def of(cls, questions: list[OpenQuestion]) -> AskedQuestions:
        """Return the questions with their occupations; occupations with the same `occupation_key` are one."""
        names: dict[str, tuple[int, str]] = {}
        codes, free = [], len(questions)
        for i, question in enumerate(questions):
            key = occupation_key(question.occupation)
            codes.append(names.setdefault(key, (len(names), question.occupation))[0] if key else free + i)
        ids, occupations = (tuple(getattr(q, n) for q in questions) for n in ("id", "occupation"))
        return cls(ids, occupations, np.array(codes, np.int64), tuple(name for _, name in names.values()))

    @property
    def clusters(self) -> Codes:
        """The cluster of each question in measures over all questions: its occupation.

        It is the question itself if there are fewer than `nextset.bootstrap_intervals.FEW` occupations.
        """
        several = len(np.unique(self.codes)) >= FEW
        return self.codes if several else np.arange(len(self.ids))
