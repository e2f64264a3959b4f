"""Units become a file that Label Studio imports, with the page's configuration and guidelines beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.errors import JudgmentError
from nextset.files import write_atomically
from nextset.warning import CONTENT_WARNING
from validation.page.labelling_config import labelling_config

__all__ = ["MAX_CHARACTERS", "TaskFiles", "tasks", "write_tasks"]

MAX_CHARACTERS = 10_000
"""A text that is longer is no sentence that a person can judge."""

_GUIDELINES = Path(__file__).parent / "guidelines" / "en.md"


@dataclass(frozen=True)
class TaskFiles:
    """What was written for Label Studio."""

    tasks: Path
    """The tasks, JSON, to be imported."""
    config: Path
    """The labelling configuration, XML, to be pasted into the project's settings."""
    guidelines: Path
    """What annotators read first."""
    n_tasks: int
    """Tasks, one a unit."""


def tasks(units: pa.Table) -> list[dict[str, Any]]:
    """One task a unit, as Label Studio imports them; no prediction and no stance, so people judge blind.

    Raises JudgmentError when a text has a NUL in it or more than `MAX_CHARACTERS`.
    """
    return [{"data": _data(unit)} for unit in units.to_pylist()]


def write_tasks(path: Path, units: pa.Table) -> TaskFiles:
    """Write ``path``, and labelling_config.xml and guidelines.md beside it: the same units, the same bytes.

    Raises JudgmentError, as `tasks` does, before anything is written.
    """
    made = tasks(units)
    files = TaskFiles(path, path.parent / "labelling_config.xml", path.parent / "guidelines.md", len(made))
    guidelines = _GUIDELINES.read_text(encoding="utf-8").replace("{{warning}}", CONTENT_WARNING)
    write_atomically(files.guidelines, guidelines.encode())
    write_atomically(files.config, labelling_config().encode())
    # ASCII only: marks that turn the direction of text cannot reorder what an editor shows of the file.
    write_atomically(files.tasks, (json.dumps(made, indent=1, ensure_ascii=True) + "\n").encode())
    return files


def _data(unit: Mapping[str, Any]) -> dict[str, str]:
    groups = " / ".join(g for g in (unit["group1"], unit["group2"]) if g) or "none named"
    data = {
        "unit_id": unit["unit_id"],
        "hypothesis": unit["hypothesis"],
        "stereotype": unit["stereotype"],
        "groups": groups,
        "domain": unit["domain"],
        "language": unit["language"],
        "warning": CONTENT_WARNING,
    }
    for name, text in data.items():
        _refuse_hostile(unit["unit_id"], name, text)
    return data


def _refuse_hostile(unit_id: str, name: str, text: str) -> None:
    wrong = None
    if "\0" in text:
        wrong = "has a NUL character in it"
    elif len(text) > MAX_CHARACTERS:
        wrong = f"has {len(text):,} characters, more than {MAX_CHARACTERS:,}"
    if wrong:
        raise JudgmentError(
            f"unit {unit_id}: its {name} {wrong} ({text[:40]!a})",
            remedy="take the item out of the templates or of the imported data",
        )
