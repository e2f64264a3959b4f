"""Given names by group, from language packs or from files with names and groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import ImportedDataError, StudyError, WordListError, examples
from nextset.extensions.ambiguity.person_mentions import GENDERS, Gender
from nextset.extensions.ambiguity.questions.folded_words import folded_words
from nextset.extensions.ambiguity.settings.selectional_settings import NameBalanceSettings
from nextset.files.hidden_controls import hidden_control
from nextset.files.row_files import columns_line, rows_of_file
from nextset.files.similar_column import similar_column
from nextset.files.unchanged_bytes import unchanged_bytes
from nextset.files.yaml_model import read_model
from nextset.generation.questions.pack_schema import SubjectsFile
from nextset.records.class_labels import is_no_class
from nextset.word_lists import FOLDER

__all__ = ["GivenName", "LoadedNames", "load_given_names"]

_LISTS = ("female_names", "male_names")
_COLUMNS = ("name", "group")


@dataclass(frozen=True)
class GivenName:
    """A given name."""

    name: str
    """The name, one word."""
    group: str
    """The group that the name belongs to."""
    gender: Gender | None
    """The gender of the name's usual bearers; None if the list does not say."""


@dataclass(frozen=True)
class LoadedNames:
    """The given names of a study, and the bytes of every file that they were read from."""

    names: tuple[GivenName, ...]
    """The names of the wanted groups."""
    files: dict[Path, bytes]
    """The content of each file."""


def load_given_names(
    settings: NameBalanceSettings, resolve: Callable[[str], Path], study_file: Path
) -> LoadedNames:
    """Read the names in the files and packs of ``settings``, for the groups of ``settings``.

    Raises StudyError for an unknown entry and for a group without names. Raises InputErrors with file and
    line for a file that cannot be read or changes meanwhile, for a name of several words, and for a name that
    is in two groups.
    """
    files = dict.fromkeys(f for entry in settings.names for f in _files(entry, resolve, study_file))
    names: dict[str, GivenName] = {}
    groups: dict[str, None] = {}
    raw: dict[Path, bytes] = {}
    for file in files:
        with unchanged_bytes(file, WordListError if _is_yaml(file) else ImportedDataError) as raw[file]:
            read = list(_read(file))
        for line, name in read:
            groups[name.group] = None
            earlier = names.setdefault(name.name, name)
            if earlier.group != name.group and {earlier.group, name.group} <= set(settings.groups):
                raise ImportedDataError(
                    f"the name {name.name!r} is in the groups {earlier.group} and {name.group}",
                    file=file,
                    line=line,
                    remedy="remove it from both: a name of two groups says nothing about either",
                )
    for group in settings.groups:
        if group not in groups:
            raise StudyError(
                f"ambiguity.selectional.balance: the group {group!r} has no names",
                file=study_file,
                remedy=f"use one or more of {examples(groups, 12)}, or add a file with names of this group",
            )
    wanted = tuple(name for name in names.values() if name.group in settings.groups)
    return LoadedNames(wanted, raw)


def _files(entry: str, resolve: Callable[[str], Path], study_file: Path) -> list[Path]:
    if not entry.startswith("builtin:"):
        return [resolve(entry)]
    folders = {f"builtin:{f.parent.name}": f for f in sorted(FOLDER.glob("*/subjects"))}
    if entry not in folders:
        raise StudyError(
            f"ambiguity.selectional.balance.names: nextset has no names {entry!r}",
            file=study_file,
            remedy=f"use {', '.join(folders)}, or name a file",
        )
    return [folders[entry] / f"{name}.yaml" for name in _LISTS]


def _read(file: Path) -> Iterator[tuple[int | None, GivenName]]:
    if _is_yaml(file):
        yield from _of_list(file)
    else:
        yield from _of_table(file)


def _is_yaml(file: Path) -> bool:
    return file.suffix.lower() in (".yaml", ".yml")


def _of_list(file: Path) -> Iterator[tuple[int | None, GivenName]]:
    """Yield the names of a language pack's list; the group is the cluster."""
    genders: dict[str, Gender] = {"f": "female", "m": "male"}
    written, located = read_model(file, SubjectsFile, WordListError)
    for name, subject in written.subjects.items():
        line = located.line(("subjects", name))
        yield line, GivenName(_one_word(name, file, line), subject.cluster, genders.get(subject.gender))


def _of_table(file: Path) -> Iterator[tuple[int | None, GivenName]]:
    has_rows = False
    for line, row in rows_of_file(file, ImportedDataError):
        has_rows = True
        for column in _COLUMNS:
            if column not in row:
                near = next((name for name in row if similar_column(name, (column,)) == column), None)
                raise ImportedDataError(
                    f"there is no column {column!r}",
                    file=file,
                    line=columns_line(file, line),
                    remedy=f"did you mean {near!r}? Rename it to {column}"
                    if near is not None
                    else "write the columns name and group; a column gender (female or male) is optional",
                )
        name, group, gender = (row.get(column) for column in (*_COLUMNS, "gender"))
        if not isinstance(group, str) or is_no_class(group):
            problem = f"group is not a group: {group!r:.40}"
            raise ImportedDataError(problem, file=file, line=line, remedy="write a group, or remove the row")
        wanted = next((g for g in GENDERS if g in (gender, group.strip())), None)
        if gender not in (None, "", *GENDERS):
            raise ImportedDataError(
                f"gender is {str(gender)[:40]!r}, which is not female or male",
                file=file,
                line=line,
                remedy="write female or male, or leave the cell empty",
            )
        yield line, GivenName(_one_word(name, file, line), group.strip(), wanted)
    if not has_rows:
        raise ImportedDataError("the file has no rows", file=file, remedy="add rows with name and group")


def _one_word(name: object, file: Path, line: int | None) -> str:
    """Return ``name``; raises ImportedDataError unless it is one word that begins with a capital."""
    text = name.strip() if isinstance(name, str) else ""
    words: Sequence[object] = folded_words(text)
    whole = len(words) == 1 and text[:1].isupper() and len(text) > 1 and text.isalpha()
    if not whole or hidden_control(text) is not None:
        raise ImportedDataError(
            f"{str(name)[:60]!r} is not a given name of one word with a capital letter",
            file=file,
            line=line,
            remedy="write names such as Maria, one per row",
        )
    return text
