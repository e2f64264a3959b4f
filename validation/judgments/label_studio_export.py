"""Reads what Label Studio exports in its JSON format (not JSON-MIN, not CSV)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import JudgmentError
from validation.judgments.annotation import Answer, account, read_answer
from validation.judgments.given import GivenJudgment, Problem
from validation.judgments.pseudonyms import pseudonym

__all__ = ["ReadJudgments", "read_export"]

_REMEDY = "export the project again from Label Studio, in the format JSON"


@dataclass(frozen=True)
class ReadJudgments:
    """What an export holds."""

    judgments: list[GivenJudgment]
    """What counts: at most one a unit and judge."""
    problems: list[Problem]
    """What does not count, with the reason."""


def read_export(path: Path, known_units: Collection[str], key: bytes) -> ReadJudgments:
    """Read the export ``path``; ``key`` makes people pseudonyms.

    A skipped or empty answer, an unknown choice or unit, and a second answer of one person to one unit
    become problems; of several answers the one with the lowest number counts. Raises JudgmentError when
    the file is cut short, is no JSON, or is no such export.
    """
    judgments: list[GivenJudgment] = []
    problems: list[Problem] = []
    answered: set[tuple[str, str]] = set()
    for task, unit_id, annotation in _annotations(path, _load(path), problems):
        number = _number(annotation)
        answer, person = read_answer(annotation, "nli"), account(annotation)
        judge = pseudonym(person, key)
        if unit_id not in known_units:
            problem = "the unit is not in this study"
        elif answer.outcome != "judged":
            problem = answer.problem or answer.outcome
        elif not person:
            problem = "it does not say whose answer it is"
        elif (unit_id, judge) in answered:
            problem = "a second answer of the same person to the same unit"
        else:
            problem = ""
        if problem:
            problems.append(Problem(task, number, problem))
            continue
        answered.add((unit_id, judge))
        judgments.append(_judgment(unit_id, judge, number, answer))
    return ReadJudgments(judgments, problems)


def _load(path: Path) -> list[Any]:
    """The tasks of an export."""
    try:
        data = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as e:
        raise JudgmentError(
            f"cannot be read: {e.strerror}", file=path, remedy="name the exported file"
        ) from None
    except json.JSONDecodeError as e:
        raise JudgmentError(
            f"not whole or not JSON: {e.msg}", file=path, line=e.lineno, remedy=_REMEDY
        ) from None
    except UnicodeDecodeError as e:
        line = e.object[: e.start].count(b"\n") + 1
        raise JudgmentError("not whole or not UTF-8", file=path, line=line, remedy=_REMEDY) from None
    except (ValueError, RecursionError) as e:
        raise JudgmentError(f"not JSON as Label Studio writes it: {e}", file=path, remedy=_REMEDY) from None
    if not isinstance(data, list):
        raise JudgmentError("expected a list of tasks", file=path, remedy=_REMEDY)
    return data


def _annotations(
    path: Path, tasks: list[Any], problems: list[Problem]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Task number, unit and annotation, of each unit the lowest annotation number first."""
    found = []
    for i, task in enumerate(tasks, 1):
        if not (isinstance(task, dict) and isinstance(task.get("annotations"), list)):
            raise JudgmentError(f"task #{i} has no list of annotations", file=path, remedy=_REMEDY)
        data = task.get("data")
        unit_id = data.get("unit_id") if isinstance(data, dict) else None
        number = _number(task) or f"#{i}"
        for annotation in task["annotations"]:
            if isinstance(annotation, dict):
                found.append((number, unit_id if isinstance(unit_id, str) else "", annotation))
            else:
                problems.append(Problem(number, "", "not an annotation"))
    return iter(sorted(found, key=lambda row: _order(row[2])))


def _order(annotation: dict[str, Any]) -> tuple[int, str]:
    number = _number(annotation)
    return len(number), number


def _number(of: dict[str, Any]) -> str:
    value = of.get("id")
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _judgment(unit_id: str, judge: str, number: str, answer: Answer) -> GivenJudgment:
    assert answer.verdict is not None
    return GivenJudgment(
        unit_id=unit_id,
        verdict=answer.verdict,
        stance_judged=answer.stance,
        judge=judge,
        annotation=number or None,
        reason=answer.comment,
        answered_at=answer.answered_at,
        seconds=answer.seconds,
    )
