"""A study's questions with several right answers: builtin:LANGUAGE, published files, tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from nextset.errors import ImportedDataError, StudyError, WordListError
from nextset.extensions.ambiguity.questions.eponymous_yaml import read_eponymous
from nextset.extensions.ambiguity.questions.person_tables import table_questions
from nextset.extensions.ambiguity.questions.published_eponymous import is_published_row, published_questions
from nextset.extensions.ambiguity.questions.source_questions import SourceQuestion
from nextset.files.row_files import rows_of_file
from nextset.files.unchanged_bytes import unchanged_bytes
from nextset.generation.snapshot_names import named_snapshots
from nextset.records.class_labels import untyped_table
from nextset.word_lists import FOLDER

__all__ = ["MAX_CONTEXT", "LoadedAmbiguousQuestions", "load_ambiguous_questions"]

MAX_CONTEXT = 50_000
"""The most characters of a context; a reader reads this many in some hundred windows."""
_FOLDER = "eponymous"


@dataclass(frozen=True)
class LoadedAmbiguousQuestions:
    """The questions of a study, and the bytes of every file that they were read from."""

    questions: tuple[SourceQuestion, ...]
    """The questions, in the order of the files; equal questions are not merged yet."""
    files: dict[Path, bytes]
    """The content of each file."""


def load_ambiguous_questions(
    entries: tuple[str, ...],
    attribute: str,
    language: str,
    resolve: Callable[[str], Path],
    study_file: Path,
) -> LoadedAmbiguousQuestions:
    """Read the questions that ``entries`` name; tables without a column language are in ``language``.

    Raises StudyError for an unknown entry, and InputErrors with file and line for a file that cannot be read
    or changes meanwhile, and for a context of more than `MAX_CONTEXT` characters.
    """
    paths = dict(file for entry in entries for file in _files(entry, resolve, study_file))
    raw: dict[Path, bytes] = {}
    questions: list[SourceQuestion] = []
    names = named_snapshots(dict.fromkeys(paths, b""))
    for (path, origin), name in zip(paths.items(), names, strict=True):
        with unchanged_bytes(path, WordListError if _is_yaml(path) else ImportedDataError) as raw[path]:
            questions += _read(path, origin or name, attribute, language)
    for question in questions:
        _check_length(question)
    return LoadedAmbiguousQuestions(tuple(questions), raw)


def _files(entry: str, resolve: Callable[[str], Path], study_file: Path) -> list[tuple[Path, str]]:
    """Return an entry's files, each with the origin of its questions; empty if the file is the origin."""
    if not entry.startswith("builtin:"):
        return [(resolve(entry), "")]
    shipped = {f"builtin:{f.parent.name}": f for f in sorted(FOLDER.glob(f"*/{_FOLDER}"))}
    if entry not in shipped:
        raise StudyError(
            f"ambiguity.selectional.questions: nextset has no questions {entry!r}",
            file=study_file,
            remedy=f"use {', '.join(shipped)}, or name a file",
        )
    return [(file, entry) for file in sorted(shipped[entry].glob("*.yaml"))]


def _is_yaml(path: Path) -> bool:
    return path.suffix.lower() in (".yaml", ".yml")


def _read(path: Path, origin: str, attribute: str, language: str) -> tuple[SourceQuestion, ...]:
    if _is_yaml(path):
        return read_eponymous(path, origin, attribute)
    listed = rows_of_file(path, ImportedDataError, prepare=untyped_table)
    first = next(listed, None)
    if first is None:
        raise ImportedDataError("the file has no rows", file=path, remedy="add at least one question")
    if is_published_row(first[1]):
        return published_questions(path, origin, chain([first], listed), attribute)
    return table_questions(path, origin, chain([first], listed), attribute, language)


def _check_length(question: SourceQuestion) -> None:
    """Raise ImportedDataError for a context that is too long: it is searched for people many times."""
    if len(question.context) > MAX_CONTEXT:
        raise ImportedDataError(
            f"the context has {len(question.context):,} characters, more than {MAX_CONTEXT:,}",
            file=question.file,
            line=question.line,
            remedy="use only the part of the text that names the people",
        )
