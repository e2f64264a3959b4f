"""The figures of a reader on questions: EM, F1 and AvNA, also for questions with and without an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nextset.training.metrics.answer_match import answer_or_none_agrees, exact_match, has_answer, token_f1
from nextset.training.metrics.no_answer_threshold import best_threshold

__all__ = ["AnsweredQuestion", "reader_figures"]


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """An answer, with the correct answers."""

    answer: str | None
    """The answer; empty for no answer; None if the question was not answered at all, which is wrong."""
    right: tuple[str, ...]
    """The correct answers; none, or only empty ones, if the text has no answer."""
    no_answer: float | None = None
    """The no-answer score; None if it is unknown."""


def reader_figures(answered: Sequence[AnsweredQuestion]) -> dict[str, float]:
    """Return the figures of at least one question by name, from 0 to 1, and counts.

    The names are ``questions``, ``em``, ``f1`` and ``avna``. If some questions have no correct answer, there
    are also ``has_answer_…`` and ``no_answer_…`` of em, f1 and questions, and, if all questions have an
    answer and a no-answer score, ``best_em``, ``best_f1`` and their thresholds. The thresholds are chosen on
    the same questions, so these figures show the best that a threshold could reach.
    """
    em, f1, avna = (
        [0.0 if one.answer is None else match(one.answer, one.right) for one in answered]
        for match in (exact_match, token_f1, answer_or_none_agrees)
    )
    figures = {"questions": float(len(answered)), "em": _mean(em), "f1": _mean(f1), "avna": _mean(avna)}
    answerable = [has_answer(one.right) for one in answered]
    if all(answerable):
        return figures
    for name, kind in (("has_answer", True), ("no_answer", False)):
        rows = [i for i, one in enumerate(answerable) if one == kind]
        if rows:
            figures[f"{name}_questions"] = float(len(rows))
            figures[f"{name}_em"] = _mean([em[i] for i in rows])
            figures[f"{name}_f1"] = _mean([f1[i] for i in rows])
    return figures | _best(answered, answerable, {"em": em, "f1": f1})


def _best(
    answered: Sequence[AnsweredQuestion], answerable: Sequence[bool], matches: Mapping[str, Sequence[float]]
) -> dict[str, float]:
    scores = [one.no_answer for one in answered if one.no_answer is not None and one.answer is not None]
    if len(scores) < len(answered):
        return {}
    figures: dict[str, float] = {}
    none_given = [not has_answer([one.answer or ""]) for one in answered]
    for name, values in matches.items():
        best = best_threshold(values, none_given, answerable, scores)
        figures |= {f"best_{name}": best.value, f"best_{name}_threshold": best.threshold}
    return figures


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
