"""The choice of a review's rows: a small number that shows every mark of a pack at least once."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from nextset.artifacts.progress_callback import SILENT, Tick
from nextset.generation.pack_sheets.review_texts import Mark, ReviewPack, ReviewRow, SubjectPair

__all__ = ["Cover", "review_rows"]

MOST_CONTEXTS = 4_000
"""For a set with more contexts, only enough pairs are tried to show each subject in both slots."""


@dataclass
class _Choices:
    """The choices for a template, sorted by the number of marks that are not yet seen.

    The set of seen marks only grows. So if the best choice still has the same number of new marks, it stays
    the best: the others can only have lost some (Minoux 1978, the accelerated greedy algorithm).
    """

    marks: list[frozenset[Mark]]
    heap: list[tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.heap = [(-len(marks), i) for i, marks in enumerate(self.marks)]
        heapq.heapify(self.heap)

    def best(self, unseen: set[Mark]) -> tuple[int, int]:
        """Return the number of marks in ``unseen`` of the best choice, and its index; of ties, the first."""
        while True:
            promised, i = self.heap[0]
            new = len(self.marks[i] & unseen)
            if new == -promised:
                return new, i
            heapq.heapreplace(self.heap, (-new, i))


@dataclass(frozen=True)
class Cover:
    """The rows of a review."""

    rows: tuple[ReviewRow, ...]
    """The rows, by class and template."""
    marks: frozenset[Mark]
    """All marks, which are seen in the rows."""


def review_rows(pack: ReviewPack, tick: Tick | None = None) -> Cover:
    """Choose rows of ``pack`` greedily until every mark is seen; the same pack gives the same rows.

    All pairs of subjects are tried for a set with at most `MOST_CONTEXTS` contexts; else only enough pairs to
    show each subject in both slots of each template.
    """
    tick = tick or SILENT("review")
    places = [(s, t) for s, questions in enumerate(pack.sets) for t in range(len(questions.templates))]
    pairs = [list(_looked_at(made, len(q.templates))) for made, q in zip(pack.pairs, pack.sets, strict=True)]
    contexts: list[_Choices] = []
    asked: list[_Choices] = []
    for n, (s, t) in enumerate(places):
        tick(n, 2 * len(places))
        contexts.append(_Choices([pack.context_marks(s, t, pair) for pair in pairs[s]]))
        n_attributes = len(pack.sets[s].templates[t].by_attribute)
        asked.append(_Choices([pack.question_marks(s, t, a) for a in range(n_attributes)]))
    every = frozenset(m for choices in (*contexts, *asked) for marks in choices.marks for m in marks)
    unseen = set(every)
    chosen: list[tuple[int, int, int]] = []
    times = [0] * len(places)
    while unseen:
        best = [(c.best(unseen), a.best(unseen)) for c, a in zip(contexts, asked, strict=True)]
        p = max(range(len(places)), key=lambda i: (best[i][0][0] + best[i][1][0], -times[i]))
        (new_context, context), (new_question, question) = best[p]
        if not new_context:  # no context has new marks: use a different one each time
            context = len(chosen) % len(contexts[p].marks)
        if not new_question:
            question = len(chosen) % len(asked[p].marks)
        chosen.append((p, context, question))
        times[p] += 1
        unseen -= contexts[p].marks[context] | asked[p].marks[question]
        tick(len(places) + (len(every) - len(unseen)) * len(places) // len(every), 2 * len(places))
    tick(2 * len(places), 2 * len(places))
    rows = (pack.row(*places[p], pairs[places[p][0]][c], a) for p, c, a in sorted(chosen, key=lambda x: x[0]))
    return Cover(tuple(rows), every)


def _looked_at(made: Sequence[SubjectPair], templates: int) -> Iterable[SubjectPair]:
    return made if len(made) * templates <= MOST_CONTEXTS else _enough(made)


def _enough(made: Sequence[SubjectPair]) -> Iterator[SubjectPair]:
    """Yield pairs of ``made``, so that each subject is first in one pair and second in one pair."""
    first: set[str] = set()
    second: set[str] = set()
    for fresh in (2, 1):
        for pair in made:
            new = (pair[0].name not in first) + (pair[1].name not in second)
            if new >= fresh:
                first.add(pair[0].name)
                second.add(pair[1].name)
                yield pair
