"""Questions about a context with their answers, as readers are trained on and asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

__all__ = [
    "EMPTY_CONTEXT",
    "EMPTY_QUESTION",
    "MOVED",
    "NOT_IN_CONTEXT",
    "ReaderQuestion",
    "ReaderQuestions",
    "RightSpan",
    "questions_with_spans",
]  # fmt: skip

NOT_IN_CONTEXT = "questions whose answers are not in the context"
"""The reason why a question is not trained on: no text of its answers is in the context."""
MOVED = "answers found at another place"
"""Answers that are not at their answer_start, and are found elsewhere in the context; these are kept."""
EMPTY_CONTEXT = "questions with an empty context"
"""The reason why a question is left out that no reader could read."""
EMPTY_QUESTION = "questions without a text"
"""The reason why a question is left out that asks nothing: it is empty, or white space."""


@dataclass(frozen=True, slots=True)
class RightSpan:
    """A right answer in its context."""

    text: str
    """The answer."""
    start: int
    """Where it begins, in characters."""


@dataclass(frozen=True, slots=True)
class ReaderQuestion:
    """A question about a context."""

    id: str
    """Its id, unique in the data."""
    question: str
    context: str
    answers: tuple[RightSpan, ...]
    """The right answers; empty if the context has none."""
    part: str = ""
    """The part of the data that it belongs to, such as its article; empty if no parts are asked for."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the right answers."""
        return tuple(answer.text for answer in self.answers)


@dataclass(frozen=True)
class ReaderQuestions:
    """The questions of some sources."""

    questions: tuple[ReaderQuestion, ...]
    """The questions in their order."""
    dropped: Mapping[str, int]
    """What was left out or corrected, by reason."""
    faulty: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The ids of the questions with faulty answers, by reason."""

    @property
    def some_unanswerable(self) -> bool:
        """Whether some questions have no answer."""
        return any(not one.answers for one in self.questions)


def questions_with_spans(questions: Sequence[ReaderQuestion], dropped: Mapping[str, int]) -> ReaderQuestions:
    """Return ``questions`` for training, where every answer is at its start.

    An answer that is not there is taken from the nearest place in the context with its text; white space at
    its ends does not count. A question whose answers are all missing is dropped and counted; with answers of
    which some are missing it keeps the others. ``dropped`` are earlier counts.
    """
    counts = Counter(dropped)
    faulty: dict[str, list[str]] = {}
    kept = []
    for one in questions:
        placed = [_placed(answer, one.context) for answer in one.answers]
        spans = tuple(span for span in placed if span is not None)
        if one.answers and not spans:
            counts[NOT_IN_CONTEXT] += 1
            faulty.setdefault(NOT_IN_CONTEXT, []).append(one.id)
            continue
        moved = sum(
            span.start != answer.start + len(answer.text) - len(answer.text.lstrip())
            for span, answer in zip(placed, one.answers, strict=True)
            if span is not None
        )
        if moved:
            counts[MOVED] += moved
            faulty.setdefault(MOVED, []).append(one.id)
        kept.append(replace(one, answers=spans))
    return ReaderQuestions(tuple(kept), dict(counts), {why: tuple(ids) for why, ids in faulty.items()})


def _placed(answer: RightSpan, context: str) -> RightSpan | None:
    """Return the answer where its text is in the context, the nearest place first; None if it is nowhere."""
    text = answer.text.strip()
    start = answer.start + len(answer.text) - len(answer.text.lstrip())
    if not text:
        return None
    if start >= 0 and context.startswith(text, start):
        return RightSpan(text, start)
    places, at = [], context.find(text)
    while at >= 0:
        places.append(at)
        at = context.find(text, at + 1)
    if not places:
        return None
    return RightSpan(text, min(places, key=lambda place: abs(place - start)))
