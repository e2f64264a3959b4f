"""Open questions: shipped questions, and questions in tables of a study."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import InputError, examples
from nextset.extensions.ambiguity.passage_lists import open_questions
from nextset.extensions.ambiguity.passages import OpenQuestion
from nextset.files.hidden_controls import hidden_control
from nextset.files.row_files import columns_line, rows_of_file
from nextset.files.similar_column import similar_column
from nextset.records.content_ids import content_id

__all__ = ["REPEATED", "ReadQuestions", "read_questions"]

REPEATED = "repeated questions, merged"
"""The name of the count of questions that are also in an earlier row."""
_COLUMNS = ("question", "occupation", "id", "language")
_USUAL = {"job": "occupation", "jobs": "occupation", "profession": "occupation", "professions": "occupation"}
"""Column names in other data, with nextset's names."""
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]+)*")


@dataclass(frozen=True)
class ReadQuestions:
    """The questions of a study."""

    questions: tuple[OpenQuestion, ...]
    """The questions, each once, in the order of the tables."""
    repeated: int
    """The number of rows that were omitted because an earlier row has the same question."""

    @property
    def texts(self) -> list[str]:
        """The texts of the questions."""
        return [one.question for one in self.questions]


def read_questions(
    sources: Sequence[str], path_of: Callable[[str], Path], language: str, study_file: Path
) -> ReadQuestions:
    """Return the questions of ``sources``: builtin:LANGUAGE, and tables with a column question.

    The columns occupation, id and language may be missing; ``language`` is used for rows without a language.
    Raises StudyError for a table that is not shipped, and InputError with file and line for a wrong row, for
    the same question with a different occupation, and for a repeated id.
    """
    questions: dict[tuple[str, str], OpenQuestion] = {}
    ids: set[str] = set()
    rows = 0
    for question, file, line in _all(sources, path_of, language, study_file):
        rows += 1
        same = (question.language, unicodedata.normalize("NFC", question.question))
        first = questions.setdefault(same, question)
        if first is not question:
            if first.occupation != question.occupation:
                raise InputError(
                    f"{question.question!r:.200} is about {question.occupation!r} here, and about "
                    f"{first.occupation!r} in an earlier row",
                    file=file,
                    line=line,
                    remedy="remove one of the two rows",
                )
            continue
        if question.id in ids:
            raise InputError(
                f"the id {question.id!r:.100} is repeated",
                file=file,
                line=line,
                remedy="give each question its own id",
            )
        ids.add(question.id)
    if not questions:
        raise InputError("there are no questions", remedy="add a row to the tables of questions")
    return ReadQuestions(tuple(questions.values()), rows - len(questions))


Located = tuple[OpenQuestion, Path, int]


def _all(
    sources: Sequence[str], path_of: Callable[[str], Path], language: str, study_file: Path
) -> Iterator[Located]:
    for source in sources:
        if source.startswith("builtin:"):
            shipped = open_questions(source.removeprefix("builtin:"), study_file)
            yield from ((question, study_file, 1) for question in shipped)
        else:
            yield from _of_table(path_of(source), language)


def _of_table(file: Path, language: str) -> Iterator[Located]:
    for i, (line, row) in enumerate(rows_of_file(file, InputError)):
        if i == 0:
            _check_columns(row, file, line)
        yield _question(row, file, line, language), file, line


def _check_columns(row: Mapping[str, Any], file: Path, line: int) -> None:
    for wanted in _COLUMNS:
        others = (name for name in row if name not in _COLUMNS)
        near = next((name for name in others if similar_column(name, [wanted], _USUAL)), None)
        if wanted not in row and (near is not None or wanted == "question"):
            there = f"; it has {examples(row, 12)}"
            remedy = f"rename {near!r} to {wanted}" if near else f"rename the column with the {wanted}"
            raise InputError(
                f"there is no column {wanted!r}{there}",
                file=file,
                line=columns_line(file, line),
                remedy=remedy,
            )


def _question(row: Mapping[str, Any], file: Path, line: int, language: str) -> OpenQuestion:
    def text(name: str, default: str = "") -> str:
        value = row.get(name)
        if name == "id" and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is not None and not isinstance(value, str):
            message = f"{name} is not a text: {value!r:.100}"
            raise InputError(message, file=file, line=line, remedy="write the value as text")
        if value is not None and (hidden := hidden_control(value)) is not None:
            message = f"the control character U+{ord(hidden):04X} in {name}"
            raise InputError(message, file=file, line=line, remedy="remove it")
        if value is None or not value.strip():
            return default
        return value if name == "question" else value.strip()  # models read the question as it is written

    question = text("question")
    if not question:
        raise InputError("the question is empty", file=file, line=line, remedy="write it, or remove the row")
    tag = text("language", language)
    if not _LANGUAGE.fullmatch(tag):
        raise InputError(
            f"{tag!r:.40} is not a language tag", file=file, line=line, remedy="write it like en or pt-BR"
        )
    own = text("id", content_id("open question", tag, question))
    return OpenQuestion(id=own, language=tag, question=question, occupation=text("occupation"))
