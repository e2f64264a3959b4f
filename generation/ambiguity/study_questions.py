"""The questions with several right answers that a study names: builtin:LANGUAGE, published files, tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import ImportedDataError, StudyError
from nextset.files.row_files import FileRow, rows_of_file
from nextset.generation.ambiguity.eponymous_yaml import read_eponymous
from nextset.generation.ambiguity.person_tables import table_questions
from nextset.generation.ambiguity.published_eponymous import is_published_row, published_questions
from nextset.generation.ambiguity.source_questions import SourceQuestion
from nextset.generation.snapshot_names import named_snapshots
from nextset.word_lists import FOLDER

__all__ = ["LoadedAmbiguousQuestions", "load_ambiguous_questions"]

_FOLDER = "eponymous"


@dataclass(frozen=True)
class LoadedAmbiguousQuestions:
    """The questions of a study, and the bytes of every file that they come from."""

    questions: tuple[SourceQuestion, ...]
    """The questions, in the order of the files; equal ones are not merged yet."""
    files: dict[Path, bytes]
    """The content of each file."""


def load_ambiguous_questions(
    entries: tuple[str, ...],
    attribute: str,
    language: str,
    resolve: Callable[[str], Path],
    study_file: Path,
) -> LoadedAmbiguousQuestions:
    """Read the questions that ``entries`` name; ``language`` is that of tables without a column language.

    Raises StudyError for an unknown entry, and InputErrors with file and line for what cannot be read.
    """
    paths = dict(file for entry in entries for file in _files(entry, resolve, study_file))
    raw: dict[Path, bytes] = {}
    found: list[SourceQuestion] = []
    names = named_snapshots(dict.fromkeys(paths, b""))
    for (path, origin), name in zip(paths.items(), names, strict=True):
        found += _read(path, origin or name, attribute, language)
        raw[path] = path.read_bytes()
    return LoadedAmbiguousQuestions(tuple(found), raw)


def _files(entry: str, resolve: Callable[[str], Path], study_file: Path) -> list[tuple[Path, str]]:
    """Return the files of an entry, each with the origin of its questions; empty for that of the file."""
    if not entry.startswith("builtin:"):
        return [(resolve(entry), "")]
    shipped = {f"builtin:{f.parent.name}": f for f in sorted(FOLDER.glob(f"*/{_FOLDER}"))}
    if entry not in shipped:
        raise StudyError(
            f"ambiguity.selectional.questions: there are no questions {entry!r}",
            file=study_file,
            remedy=f"use {', '.join(shipped)}, or name a file",
        )
    return [(file, entry) for file in sorted(shipped[entry].glob("*.yaml"))]


def _read(path: Path, origin: str, attribute: str, language: str) -> tuple[SourceQuestion, ...]:
    if path.suffix.lower() in (".yaml", ".yml"):
        return read_eponymous(path, origin, attribute)
    listed = rows_of_file(path, ImportedDataError)
    first = next(listed, None)
    if first is None:
        raise ImportedDataError("the file has no rows", file=path, remedy="add at least one question")
    if is_published_row(first[1]):
        return published_questions(path, origin, _again(first, listed), attribute)
    return table_questions(path, origin, _again(first, listed), attribute, language)


def _again(first: FileRow, others: Iterator[FileRow]) -> Iterator[FileRow]:
    yield first
    yield from others
