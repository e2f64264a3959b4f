"""Annotators who work on their own through the API, as the page would."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nextset.validation.annotator_pages.page_form import KnownItem
from nextset.validation.annotator_pages.page_wording import KnownSentence
from nextset.validation.judgment_choices import VERDICTS
from tests.validation.studio import Annotator, Studio

__all__ = ["answer_all", "answer_gate", "gate_answers", "judged", "pass_gate", "right_answers", "verdict_of"]


def _regions(chosen: Mapping[str, str | list[str]], to: str) -> list[dict[str, Any]]:
    return [
        {
            "from_name": name,
            "to_name": to,
            "type": "choices",
            "value": {"choices": [value] if isinstance(value, str) else value},
        }
        for name, value in chosen.items()
    ]


def right_answers(items: Sequence[KnownItem]) -> dict[str, str]:
    """The right answers to comprehension items, by the name of the block: check_1, stance_1 and so on."""
    right: dict[str, str] = {}
    for i, item in enumerate(items, 1):
        right[f"check_{i}"] = item.verdict if isinstance(item, KnownSentence) else item.answer
        if isinstance(item, KnownSentence) and item.stance:
            right[f"stance_{i}"] = item.stance
    return right


def pass_gate(
    studio: Studio,
    annotator: Annotator,
    project: str,
    items: Sequence[KnownItem],
    declined: tuple[str, ...] = (),
    consent: str = "agree",
) -> int:
    """Answer the gate, and its comprehension ``items`` right. Gives the annotation's number."""
    (task,) = studio.task_numbers(int(project)).values()
    return annotator.answer(task, *gate_answers(items, declined, consent))


def gate_answers(
    items: Sequence[KnownItem], declined: tuple[str, ...] = (), consent: str = "agree"
) -> list[dict[str, Any]]:
    """The answers to the gate, its comprehension ``items`` right."""
    chosen: dict[str, str | list[str]] = {**right_answers(items), "consent": consent}
    if declined:
        chosen["decline_domains"] = list(declined)
    return _regions(chosen, "guidelines")


def answer_gate(
    studio: Studio, annotator: Annotator, project: str, chosen: Mapping[str, str | list[str]]
) -> int:
    """Answer a page of the gate. Gives the annotation's number."""
    (task,) = studio.task_numbers(int(project)).values()
    return annotator.answer(task, *_regions(chosen, "guidelines"))


def judged(verdict: str) -> list[dict[str, Any]]:
    """The page's answer: a verdict, pro where it is valid."""
    chosen = {"verdict": verdict, **({"stance": "pro"} if verdict == "valid" else {})}
    return _regions(chosen, "hypothesis")


def verdict_of(unit_id: str) -> str:
    """A verdict that follows from the id, so that tests know it."""
    return VERDICTS[int(unit_id[:6], 16) % 3]


def answer_all(
    studio: Studio,
    annotator: Annotator,
    project: str,
    verdict: Callable[[str], str] = verdict_of,
    done: set[int] | None = None,
) -> dict[str, str]:
    """Answer every task of ``project`` that is not in ``done``, which grows; the verdicts by unit."""
    done = set() if done is None else done
    said: dict[str, str] = {}
    for unit_id, task in studio.task_numbers(int(project)).items():
        if task not in done:
            done.add(task)
            said[unit_id] = verdict(unit_id)
            if said[unit_id] == "skip":
                annotator.answer(task, skip=True)
            else:
                annotator.answer(task, *judged(said[unit_id]))
    return said
