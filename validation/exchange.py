"""Without a server: tasks go out as files, judgments come in from files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nextset.hold import hold
from nextset.study import Study
from validation.judgments.label_studio_file import read_label_studio_file
from validation.judgments.log import append
from validation.judgments.pseudonyms import key_name, pseudonym, pseudonym_key
from validation.kept import kept_units, kind_of, page_language
from validation.page.briefing import briefing
from validation.page.tasks import TaskFiles, write_tasks
from validation.session.counting import counted_in

__all__ = ["ImportedJudgments", "export_tasks", "import_judgments"]


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
    """Write out/tasks: Label Studio tasks, the labelling configuration and the guidelines.

    Raises MissingStage before `filter` has run, JudgmentError on a text that cannot be shown.
    """
    with study.held("validate export"):
        session, units = study.settings.validate_.session, kept_units(study)
        told = briefing(kind_of(study), page_language(study, units), session, study.folder)
        premise = bool(session and session.premise)
        return write_tasks(study.out / "tasks" / "tasks.json", told, units.to_pylist(), premise=premise)


def import_judgments(study: Study, file: Path | str) -> ImportedJudgments:
    """Take the judgments of a Label Studio JSON export into the study's log, which only grows.

    People become pseudonyms before anything is kept. Raises JudgmentError when ``file`` is no whole
    export; the log is then as it was.
    """
    file = Path(file)
    with hold(study.judgments, "validate import"):
        known = set(kept_units(study)["unit_id"].to_pylist())
        key = pseudonym_key()
        entries = read_label_studio_file(file, kind_of(study), lambda n: pseudonym(n, key), key_name(key))
        added = append(study.judgments, entries)
        counted = counted_in(study, known)
        here = set(entries)
        problems = [
            (f"annotation {c.entry.annotation or '?'}", c.entry.problem or c.why_not)
            for c in counted
            if c.entry in here and c.why_not not in ("", "superseded")
        ]
        judged = {c.entry.unit_id for c in counted if c.is_verdict}
        return ImportedJudgments(added.new, added.already, tuple(problems), len(known - judged))
