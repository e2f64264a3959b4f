"""Questions about a context with their answers, for training and asking readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

__all__ = [
    "EMPTY_ANSWER",
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
"""The reason for skipping a question if no text of its answers is in the context."""
MOVED = "answers found at another place"
"""The reason for answers that are not at their answer_start, but elsewhere in the context; they are kept."""
EMPTY_CONTEXT = "questions with an empty context"
"""The reason for skipping a question that no reader could read."""
EMPTY_QUESTION = "questions without a text"
"""The reason for skipping a question that is empty or only white space."""
EMPTY_ANSWER = "questions whose right answers are all empty"
"""The reason for skipping a question that has right answers, but none of them with text."""


@dataclass(frozen=True, slots=True)
class RightSpan:
    """A correct answer in its context."""

    text: str
    """The answer."""
    start: int
    """Its start in the context, in characters."""


@dataclass(frozen=True, slots=True)
class ReaderQuestion:
    """A question about a context."""

    id: str
    """Its id, unique in the data."""
    question: str
    context: str
    answers: tuple[RightSpan, ...]
    """The correct answers; empty if the context has no answer."""
    part: str = ""
    """The question's part of the data, such as its article; empty unless parts are requested."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the correct answers."""
        return tuple(answer.text for answer in self.answers)


@dataclass(frozen=True)
class ReaderQuestions:
    """The questions of some sources."""

    questions: tuple[ReaderQuestion, ...]
    """The questions in order."""
    dropped: Mapping[str, int]
    """The numbers of skipped questions and corrected answers, by reason."""
    faulty: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The ids of the questions with faulty answers, by reason."""

    @property
    def some_unanswerable(self) -> bool:
        """True if some questions have no answer."""
        return any(not one.answers for one in self.questions)


def questions_with_spans(questions: Sequence[ReaderQuestion], dropped: Mapping[str, int]) -> ReaderQuestions:
    """Return ``questions`` for training, with every answer at its start.

    An answer that is not at its start is taken from the nearest place in the context with its text, ignoring
    white space at its ends. If all answers of a question are missing in the context, the question is dropped
    and counted. If only some are missing, the question keeps the others. ``dropped`` are earlier counts.
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
    """Return the answer at the nearest place of its text in the context, or None if the text is missing."""
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
