"""The reader of language packs with empty cells; everything else about them must be right."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from nextset.errors import WordListError
from nextset.files.file_search import yaml_files
from nextset.files.regular_file import has_file
from nextset.files.yaml_key_errors import first_error
from nextset.files.yaml_model import read_model
from nextset.files.yaml_reader import LocatedYaml, Location, read_yaml
from nextset.generation.questions.pack_schema import AttributesFile, PackFile, SubjectsFile, TemplatesFile

__all__ = ["IncompletePack", "PackPart", "read_incomplete_pack", "template_names"]

M = TypeVar("M", bound=BaseModel)

_CELLS: dict[type[BaseModel], tuple[tuple[str, ...], ...]] = {
    SubjectsFile: (("subjects", "*", "forms", "*"),),
    AttributesFile: (("attributes", "*", "forms", "*"), ("attributes", "*", "source")),
    TemplatesFile: (
        *(("templates", "*", key) for key in ("context", "question", "negated")),
        *(("statements", "*", key) for key in ("context", "statement", "negated")),
    ),
}
"""The locations of cells in the files; ``*`` is any key."""


@dataclass(frozen=True)
class PackPart(Generic[M]):
    """A file of a pack, with cells that may be empty."""

    file: Path
    model: M
    """The keys and values; an empty cell has a filler."""
    located: LocatedYaml
    """The lines of the file."""
    empty: frozenset[Location]
    """The empty cells."""

    def text(self, *at: str) -> str:
        """Return the text of the cell at ``at``; empty if the cell is empty or missing."""
        if at in self.empty:
            return ""
        value: Any = self.located.data
        for step in at:
            value = value.get(step) if isinstance(value, dict) else None
        return value.strip() if isinstance(value, str) else ""


@dataclass(frozen=True)
class IncompletePack:
    """A pack, which may be unfinished."""

    folder: Path
    """The pack's folder."""
    head: PackPart[PackFile]
    """pack.yaml."""
    subjects: dict[str, PackPart[SubjectsFile]]
    """The lists of subjects by name, in the order of pack.yaml."""
    attributes: tuple[PackPart[AttributesFile], ...]
    """The files of attributes."""
    templates: dict[str, PackPart[TemplatesFile]]
    """The templates by class."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes."""
        return tuple(self.head.model.classes)


def read_incomplete_pack(folder: Path) -> IncompletePack:
    """Read the pack in ``folder``; cells may be empty, and lists, attributes or templates may be missing.

    Raises WordListError with file, line and remedy for any other mistake.
    """
    if not has_file(folder / "pack.yaml", WordListError):
        raise WordListError(
            "the folder has no pack.yaml",
            file=folder,
            remedy="name the folder of a language pack, such as one from `nextset language new`",
        )
    head_model, head_lines = read_model(folder / "pack.yaml", PackFile, WordListError)
    head = PackPart(folder / "pack.yaml", head_model, head_lines, frozenset())
    lists = dict.fromkeys(name for c in head.model.classes.values() for name in c.subjects)
    templates: dict[str, PackPart[TemplatesFile]] = {}
    for file in yaml_files(folder / "templates", WordListError):
        part = _part(file, TemplatesFile)
        name = part.model.class_
        if name not in head.model.classes or name in templates:
            problem = "also has templates in another file" if name in templates else "is not in pack.yaml"
            raise WordListError(
                f"the class {name!r} {problem}",
                file=file,
                line=part.located.line(("class",)),
                remedy="move them into one file" if name in templates else _leftover(folder, head_model),
            )
        templates[name] = part
    return IncompletePack(
        folder,
        head,
        {name: _part(folder / "subjects" / f"{name}.yaml", SubjectsFile) for name in lists},
        tuple(_part(file, AttributesFile) for file in yaml_files(folder / "attributes", WordListError)),
        templates,
    )


def _leftover(folder: Path, head: PackFile) -> str:
    """Return the remedy: the files of unknown classes and unused lists to delete."""
    files = yaml_files(folder / "templates", WordListError)
    gone = [f for f in files if _part(f, TemplatesFile).model.class_ not in head.classes]
    kept = [_part(f, TemplatesFile).model for f in files if f not in gone]
    kinds = {kind for model in kept for *_, kind in template_names(model)}
    lists = {name for c in head.classes.values() for name in c.subjects}
    gone += [f for f in sorted((folder / "subjects").glob("*.yaml")) if f.stem not in lists]
    for file in yaml_files(folder / "attributes", WordListError) if kinds else ():
        if not kinds & {a.kind for a in _part(file, AttributesFile).model.attributes.values()}:
            gone.append(file)
    names = ", ".join(f.relative_to(folder).as_posix() for f in gone)
    forms = [name for name in head.forms if name not in lists]
    lines = f", and in pack.yaml the lines of {', '.join(forms)} below forms" if forms else ""
    return f"put the class back into pack.yaml, or delete {names}{lines}"


def template_names(templates: TemplatesFile) -> Iterator[tuple[str, str, str]]:
    """Yield the templates of a class: section (templates, statements), name, and kind of attributes."""
    for name, question in templates.templates.items():
        yield "templates", name, question.takes
    for name, statement in templates.statements.items():
        yield "statements", name, statement.takes


def _part(file: Path, model: type[M]) -> PackPart[M]:
    located = read_yaml(file, WordListError)
    if not isinstance(located.data, dict):
        read_model(file, model, WordListError)  # raises
    filled = copy.deepcopy(located.data)
    empty = frozenset(at for pattern in _CELLS[model] for at in _fill(filled, pattern, ()))
    try:
        return PackPart(file, model.model_validate(filled), located, empty)
    except ValidationError as e:
        shown = LocatedYaml(filled, located.lines, located.written)
        raise first_error(e, file, shown, model, WordListError) from None


def _fill(data: Any, pattern: tuple[str, ...], at: Location) -> list[Location]:
    """Put a filler into the empty cells below ``data`` that match ``pattern``; return their locations."""
    if not isinstance(data, dict):
        return []
    locations: list[Location] = []
    for key in list(data) if pattern[0] == "*" else [pattern[0]] if pattern[0] in data else []:
        here = (*at, key)
        if len(pattern) > 1:
            if data[key] is None and pattern[1] == "*" and len(pattern) == 2:
                data[key] = {}  # the key forms without a value
            locations += _fill(data[key], pattern[1:], here)
        elif data[key] is None or (isinstance(data[key], str) and not data[key].strip()):
            data[key] = "?"
            locations.append(here)
    return locations
