"""The folder of a pack that a command names."""

from __future__ import annotations

from pathlib import Path

from nextset.errors import WordListError
from nextset.generation.questions.pack import shipped_packs

__all__ = ["own_pack_folder", "pack_folder"]

_BUILTIN = "builtin:"


def pack_folder(folder: Path | str) -> Path:
    """Return ``folder``, or that of a pack that comes with nextset for builtin:NAME.

    Raises WordListError if there is no such pack, or a sheet stands where the folder should.
    """
    if not str(folder).startswith(_BUILTIN):
        return _no_sheet(Path(folder))
    shipped = shipped_packs()
    if str(folder) not in shipped:
        raise WordListError(
            f"there is no language pack {str(folder)!r}",
            remedy=f"use {', '.join(shipped)}, or name a folder",
        )
    return shipped[str(folder)]


def own_pack_folder(folder: Path | str) -> Path:
    """Return ``folder``; raises WordListError for a pack that comes with nextset, which is not written to.

    Raises it for a sheet as well.
    """
    if str(folder).startswith(_BUILTIN):
        raise WordListError(
            "a pack that comes with nextset is not written to",
            remedy=f"copy {pack_folder(folder)} to a folder of yours, and name that",
        )
    return _no_sheet(Path(folder))


def _no_sheet(folder: Path) -> Path:
    if folder.suffix.lower() in (".csv", ".tsv", ".xlsx", ".ods") and not folder.is_dir():
        raise WordListError(
            "this is a sheet, and here a pack's folder is needed",
            file=folder,
            remedy="name the folder; `nextset language import` takes the sheet first, the folder second",
        )
    return folder
