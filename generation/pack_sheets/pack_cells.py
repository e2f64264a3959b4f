"""The cells of a pack: all texts that a native speaker writes, filled, empty or missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nextset.files.yaml_reader import Location
from nextset.generation.pack_sheets.cell_words import (
    attribute_words,
    prefix_words,
    subject_words,
    template_words,
)
from nextset.generation.pack_sheets.incomplete_pack import IncompletePack, PackPart, template_names
from nextset.generation.pack_sheets.needed_forms import (
    NeededForm,
    attribute_forms,
    listed_texts,
    subject_forms,
)
from nextset.generation.questions.pack_schema import AttributesFile, SubjectsFile, TemplatesFile

__all__ = ["PackCell", "pack_cells"]

_FILLER = "Ankara"
"""The filler for an empty cell, which shows whether other forms will be derived from the cell."""


@dataclass(frozen=True)
class PackCell:
    """A text of a pack, which may be empty."""

    file: str
    """The cell's file below the pack's folder, with slashes."""
    at: Location
    """The keys that lead to the cell; the last ones may be missing in the file."""
    line: int | None
    """The cell's line, from 1, or the line of the nearest key around it."""
    kind: str
    """subject, attribute, source, template or prefix."""
    group: str
    """The cell's list of subjects, kind of attributes, or templates of a class, as `status` counts them."""
    form: str
    """The form, or the key of a template's text."""
    classes: tuple[str, ...]
    """The classes that need the cell."""
    what: str
    """A description of the content."""
    english: str
    """An example from English."""
    text: str
    """The cell's text; empty if it must be filled in."""

    @property
    def place(self) -> str:
        """The file, #, and the keys as a JSON pointer (RFC 6901)."""
        steps = (str(step).replace("~", "~0").replace("/", "~1") for step in self.at)
        return f"{self.file}#/{'/'.join(steps)}"


def pack_cells(pack: IncompletePack) -> tuple[PackCell, ...]:
    """Return the cells of ``pack``, in the order of the files; missing forms follow an entry's listed ones.

    Raises WordListError if pack.yaml declares invalid forms.
    """
    cells: list[PackCell] = []
    needed = subject_forms(pack)
    for name, part in pack.subjects.items():
        cells += _of_subjects(pack, name, part, needed[name])
    kinds = attribute_forms(pack)
    for attributes in pack.attributes:
        cells += _of_attributes(pack, attributes, kinds)
    for of_class, templates in pack.templates.items():
        cells += _of_templates(of_class, templates)
    head = pack.head
    for prefix, text in head.model.prefixes.items():
        at: Location = ("prefixes", prefix)
        cells.append(
            PackCell(
                "pack.yaml", at, head.located.line(at), "prefix", "prefixes", "", (),
                *prefix_words(prefix), text.strip(),
            )
        )  # fmt: skip
    return tuple(cells)


def _of_subjects(
    pack: IncompletePack, listed: str, part: PackPart[SubjectsFile], needed: tuple[NeededForm, ...]
) -> Iterator[PackCell]:
    defaults = frozenset(pack.head.model.defaults)
    classes = tuple(name for name, c in pack.head.model.classes.items() if listed in c.subjects)
    for name, subject in part.model.subjects.items():
        texts = {key: part.text("subjects", name, "forms", key) or _FILLER for key in subject.forms}
        listed_forms = listed_texts(texts, defaults)
        derive = pack.head.model.derive
        missing = [n.name for n in needed if not n.served_by(listed_forms, derive, name)]
        for key in [*subject.forms, *missing]:
            at = ("subjects", name, "forms", key)
            words = subject_words(listed, name, key)
            yield PackCell(
                _below(pack.folder, part.file), at, part.located.line(at), "subject", listed,
                key, classes, *words, part.text(*at),
            )  # fmt: skip


def _of_attributes(
    pack: IncompletePack, part: PackPart[AttributesFile], needed: dict[str, tuple[NeededForm, ...]]
) -> Iterator[PackCell]:
    defaults = frozenset(pack.head.model.defaults)
    file = _below(pack.folder, part.file)
    for name, attribute in part.model.attributes.items():
        kind = attribute.kind
        classes = tuple(
            c for c, t in pack.templates.items() if any(kind == k for *_, k in template_names(t.model))
        )
        listed_forms = listed_texts(attribute.forms, defaults)
        missing = [n.name for n in needed[kind] if not n.served_by(listed_forms)]
        source = ("attributes", name, "source")
        if source in part.empty:
            words = (f"{name}: the work that documents it, with its year, or: plain negative act", "")
            yield PackCell(
                file,
                source,
                part.located.line(source),
                "source",
                f"{kind} attributes",
                "source",
                classes,
                *words,
                "",
            )
        for key in [*attribute.forms, *missing]:
            at = ("attributes", name, "forms", key)
            yield PackCell(
                file, at, part.located.line(at), "attribute", f"{kind} attributes", key, classes,
                *attribute_words(name, kind, key), part.text(*at),
            )  # fmt: skip


def _of_templates(of_class: str, part: PackPart[TemplatesFile]) -> Iterator[PackCell]:
    for section, name, _ in template_names(part.model):
        for key in ("context", "question" if section == "templates" else "statement", "negated"):
            at = (section, name, key)
            yield PackCell(
                f"templates/{part.file.name}", at, part.located.line(at), "template",
                f"templates of {of_class}", key, (of_class,),
                *template_words(of_class, section, name, key), part.text(*at),
            )  # fmt: skip


def _below(folder: Path, file: Path) -> str:
    return file.relative_to(folder).as_posix()
