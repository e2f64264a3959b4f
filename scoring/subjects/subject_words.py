"""The words for a subject at the mask: its name, its cluster's pronoun, or both (Zhao et al. 2021)."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.errors import ModelError
from nextset.letter_case import capitalised
from nextset.scoring.masks.word_pattern import MASK
from nextset.scoring.scorer_protocol import Statement
from nextset.study.scoring_settings import StatementSettings

__all__ = ["SubjectWords", "mask_words"]

SubjectWords = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of each subject, one or two."""

_ENDS = ".!?…。！？"
SHOWN = 3


def mask_words(statements: Sequence[Statement], masks: StatementSettings) -> list[SubjectWords]:
    """Return the words of each statement's subjects; pronouns are capitalised at the start of a sentence.

    Pronouns are used only if both clusters have one and the two differ, because equal pronouns do not
    distinguish the subjects. For other statements, the setting `both` uses only the name, and `pronoun`
    raises ModelError, which lists the statements.
    """
    words: list[SubjectWords] = []
    refused = []
    for statement in statements:
        first, second = ((name,) for name in statement.candidates)
        pronouns = _pronouns(statement, masks)
        if masks.by == "name":
            words.append((first, second))
        elif pronouns is None:
            words.append((first, second))
            refused.append(statement)
        elif masks.by == "pronoun":
            words.append((pronouns[:1], pronouns[1:]))
        else:
            words.append(((*first, pronouns[0]), (*second, pronouns[1])))
    if refused and masks.by == "pronoun":
        text = "; ".join(f"{_clusters(s)}: {s.statement[:60]!r}" for s in refused[:SHOWN])
        raise ModelError(
            f"pronouns do not distinguish the subjects of these statements ({len(refused)} in total): {text}",
            remedy="set scoring.statements.pronouns to a different pronoun for each of their clusters, or "
            "set scoring.statements.by: both",
        )
    return words


def _pronouns(statement: Statement, masks: StatementSettings) -> tuple[str, str] | None:
    first, second = (masks.pronouns.get(cluster, "") for cluster in statement.clusters)
    if not first or not second or first == second:
        return None
    if _ends_sentence(statement.statement.partition(MASK)[0]):
        return capitalised(first), capitalised(second)
    return first, second


def _ends_sentence(before: str) -> bool:
    """Return True if a sentence begins after the text ``before``.

    A sentence begins there if ``before`` has no word, or if its last word is followed by the end of a
    sentence and white space.
    """
    last = len(before)
    while last and not (before[last - 1].isalnum() or before[last - 1] == "_"):
        last -= 1
    ends = (i for i in range(last, len(before)) if before[i] in _ENDS)
    end = next(ends, None)
    return last == 0 or (end is not None and any(c.isspace() for c in before[end:]))


def _clusters(statement: Statement) -> str:
    return " and ".join(
        f"{name} ({cluster or 'no cluster'})"
        for name, cluster in zip(statement.candidates, statement.clusters, strict=True)
    )
