"""First names by group: the lists of language packs, and files with a name and a group per row."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import WordListError, examples
from nextset.files.row_files import columns_line, rows_of_file
from nextset.files.similar_column import similar_column
from nextset.files.yaml_reader import read_yaml
from nextset.letter_case import folded
from nextset.records.class_labels import is_no_class
from nextset.records.content_ids import content_id
from nextset.word_lists import FOLDER

__all__ = ["NameGroups", "first_name", "read_name_groups"]

_BUILTIN = "builtin:"
_COLUMNS = ("name", "group")
_NOTE = re.compile(r"\s*[(（].*")


@dataclass(frozen=True)
class NameGroups:
    """First names, each with its group."""

    groups: dict[str, str]
    """The group of each name, in small letters; empty for a name that is in lists of two groups."""

    @property
    def digest(self) -> str:
        """The content hash: equal names have equal digests."""
        return content_id("name groups", *(x for pair in sorted(self.groups.items()) for x in pair))

    def of(self, title: str) -> str | None:
        """Return the group of the first name of ``title``.

        Empty for a name in two groups; None if no list has the name, or if ``title`` is not a full name.
        """
        name = first_name(title)
        return None if name is None else self.groups.get(_folded(name))


def first_name(title: str) -> str | None:
    """Return the first word of a title of two or more words, ignoring text in brackets; else None.

    A title of one word, such as Florence, may equally be a place or a thing.
    """
    words = _NOTE.sub("", title).split()
    return words[0] if len(words) > 1 else None


def read_name_groups(lists: Sequence[str], path: Callable[[str], Path]) -> NameGroups:
    """Return the names of ``lists``, each builtin:LANGUAGE or a file with the columns name and group.

    ``path`` resolves the name of a file. Raises WordListError with file, line and remedy.
    """
    groups: dict[str, str] = {}
    for written in lists:
        named = _of_pack(written) if written.startswith(_BUILTIN) else _of_file(path(written))
        for name, group in named:
            key = _folded(name)
            groups[key] = group if groups.get(key, group) == group else ""
    return NameGroups(groups)


def _of_pack(written: str) -> Iterator[tuple[str, str]]:
    """Yield the first names of a language pack, in all forms, with their cluster in the pack."""
    language = written.removeprefix(_BUILTIN)
    files = {
        folder.name: sorted((folder / "subjects").glob("*male_names.yaml"))
        for folder in sorted(FOLDER.iterdir())
        if (folder / "pack.yaml").is_file()
    }
    if not files.get(language):
        known = ", ".join(f"{_BUILTIN}{name}" for name, lists in files.items() if lists)
        raise WordListError(
            f"nextset has no language pack {written!r} with first names", remedy=f"use {known}"
        )
    for file in files[language]:
        subjects: dict[str, dict[str, Any]] = read_yaml(file, WordListError).data["subjects"]
        for name, subject in subjects.items():
            forms = subject.get("forms") or {"": name}
            yield from ((text, subject["cluster"]) for text in {name, forms.get("", name)})


def _of_file(file: Path) -> Iterator[tuple[str, str]]:
    empty = True
    for line, row in rows_of_file(file, WordListError):
        for column in _COLUMNS:
            if column not in row:
                meant = next((c for c in row if similar_column(c, _COLUMNS) == column), None)
                remedy = f"rename the column {meant!r}" if meant else "write the columns name and group"
                raise WordListError(
                    f"there is no column {column!r}; the file has {examples(row, 12)}",
                    file=file,
                    line=columns_line(file, line),
                    remedy=remedy,
                )
            if not isinstance(row[column], str) or is_no_class(row[column]):
                raise WordListError(
                    f"{column} is empty or not a text: {row[column]!r:.80}",
                    file=file,
                    line=line,
                    remedy="write one first name and its group per row",
                )
        empty = False
        yield row["name"].strip(), row["group"].strip()
    if empty:
        raise WordListError("the list has no names", file=file, remedy="write one name and its group per row")


def _folded(name: str) -> str:
    return folded(unicodedata.normalize("NFC", name))
