"""Import of judgments from files: a Label Studio JSON export, or CSV."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nextset.files.folder_lock import locked_folder
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study
from nextset.validation.counted_answers import counted_entries
from nextset.validation.file_exchange.csv_file import CsvAnswer, read_csv
from nextset.validation.file_exchange.label_studio_json import read_label_studio_file
from nextset.validation.judgments.annotation import digest
from nextset.validation.judgments.judgment_log import append
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.judgments.pseudonyms import key_name, pseudonym, pseudonym_key
from nextset.validation.plan.event_log import read_events
from nextset.validation.plan.state import fold
from nextset.validation.session.annotators import identity
from nextset.validation.study_units import kept_units, need_annotators, study_kind

__all__ = ["ImportedAnnotator", "ImportedJudgments", "import_judgments"]


@dataclass(frozen=True)
class ImportedAnnotator:
    """An annotator whose answers a file has."""

    name: str
    """The name or e-mail in the file, or the account's number: printed for the organiser, never kept."""
    person: str
    """The pseudonym."""


@short_repr
@dataclass(frozen=True)
class ImportedJudgments:
    """The result of importing a file into the study's log."""

    new: int
    """Answers added."""
    already: int
    """Answers that the log already had."""
    problems: tuple[tuple[str, str], ...]
    """Answers of the file that do not count, and why; they are kept in the log too."""
    waiting: int
    """Units that have not been judged yet."""
    people: tuple[ImportedAnnotator, ...]
    """The annotators of the file, in its order."""


@of_study
def import_judgments(study: Study, file: Path | str) -> ImportedJudgments:
    """Add the judgments of a Label Studio JSON export, or of a CSV file, to the study's log.

    Annotators become pseudonyms before anything is stored. Raises JudgmentError if ``file`` is not a whole
    export or table, StudyError if a rule judges; the log is then unchanged.
    """
    need_annotators(study.settings.validate_, study.file)
    file = Path(file)
    with locked_folder(study.judgments, "validate import"):
        known = frozenset(kept_units(study.out / "filter", study.filter)["unit_id"].to_pylist())
        key, kind = pseudonym_key(), study_kind(study.filter.form)
        named: dict[str, str] = {}
        if file.suffix.lower() == ".csv":
            rows = read_csv(file, kind, known)
            entries = [_entry(row, key) for row in rows]
            for row, entry in zip(rows, entries, strict=True):
                if row.judge:
                    named.setdefault(entry.judge, row.judge)
        else:

            def of_account(number: str) -> str:
                person = pseudonym(number, key)
                named[person] = f"account {number}"
                return person

            entries = read_label_studio_file(file, kind, of_account, key_name(key))
        added = append(study.judgments, entries)
        state = fold(read_events(study.judgments).events)
        counted = counted_entries(study.judgments, state, known)
        here = set(entries)
        problems = [
            (_place(c.entry), c.entry.problem or c.why_not)
            for c in counted
            if c.entry in here and c.why_not not in ("", "superseded")
        ]
        judged = {c.entry.unit_id for c in counted if c.is_verdict}
        people = tuple(ImportedAnnotator(name, person) for person, name in named.items())
        return ImportedJudgments(added.new, added.already, tuple(problems), len(known - judged), people)


def _entry(row: CsvAnswer, key: bytes) -> Entry:
    answer = row.answer
    given = (answer.outcome, answer.verdict, answer.stance, answer.underspecified, answer.grammatical)
    return Entry(
        session="",
        project="",
        annotation=f"#{row.line}",
        digest=digest([*given, answer.free_of_hint, answer.reason, answer.comment]),
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
