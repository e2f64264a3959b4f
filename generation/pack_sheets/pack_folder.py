"""The folder of a pack that a command names."""

from __future__ import annotations

from pathlib import Path

from nextset.errors import WordListError
from nextset.generation.questions.pack import shipped_packs

__all__ = ["own_pack_folder", "pack_folder"]

_BUILTIN = "builtin:"


def pack_folder(folder: Path | str) -> Path:
    """Return ``folder``, or for builtin:NAME the folder of a pack that comes with nextset.

    Raises WordListError if there is no such pack, or if ``folder`` is a sheet.
    """
    if not str(folder).startswith(_BUILTIN):
        return _no_sheet(Path(folder))
    shipped = shipped_packs()
    if str(folder) not in shipped:
        raise WordListError(
            f"nextset has no language pack {str(folder)!r}",
            remedy=f"use {', '.join(shipped)}, or name a folder",
        )
    return shipped[str(folder)]


def own_pack_folder(folder: Path | str) -> Path:
    """Return ``folder``; raises WordListError for a pack that comes with nextset, and for a sheet.

    The packs of nextset are not written to.
    """
    if str(folder).startswith(_BUILTIN):
        raise WordListError(
            "nextset does not change the packs that come with it",
            remedy=f"copy {pack_folder(folder)} to your own folder, and name that folder",
        )
    return _no_sheet(Path(folder))


def _no_sheet(folder: Path) -> Path:
    if folder.suffix.lower() in (".csv", ".tsv", ".xlsx", ".ods") and not folder.is_dir():
        raise WordListError(
            "this is a sheet, not the folder of a pack",
            file=folder,
            remedy="name the folder; `nextset language import` takes the sheet first, then the folder",
        )
    return folder
