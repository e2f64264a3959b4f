"""The completeness of a pack, by class and by form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.generation.pack_sheets.incomplete_pack import (
    IncompletePack,
    read_incomplete_pack,
    template_names,
)
from nextset.generation.pack_sheets.pack_cells import PackCell, pack_cells
from nextset.generation.pack_sheets.pack_folder import pack_folder
from nextset.generation.pack_sheets.pack_sheet import write_pack_sheet
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.pack_schema import PackFile
from nextset.records.short_repr import short_repr

__all__ = ["Completeness", "PackStatus", "language_status"]


@dataclass(frozen=True)
class Completeness:
    """The number of filled cells of a kind."""

    name: str
    """A class, or a list with a form."""
    filled: int
    """The number of cells with a text."""
    cells: int

    @property
    def share(self) -> float:
        """The share of filled cells, from 0 to 1; 1 if there are no cells."""
        return self.filled / self.cells if self.cells else 1.0


@short_repr
@dataclass(frozen=True)
class PackStatus:
    """The completeness of a pack, and its checks."""

    folder: Path
    """The pack's folder."""
    language: str
    """BCP 47 tag."""
    checked_by: tuple[str, ...]
    """The names of the native speakers who checked the pack."""
    total: Completeness
    """All cells."""
    by_class: tuple[Completeness, ...]
    """Cells by class; a cell that several classes need counts for each of them."""
    by_form: tuple[Completeness, ...]
    """Cells by list and form."""
    lacking: tuple[str, ...]
    """Templates and attributes that a class lacks, and files that no class needs, as sentences."""
    problem: str
    """The reason why a pack without empty cells cannot be used; empty if it can, or if cells are empty."""
    missing: Path | None
    """The sheet of the empty cells; None if it was not written."""


def language_status(folder: Path | str, missing: Path | str | None = None) -> PackStatus:
    """Count the filled and empty cells of the pack in ``folder``.

    With ``missing``, write the empty cells to that CSV file, in the format of `write_pack_sheet`. Raises
    WordListError if the written part of the pack cannot be read.
    """
    folder = pack_folder(folder)
    pack = read_incomplete_pack(folder)
    cells = pack_cells(pack)
    empty = tuple(c for c in cells if not c.text)
    if missing is not None:
        missing = Path(missing)
        write_pack_sheet(missing, empty)
    lacking = [f"{name} has no templates" for name in pack.classes if name not in pack.templates]
    kinds = {a.kind for part in pack.attributes for a in part.model.attributes.values()}
    for name, part in pack.templates.items():
        taken = dict.fromkeys(kind for *_, kind in template_names(part.model))
        lacking += [f"{name} has no attributes of the kind {kind}" for kind in taken if kind not in kinds]
    lacking += _unused(pack)
    return PackStatus(
        folder=folder,
        language=pack.head.model.language,
        checked_by=_checked_by(folder, pack.head.model),
        total=_counted("total", cells),
        by_class=tuple(_counted(name, [c for c in cells if name in c.classes]) for name in pack.classes),
        by_form=_grouped(cells, lambda c: f"{c.group}: {c.form or 'base form'}"),
        lacking=tuple(lacking),
        problem="" if empty or lacking else _problem(folder),
        missing=missing,
    )


def _unused(pack: IncompletePack) -> Iterator[str]:
    """Yield a sentence per unfinished attributes file that no template takes, if all classes have some."""
    taken = {kind for part in pack.templates.values() for *_, kind in template_names(part.model)}
    for part in pack.attributes if len(pack.templates) == len(pack.classes) else ():
        kinds = {a.kind for a in part.model.attributes.values()}
        if part.empty and not kinds & taken:
            yield f"no template takes attributes/{part.file.name}: delete it, or write templates that do"


def _counted(name: str, cells: Sequence[PackCell]) -> Completeness:
    return Completeness(name, sum(bool(c.text) for c in cells), len(cells))


def _grouped(cells: Iterable[PackCell], key: Callable[[PackCell], str]) -> tuple[Completeness, ...]:
    groups: dict[str, list[PackCell]] = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    return tuple(_counted(name, members) for name, members in groups.items())


def _checked_by(folder: Path, head: PackFile) -> tuple[str, ...]:
    """Return the names of those who checked the pack, with a note if the texts have changed since."""
    try:
        now = read_pack(folder).texts_digest if head.checked_by else ""
    except WordListError:
        now = ""
    return tuple(
        f"{c.name} (texts changed since)" if c.of_earlier_texts(now) else c.name for c in head.checked_by
    )


def _problem(folder: Path) -> str:
    try:
        read_pack(folder)
    except WordListError as e:
        return f"{e} (remedy: {e.remedy})"
    return ""
