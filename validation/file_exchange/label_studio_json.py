"""Reader for Label Studio's JSON export (not JSON-MIN, not CSV)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nextset.errors import JudgmentError
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.files.regular_file import require_file
from nextset.validation.annotator_pages.page_form import PageForm
from nextset.validation.file_exchange.unit_texts import foreign_text
from nextset.validation.judgments.annotation import entry_of, time_of
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.timestamps import is_future

__all__ = ["read_label_studio_file"]

_REMEDY = "export the project again from Label Studio, in the format JSON"


def read_label_studio_file(
    path: Path,
    form: PageForm,
    units: Mapping[str, Mapping[str, Any]],
    pseudonym: Callable[[str], str],
    key: str,
) -> list[Entry]:
    """Return the annotations of an export, in the order of the file; ``pseudonym`` maps an account's number.

    ``units`` are the study's, by unit_id. An annotation that cannot be read, or has the text of a different
    unit, becomes an invalid entry. Raises JudgmentError if the file is cut short, is not JSON or not such an
    export, or has a time that is not in ISO 8601 or is in the future.
    """
    entries = []
    for data, annotation in _annotations(path, _load(path)):
        unit_id = data.get("unit_id")
        unit_id = unit_id if isinstance(unit_id, str) else ""
        entry = entry_of(
            annotation,
            form=form,
            session="",
            project="",
            unit_id=unit_id,
            pseudonym=pseudonym,
            key=key,
            guidelines="",
        )
        name = foreign_text(form, data, units[unit_id]) if unit_id in units else ""
        entries.append(_spoilt(entry, f"the {name} does not match its unit_id") if name else entry)
    return entries


def _spoilt(entry: Entry, problem: str) -> Entry:
    return replace(
        entry,
        outcome="invalid",
        verdict=None,
        stance_judged=None,
        underspecified=None,
        grammatical=None,
        free_of_hint=None,
        problem=problem,
    )


def _load(path: Path) -> list[Any]:
    """Return the tasks of an export."""
    try:
        require_file(path, JudgmentError, "give the path of the exported file")
        data = parse_foreign_json(path.read_bytes().decode("utf-8-sig"))
    except OSError as e:
        raise JudgmentError(
            f"cannot be read: {e.strerror}", file=path, remedy="give the path of the exported file"
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
        raise JudgmentError("the file does not contain a list of tasks", file=path, remedy=_REMEDY)
    return data


def _annotations(path: Path, tasks: list[Any]) -> Iterator[tuple[Mapping[str, Any], object]]:
    """Yield each annotation, after the data of its task."""
    for i, task in enumerate(tasks, 1):
        if not (isinstance(task, dict) and isinstance(task.get("annotations"), list)):
            raise JudgmentError(f"task #{i} has no list of annotations", file=path, remedy=_REMEDY)
        data = task.get("data")
        for annotation in task["annotations"]:
            _check_time(path, i, annotation)
            yield (data if isinstance(data, dict) else {}), annotation


def _check_time(path: Path, task: int, annotation: object) -> None:
    if isinstance(annotation, dict):
        try:
            wrong = "in the future" if is_future(time_of(annotation)) else ""
        except ValueError:
            wrong = "not a time in ISO 8601"
        if wrong:
            written = ascii(annotation["updated_at"])[:60]
            raise JudgmentError(
                f"task #{task} has an annotation whose updated_at is {wrong}: {written}",
                file=path,
                remedy=f"{_REMEDY}; nothing was imported",
            )
