"""Without a server: tasks go out as files, judgments come in from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.hold import hold
from nextset.study import Study
from nextset.validation.judgments.annotation import digest
from nextset.validation.judgments.entry import Entry
from nextset.validation.judgments.label_studio_file import read_label_studio_file
from nextset.validation.judgments.log import append
from nextset.validation.judgments.pseudonyms import key_name, pseudonym, pseudonym_key
from nextset.validation.kept import kept_units, kind_of, need_people, page_language
from nextset.validation.page.briefing import Briefing, briefing
from nextset.validation.page.csv_file import CsvAnswer, CsvFile, read_csv, write_csv
from nextset.validation.page.potato import PotatoFiles, write_potato
from nextset.validation.page.tasks import TaskFiles, write_tasks
from nextset.validation.session.counting import counted_in
from nextset.validation.session.people import identity

__all__ = ["ImportedJudgments", "export_csv", "export_potato", "export_tasks", "import_judgments"]


@dataclass(frozen=True)
class ImportedJudgments:
    """What a file brought into the study's log."""

    new: int
    """Answers added."""
    already: int
    """Answers that the log had."""
    problems: tuple[tuple[str, str], ...]
    """Answers of the file that do not count, and why; they are kept in the log too."""
    waiting: int
    """Units that nobody has judged yet."""


def export_tasks(study: Study) -> TaskFiles:
    """Write out/tasks for Label Studio: the tasks, the labelling configuration and the guidelines.

    Raises MissingStage before `filter` has run, JudgmentError on a text that cannot be shown.
    """
    with study.held("validate export"):
        shown = _shown(study)
        return write_tasks(_folder(study) / "tasks.json", shown.told, shown.rows, premise=shown.premise)


def export_csv(study: Study) -> CsvFile:
    """Write out/tasks/tasks.csv, to be filled in, and guidelines.md; errors as in `export_tasks`."""
    with study.held("validate export"):
        shown = _shown(study)
        return write_csv(_folder(study) / "tasks.csv", shown.told, shown.rows, premise=shown.premise)


def export_potato(study: Study) -> PotatoFiles:
    """Write out/tasks/potato, a project for the annotation tool Potato; errors as in `export_tasks`."""
    with study.held("validate export"):
        shown = _shown(study)
        return write_potato(_folder(study) / "potato", shown.told, shown.rows, premise=shown.premise)


@dataclass(frozen=True)
class _Shown:
    told: Briefing
    rows: Sequence[Mapping[str, Any]]
    premise: bool


def _shown(study: Study) -> _Shown:
    session, units = study.settings.validate_.session, kept_units(study)
    told = briefing(kind_of(study), page_language(study, units), session, study.path)
    return _Shown(told, units.to_pylist(), bool(session and session.premise))


def _folder(study: Study) -> Path:
    return study.out / "tasks"


def import_judgments(study: Study, file: Path | str) -> ImportedJudgments:
    """Take the judgments of a Label Studio JSON export, or of a CSV file, into the study's log.

    People become pseudonyms before anything is kept. Raises JudgmentError when ``file`` is no whole export or
    table, StudyError where a rule judges; the log is then as it was.
    """
    need_people(study)
    file = Path(file)
    with hold(study.judgments, "validate import"):
        known = frozenset(kept_units(study)["unit_id"].to_pylist())
        key = pseudonym_key()
        if file.suffix.lower() == ".csv":
            entries = [_entry(row, key) for row in read_csv(file, kind_of(study), known)]
        else:
            entries = read_label_studio_file(
                file, kind_of(study), lambda number: pseudonym(number, key), key_name(key)
            )
        added = append(study.judgments, entries)
        counted = counted_in(study, known)
        here = set(entries)
        problems = [
            (_place(c.entry), c.entry.problem or c.why_not)
            for c in counted
            if c.entry in here and c.why_not not in ("", "superseded")
        ]
        judged = {c.entry.unit_id for c in counted if c.is_verdict}
        return ImportedJudgments(added.new, added.already, tuple(problems), len(known - judged))


def _entry(row: CsvAnswer, key: bytes) -> Entry:
    answer = row.answer
    said = (answer.outcome, answer.verdict, answer.stance, answer.underspecified, answer.grammatical)
    return Entry(
        session="",
        project="",
        annotation=f"#{row.line}",
        digest=digest([*said, answer.free_of_hint, answer.reason, answer.comment]),
        answered_at=answer.answered_at,
        unit_id=row.unit_id,
        judge=pseudonym(identity(row.judge), key) if row.judge else "",
        key=key_name(key),
        outcome=answer.outcome,
        verdict=answer.verdict,
        stance_judged=answer.stance,
        underspecified=answer.underspecified,
        grammatical=answer.grammatical,
        free_of_hint=answer.free_of_hint,
        reason=answer.reason,
        comment=answer.comment,
        problem=answer.problem,
        seconds=answer.seconds,
        guidelines="",
    )


def _place(entry: Entry) -> str:
    number = entry.annotation
    return f"line {number[1:]}" if number.startswith("#") else f"annotation {number or '?'}"
