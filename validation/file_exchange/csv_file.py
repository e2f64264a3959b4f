"""Tasks and judgments as CSV, for people who work without a server."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nextset.counted import counted
from nextset.errors import JudgmentError, examples
from nextset.files.atomic_files import write_atomically
from nextset.files.separated_rows import separated_rows, sheet_text
from nextset.files.similar_column import similar_column
from nextset.files.spreadsheet_cells import neutralised
from nextset.records.short_repr import short_repr
from nextset.study.stereotype_sentences import SENTENCE_COLUMNS
from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.page_form import PageForm
from nextset.validation.annotator_pages.tasks import opposite_if_unstated, tasks
from nextset.validation.file_exchange.unit_texts import foreign_text, missing_texts
from nextset.validation.judgments.answer import Answer, NotAnAnswer, unknown_choice
from nextset.validation.judgments.pseudonyms import identity
from nextset.validation.judgments.unsafe_text import MAX_CHARACTERS, text_problem
from nextset.validation.timestamps import is_future, read_timestamp

__all__ = ["CsvAnswer", "CsvAnswers", "CsvFile", "answer_columns", "needed_columns", "read_csv", "write_csv"]

MAX_BYTES = 200_000_000
"""The largest size of a file of judgments, in bytes."""
_NAMED = 5
"""The number of wrong times that an error lists; the others are only counted."""


@dataclass(frozen=True, slots=True)
class CsvAnswer:
    """A row of a file of judgments."""

    line: int
    """The line where the row begins, from 1."""
    unit_id: str
    """The unit that was judged."""
    judge: str
    """The annotator as named in the file; must become a pseudonym at once."""
    answer: Answer
    """The answer; if the row is wrong, its outcome is invalid and it has a problem."""


@short_repr
@dataclass(frozen=True, slots=True)
class CsvAnswers:
    """The rows of a file of judgments."""

    answers: tuple[CsvAnswer, ...]
    """The rows with an answer."""
    unanswered: tuple[int, ...]
    """The lines of the rows without an answer."""
    ignored: tuple[str, ...] = ()
    """The columns that were not read."""
    unchecked: tuple[str, ...] = ()
    """The missing columns of judged texts, so that some answers could not be compared with their unit."""


@short_repr
@dataclass(frozen=True, slots=True)
class CsvFile:
    """The files that were written."""

    path: Path
    """The file, to be filled in and read with `read_csv`."""
    guidelines: Path
    """The guidelines, which annotators read first: a spreadsheet has no page for them."""
    answers: Mapping[str, tuple[str, ...]]
    """The words that are allowed in each column of answers."""
    n_tasks: int
    """The number of rows, one per unit."""


def answer_columns(form: PageForm) -> tuple[str, ...]:
    """Return the columns that people fill in."""
    return ("judge", *form.answer_blocks, "reason", "comment", "answered_at")


def needed_columns(form: PageForm) -> tuple[str, ...]:
    """Return the columns that a file must have; other columns may be missing."""
    return ("unit_id", "judge", *form.answer_blocks)


def write_csv(
    path: Path, briefing: Briefing, rows: Sequence[Mapping[str, Any]], *, premise: bool = False
) -> CsvFile:
    """Write the tasks with empty columns for the answers, in UTF-8 with a byte order mark, for spreadsheets.

    Next to the file, guidelines.md is written, with the content warning. A text that a spreadsheet would take
    for a formula begins with an apostrophe. Raises JudgmentError, before anything is written, if a text
    cannot be shown, or if somebody has filled in the file.
    """
    form = briefing.form
    opposite = opposite_if_unstated(briefing, rows)
    made = [task["data"] for task in tasks(form, rows, premise=premise, opposite=opposite)]
    sentences = () if opposite is None else SENTENCE_COLUMNS
    names = (*form.fields(premise=premise), *sentences, *answer_columns(form))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, restval="")
    writer.writeheader()
    writer.writerows({name: neutralised(text) for name, text in row.items()} for row in made)
    if path.is_file() and read_csv(path, form, {}).answers:
        raise JudgmentError(
            "the file has answers, which new tasks would replace",
            file=path,
            remedy="import the answers with `nextset validate import`, and move the file away",
        )
    guidelines = path.parent / "guidelines.md"
    write_atomically(guidelines, briefing.guidelines.encode())
    write_atomically(path, b"\xef\xbb\xbf" + out.getvalue().encode())
    answers = {column: tuple(words) for column, words in form.choices.items()}
    return CsvFile(path, guidelines, answers, len(made))


def read_csv(path: Path, form: PageForm, units: Mapping[str, Mapping[str, Any]]) -> CsvAnswers:
    """Return the answers in a file with `needed_columns`, and perhaps other `answer_columns` or task columns.

    ``units`` are the study's, by unit_id. A row that is wrong, or has the text of a different unit, has the
    outcome invalid and a problem. Raises JudgmentError if the file cannot be read, lacks a column, has a
    column that is probably misspelled, or has a time that is not in ISO 8601 or is in the future.
    """
    text = sheet_text(path, JudgmentError, MAX_BYTES, "give the path of a CSV file")
    rows = separated_rows(text, path, JudgmentError, sheet=True)
    _, header = next(rows, (1, []))
    ignored = _ignored_columns(path, form, header)
    answers: list[CsvAnswer] = []
    unanswered: list[int] = []
    no_times: dict[int, str] = {}
    future: dict[int, str] = {}
    unchecked: dict[str, None] = {}
    for line, cells in rows:
        texts = {name: text.strip() for name, text in zip(header, cells, strict=True) if name}
        if any(texts.get(name) for name in answer_columns(form) if name not in ("judge", "answered_at")):
            answer, written = _answer(form, texts, units), texts.get("answered_at", "")
            try:
                answer = replace(answer, answered_at=read_timestamp(written) if written else "")
            except ValueError:
                no_times[line] = written
            if is_future(answer.answered_at):
                future[line] = written
            unchecked |= dict.fromkeys(missing_texts(form, texts))
            answers.append(CsvAnswer(line, texts["unit_id"], texts["judge"], answer))
        else:
            unanswered.append(line)
    if no_times:
        raise _wrong_times(path, "not a time in ISO 8601", no_times)
    if future:
        raise _wrong_times(path, "in the future", future)
    return CsvAnswers(tuple(answers), tuple(unanswered), ignored, tuple(unchecked))


def _wrong_times(path: Path, what: str, written: Mapping[int, str]) -> JudgmentError:
    first, *others = [f"{text[:40]!a} in line {line}" for line, text in written.items()]
    more = others[: _NAMED - 1] + (
        [f"and in {counted(len(others) - _NAMED + 1, 'more lines', 'more line')}"] if others[4:] else []
    )
    return JudgmentError(
        f"answered_at is {what}: {', '.join([first, *more])}",
        file=path,
        line=next(iter(written)),
        remedy="write the time as 2026-11-21 10:00, or leave it empty; nothing was imported",
    )


def _answer(form: PageForm, texts: Mapping[str, str], units: Mapping[str, Mapping[str, Any]]) -> Answer:
    try:
        if texts["unit_id"] not in units:
            raise NotAnAnswer("the unit is not in this study")
        if name := foreign_text(form, texts, units[texts["unit_id"]]):
            raise NotAnAnswer(f"the {name} does not match its unit_id")
        if not identity(texts["judge"]):
            raise NotAnAnswer("the row does not name its judge")
        given: dict[str, str | None] = {}
        for block, known in form.choices.items():
            # a spreadsheet in Turkish turns an i at the start of a cell into İ
            choice = texts.get(block, "").replace("İ", "i").lower()
            if choice and choice not in known:
                raise unknown_choice(block, texts[block], known)
            given[block] = choice or None
        form.check_cells(given)
        answer = form.answered(given, texts["unit_id"])
    except NotAnAnswer as e:
        answer = Answer(outcome="invalid", problem=str(e))
    comment = texts.get("comment", "")
    return replace(answer, comment="" if text_problem(comment[:MAX_CHARACTERS]) else comment[:MAX_CHARACTERS])


def _ignored_columns(path: Path, form: PageForm, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that are not read; raises JudgmentError if the columns are wrong."""
    sentences = SENTENCE_COLUMNS if form.states_stereotype else ()
    known = dict.fromkeys((*form.fields(), *form.fields(premise=True), *sentences, *answer_columns(form)))
    ignored = tuple(name for name in names if name and name not in known)
    for name in ignored:
        if ours := similar_column(name, [c for c in known if c not in names]):
            raise JudgmentError(
                f"the column {name!r} is not one of nextset's, but looks like {ours}", file=path, line=1,
                remedy=f"rename it to {ours}; if it should be ignored, give it a less similar name",
            )  # fmt: skip
    if missing := [repr(name) for name in needed_columns(form) if name not in names]:
        what = "the column {} is missing" if len(missing) == 1 else "the columns {} are missing"
        raise JudgmentError(
            what.format(examples(missing)), file=path, line=1,
            remedy="fill in the file that `nextset validate export STUDY --for csv` writes",
        )  # fmt: skip
    return ignored
