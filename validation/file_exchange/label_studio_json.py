"""Reader for Label Studio's JSON export (not JSON-MIN, not CSV)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nextset.errors import JudgmentError
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.validation.judgment_choices import StudyKind
from nextset.validation.judgments.entry_from_annotation import entry_of
from nextset.validation.judgments.log_entry import Entry

__all__ = ["read_label_studio_file"]

_REMEDY = "export the project again from Label Studio, in the format JSON"


def read_label_studio_file(
    path: Path, kind: StudyKind, pseudonym: Callable[[str], str], key: str
) -> list[Entry]:
    """The annotations of an export, in the order of the file; ``pseudonym`` makes one of an account's number.

    What cannot be read as an answer becomes an entry that is invalid. Raises JudgmentError when the file is
    cut short, is no JSON, or is no such export.
    """
    return [
        entry_of(
            annotation,
            kind=kind,
            session="",
            project="",
            unit_id=unit_id,
            pseudonym=pseudonym,
            key=key,
            guidelines="",
        )
        for unit_id, annotation in _annotations(path, _load(path))
    ]


def _load(path: Path) -> list[Any]:
    """The tasks of an export."""
    try:
        data = parse_foreign_json(path.read_bytes().decode("utf-8-sig"))
    except OSError as e:
        raise JudgmentError(
            f"cannot be read: {e.strerror}", file=path, remedy="name the exported file"
        ) from None
    except UnicodeDecodeError as e:
        line = e.object[: e.start].count(b"\n") + 1
        raise JudgmentError(
            "the file is cut off or is not UTF-8", file=path, line=line, remedy=_REMEDY
        ) from None
    except ForeignJsonError as e:
        raise JudgmentError(
            f"the file is cut off or changed: {e}", file=path, line=e.line, remedy=_REMEDY
        ) from None
    if not isinstance(data, list):
        raise JudgmentError("the file does not hold a list of tasks", file=path, remedy=_REMEDY)
    return data


def _annotations(path: Path, tasks: list[Any]) -> Iterator[tuple[str, object]]:
    """Unit and annotation."""
    for i, task in enumerate(tasks, 1):
        if not (isinstance(task, dict) and isinstance(task.get("annotations"), list)):
            raise JudgmentError(f"task #{i} has no list of annotations", file=path, remedy=_REMEDY)
        data = task.get("data")
        unit_id = data.get("unit_id") if isinstance(data, dict) else None
        for annotation in task["annotations"]:
            yield (unit_id if isinstance(unit_id, str) else ""), annotation
