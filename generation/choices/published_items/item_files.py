"""The files of an entry of choices.items: a file, a folder, or a dataset on the Hub."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import InputError, examples
from nextset.files.file_search import files_below
from nextset.files.row_files import is_row_file
from nextset.generation.choices.published_items.hub_items import hub_folder, hub_place
from nextset.published_choices.published_formats import FORMATS
from nextset.published_choices.published_rows import SUFFIXES, format_of_file, has_published_items

__all__ = ["ItemFiles", "item_files"]

_ENDS = {f".{suffix.rpartition('.')[2]}" for suffix in SUFFIXES}


@dataclass(frozen=True)
class ItemFiles:
    """The files that an entry names."""

    entry: str
    """The entry as written."""
    files: dict[str, Path]
    """The files with published items, by their names in counts."""
    unread: tuple[Path, ...] = ()
    """Tables in the folder without published items, such as templates, which are not read."""
    commit: str = ""
    """The commit of the dataset on the Hub; empty for files of this machine."""


def item_files(entry: str, resolve: Callable[[str], Path]) -> ItemFiles:
    """Return the files of ``entry``; raises InputError, and ServerError if the Hub does not answer."""
    place = hub_place(entry)
    if place is not None:
        commit, folder = hub_folder(place)
        return _in_folder(entry, folder, f"{place.name}/", commit)
    path = resolve(entry)
    if path.is_dir():
        return _in_folder(entry, path, "")
    format_of_file(path)
    return ItemFiles(entry, {path.name: path})


def _in_folder(entry: str, folder: Path, prefix: str, commit: str = "") -> ItemFiles:
    """Return the files below ``folder`` that have published items; raises InputError if none has."""
    files: dict[str, Path] = {}
    unread = []
    for path in files_below(folder, _ENDS, InputError):
        if path.suffix != ".json" and not is_row_file(path):
            continue
        twin = path.with_suffix(".json")
        if path.suffix == ".csv" and twin.is_file() and has_published_items(twin):
            continue  # CBBQ publishes the same rows in both
        if has_published_items(path):
            files[prefix + path.relative_to(folder).as_posix()] = path
        else:
            unread.append(path)
    if not files:
        raise InputError(
            "the folder has no published items"
            + (f"; it has {examples([path.name for path in unread])}" if unread else ""),
            file=folder if not commit else entry,
            remedy=f"name a folder with files in the layout of {', '.join(f.name for f in FORMATS)}",
        )
    return ItemFiles(entry, dict(sorted(files.items(), key=lambda item: item[1])), tuple(unread), commit)
