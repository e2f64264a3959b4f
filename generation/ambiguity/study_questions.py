"""The questions with several right answers that a study names: builtin:LANGUAGE, published files, tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import ImportedDataError, StudyError
from nextset.generation.ambiguity.published_eponymous import is_published_row, published_questions
from nextset.generation.ambiguity.source_questions import SourceQuestion
from nextset.generation.imports.pair_files import Row, rows
from nextset.generation.snapshot_names import named_snapshots

__all__ = ["LoadedAmbiguousQuestions", "load_ambiguous_questions"]


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
    paths = {file: entry for entry in entries for file in _files(entry, resolve, study_file)}
    raw: dict[Path, bytes] = {}
    found: list[SourceQuestion] = []
    names = named_snapshots(dict.fromkeys(paths, b""))
    for (path, _), origin in zip(paths.items(), names, strict=True):
        found += _read(path, origin, attribute, language)
        raw[path] = path.read_bytes()
    return LoadedAmbiguousQuestions(tuple(found), raw)


def _files(entry: str, resolve: Callable[[str], Path], study_file: Path) -> list[Path]:
    if entry.startswith("builtin:"):
        raise StudyError(
            f"ambiguity.selectional.questions: there are no questions {entry!r}",
            file=study_file,
            remedy="name a file",
        )
    return [resolve(entry)]


def _read(path: Path, origin: str, attribute: str, language: str) -> tuple[SourceQuestion, ...]:
    listed = rows(path)
    first = next(listed, None)
    if first is None:
        raise ImportedDataError("the file has no rows", file=path, remedy="add at least one question")
    if is_published_row(first[1]):
        return published_questions(path, origin, _again(first, listed), attribute)
    raise ImportedDataError("not the published layout", file=path, remedy="write JSON lines with options")


def _again(first: Row, others: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from others
