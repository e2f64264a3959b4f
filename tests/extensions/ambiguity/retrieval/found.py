"""What retrievers find, made up for tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nextset.extensions.ambiguity.passages import OpenQuestion
from nextset.extensions.ambiguity.retrieval.found_rows import AskedQuestions, FoundRows
from nextset.extensions.ambiguity.retrieval.found_shares import FoundBy
from nextset.extensions.ambiguity.retrieval.retrieval_records import Counted

__all__ = ["asked_questions", "found_by"]

GROUPS = ("female", "male")


def asked_questions(occupations: Sequence[str]) -> AskedQuestions:
    """Questions q0, q1, … about ``occupations``."""
    return AskedQuestions.of(
        [
            OpenQuestion(id=f"q{i}", language="en", question=f"Who {i}?", occupation=name)
            for i, name in enumerate(occupations)
        ]
    )


def found_by(
    rows: Sequence[tuple[int, str, str]],
    occupations: Sequence[str],
    base: Sequence[float] = (0.5, 0.5),
    counted: Counted = "passages",
) -> FoundBy:
    """Rows of question, title and group (f, m or ?), in the order of their ranks."""
    names = list(dict.fromkeys(title for _, title, _ in rows))
    ranks: dict[int, int] = {}
    found = []
    for question, _, _ in rows:
        ranks[question] = ranks.get(question, 0) + 1
        found.append(ranks[question])
    asked = asked_questions(occupations)
    missing = np.zeros(len(occupations), np.int64)
    if counted != "passages":
        missing[[q for q in range(len(occupations)) if q not in ranks]] = 1
    return FoundBy(
        "bm25",
        "" if counted in ("passages", "titles") else "reader",
        counted,
        FoundRows(
            np.array([q for q, _, _ in rows], np.int64),
            np.array(found, np.int64),
            np.array([names.index(title) for _, title, _ in rows], np.int64),
            np.array([{"f": 0, "m": 1, "?": -1}[group] for _, _, group in rows], np.int64),
        ),
        asked,
        missing,
        np.tile(np.array(base, np.float64), (len(occupations), 1)),
        GROUPS,
        100,
    )
