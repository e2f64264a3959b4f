"""The choice of a review's rows: few of them, in which every mark of a pack is seen at least once."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from nextset.artifacts.progress_callback import SILENT, Tick
from nextset.generation.pack_sheets.review_texts import Mark, ReviewPack, ReviewRow, SubjectPair

__all__ = ["Cover", "review_rows"]

MOST_CONTEXTS = 4_000
"""Of a set with more contexts only as many pairs are looked at as show each subject in both slots."""


@dataclass
class _Choices:
    """What can be chosen for a template, the most marks that are not yet seen first.

    More and more marks are seen, so a choice that was best and still has as many new ones is best: the others
    can only have lost some (Minoux 1978, the accelerated greedy algorithm).
    """

    marks: list[frozenset[Mark]]
    heap: list[tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.heap = [(-len(found), i) for i, found in enumerate(self.marks)]
        heapq.heapify(self.heap)

    def best(self, unseen: set[Mark]) -> tuple[int, int]:
        """Return how many marks of ``unseen`` the best choice has, and its number; the first of equals."""
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
    """Everything that can be seen, and is seen in them."""


def review_rows(pack: ReviewPack, tick: Tick | None = None) -> Cover:
    """Choose rows of ``pack`` greedily until every mark is seen; the same pack gives the same rows.

    It looks at all pairs of subjects of a set with at most `MOST_CONTEXTS` contexts, else at as many pairs as
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
        found = [(c.best(unseen), a.best(unseen)) for c, a in zip(contexts, asked, strict=True)]
        p = max(range(len(places)), key=lambda i: (found[i][0][0] + found[i][1][0], -times[i]))
        (new_context, context), (new_question, question) = found[p]
        if not new_context:  # nothing new to see in a context: another one each time
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
    """Yield pairs of ``made`` so that each subject is first in one of them and second in one."""
    first: set[str] = set()
    second: set[str] = set()
    for fresh in (2, 1):
        for pair in made:
            new = (pair[0].name not in first) + (pair[1].name not in second)
            if new >= fresh:
                first.add(pair[0].name)
                second.add(pair[1].name)
                yield pair
