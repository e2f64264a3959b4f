"""Import of judgments from files: a Label Studio JSON export, or CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nextset.errors import JudgmentError
from nextset.files.folder_lock import locked_folder
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study
from nextset.validation.annotator_pages.page_form import PageForm
from nextset.validation.file_exchange.csv_file import CsvAnswer, read_csv
from nextset.validation.file_exchange.label_studio_json import read_label_studio_file
from nextset.validation.forms.validated_form import judged_form
from nextset.validation.judgments.annotation import digest
from nextset.validation.judgments.judgment_log import Author, append, author_of, read, state_of
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.judgments.pseudonyms import identity, key_name, pseudonym, pseudonym_key
from nextset.validation.plan.counting_rules import Counted, count
from nextset.validation.plan.event_log import read_events
from nextset.validation.plan.state import fold
from nextset.validation.session.join_and_leave import forget_withdrawn
from nextset.validation.study_units import kept_units, need_annotators

__all__ = ["ImportedAnnotator", "ImportedJudgments", "import_judgments"]


@dataclass(frozen=True)
class ImportedAnnotator:
    """An annotator with answers in a file."""

    name: str
    """The name or e-mail in the file, or the account's number: printed for the organiser, never stored."""
    person: str
    """The pseudonym."""


@short_repr
@dataclass(frozen=True)
class ImportedJudgments:
    """The result of importing a file into the study's log."""

    file: str
    """The path of the file."""
    answers: int
    """The number of answers in the file: ``new`` plus ``already`` plus ``repeated``, and also ``counting``
    plus ``problems``."""
    new: int
    """The number of answers added."""
    already: int
    """The number of answers that the log already had."""
    counting: int
    """The number of answers in the file that count."""
    problems: tuple[tuple[str, str], ...]
    """The answers in the file that do not count, with the reason."""
    wrong: int
    """The number of problems that are mistakes: unreadable, of another study, or without an annotator."""
    unanswered: tuple[int, ...]
    """The lines of a CSV file without an answer."""
    ignored: tuple[str, ...]
    """The columns of a CSV file that were not read."""
    unchecked: tuple[str, ...]
    """The columns that a CSV file lacks, so that it cannot be checked whether answers have the right unit."""
    replaced: int
    """The number of earlier answers that no longer count, since the same annotator has answered again."""
    waiting: int
    """The number of units that have not been judged yet."""
    people: tuple[ImportedAnnotator, ...]
    """The annotators, in the order of the file."""
    changed: tuple[str, ...] = ()
    """The answers that count although the file says that someone other than the author changed them last."""
    erased: int = 0
    """The number of further answers in the file that were not added, since the person was erased."""
    repeated: int = 0
    """The number of answers that were added once, and are in the file more than once."""


@dataclass(frozen=True)
class _File:
    """A file that was read."""

    entries: Sequence[Entry]
    """The answers, in the order of the file."""
    unanswered: tuple[int, ...]
    """The lines of a table without an answer."""
    names: Mapping[str, str]
    """The file's name for each annotator, by pseudonym."""
    ignored: tuple[str, ...] = ()
    """The columns of a table that were not read."""
    unchecked: tuple[str, ...] = ()
    """The columns of judged texts that a table lacks."""


@of_study
def import_judgments(study: Study, file: Path | str) -> ImportedJudgments:
    """Add the judgments of a Label Studio JSON export, or of a CSV file, to the study's log.

    Annotators become pseudonyms first. Raises JudgmentError if ``file`` is not a complete export or table,
    StudyError if a rule judges; the log is then unchanged.
    """
    need_annotators(study.settings.validate_, study.file)
    file = Path(file)
    with locked_folder(study.judgments, "validate import"):
        units = {
            row["unit_id"]: row
            for row in kept_units(study.out, study.filter, study.settings.validate_.unit).to_pylist()
        }
        imported = _read(
            file, judged_form(study.filter.form, study.settings.validate_.unit), units, pseudonym_key()
        )
        state = fold(read_events(study.judgments).events)
        log = read(study.judgments)
        before = count(log.entries, state, units)
        everything = imported.entries
        gone = [any(e.includes(entry) for e in log.erasures) for entry in everything]
        kept = [entry for entry, erased in zip(everything, gone, strict=True) if not erased]
        imported = replace(imported, entries=kept)
        added = append(study.judgments, imported.entries)
        after = count(read(study.judgments).entries, state, units)
        forget_withdrawn(study.judgments, state)
        problems, here = _problems(imported.entries, after), set(imported.entries)
        judged = {c.entry.unit_id for c in after if c.is_verdict}
        return ImportedJudgments(
            file=str(file),
            answers=len(imported.entries),
            new=added.new,
            already=added.already - added.repeated,
            repeated=added.repeated,
            counting=len(imported.entries) - len(problems),
            problems=tuple(problems),
            wrong=sum(entry.outcome == "invalid" for entry in imported.entries),
            unanswered=imported.unanswered,
            ignored=imported.ignored,
            unchecked=imported.unchecked,
            replaced=sum(
                old.counts and not new.counts for old, new in zip(before, after[: len(before)], strict=True)
            ),
            erased=sum(gone),
            changed=tuple(
                _place(c.entry) for c in after if c.entry.changed_by and c.counts and c.entry in here
            ),
            waiting=len(units.keys() - judged),
            people=tuple(ImportedAnnotator(name, person) for person, name in imported.names.items()),
        )


def _read(file: Path, form: PageForm, units: Mapping[str, Mapping[str, Any]], key: bytes) -> _File:
    names: dict[str, str] = {}
    if file.suffix.lower() == ".csv":
        rows = read_csv(file, form, units)
        entries = [_entry(row, key) for row in rows.answers]
        for row, entry in zip(rows.answers, entries, strict=True):
            if entry.judge:
                names.setdefault(entry.judge, row.judge)
        return _File(entries, rows.unanswered, names, rows.ignored, rows.unchecked)
    if file.suffix.lower() != ".json":
        raise JudgmentError(
            "only files that end in .csv or .json can be imported",
            file=file,
            remedy="save the judgments as CSV with the columns of `nextset validate export --for csv`, or "
            "export them from Label Studio in the format JSON",
        )

    def of_account(number: str) -> str:
        person = pseudonym(number, key)
        names[person] = f"account {number}"
        return person

    exported = read_label_studio_file(file, form, units, of_account, key_name(key))
    authors = {entry.judge for entry in exported}
    return _File(exported, (), {person: name for person, name in names.items() if person in authors})


def _problems(entries: Sequence[Entry], counted: Sequence[Counted]) -> list[tuple[str, str]]:
    """Return the answers of a file that do not count, with the reason, in order; one of equal ones counts."""
    places: dict[str, dict[Author, int]] = {}
    for i, c in enumerate(counted):
        places.setdefault(state_of(c.entry), {})[author_of(c.entry)] = i
    said = {_said(c.entry): i for i, c in enumerate(counted)}
    rows = [e for e in entries if e.number == "#" and e.outcome != "invalid"]
    last = {(e.unit_id, e.judge): e for e in rows}
    problems = []
    seen: set[int] = set()
    for entry in entries:
        later = last.get((entry.unit_id, entry.judge), entry) if entry.number == "#" else entry
        place = _place_in_log(entry, places)
        if place is None and entry.changed_by:
            place = said.get(_said(entry))  # the change left the answer as it was
        if entry.problem:
            why = entry.problem
        elif later is not entry:
            differently = "" if later.digest == entry.digest else ", differently"
            why = f"the same annotator answers this unit again in {_place(later)}{differently}"
        elif place is None or counted[place].why_not == "superseded":
            why = "a later answer replaces it"
        elif counted[place].counts and place in seen:
            why = "the file has this annotation more than once"
        else:
            why = counted[place].why_not
            seen.add(place)
        if why:
            problems.append((_place(entry), why))
    return problems


def _said(entry: Entry) -> tuple[object, ...]:
    return entry.session, entry.number, entry.unit_id, entry.judge, entry.answer


def _place_in_log(entry: Entry, places: Mapping[str, Mapping[Author, int]]) -> int | None:
    """Return the entry's place in the log, by this author or one with a different key; None if not added."""
    by_author, author = places.get(state_of(entry), {}), author_of(entry)
    others = (place for other, place in by_author.items() if other[1] != author[1])
    return by_author[author] if author in by_author else next(others, None)


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
        judge=pseudonym(identity(row.judge), key) if identity(row.judge) else "",
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
