"""The template files of a study: found by their entries in study.yaml, and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import StudyError, TemplateError
from nextset.files.file_search import check_ending, files_below
from nextset.files.yaml_reader import line_of
from nextset.generation.templates.overlay import apply_overlay
from nextset.generation.templates.published_bbnli import read_published_bbnli
from nextset.generation.templates.template import Template
from nextset.generation.templates.yaml_format import read_yaml_template
from nextset.html.notebook_html import notebook_block, notebook_line, notebook_table
from nextset.letter_case import spelling
from nextset.records.short_repr import short_repr

__all__ = ["LoadedTemplates", "load_templates", "read_template", "template_files"]

_READERS = {".yaml": read_yaml_template, ".json": read_published_bbnli}


@short_repr
@dataclass(frozen=True)
class LoadedTemplates:
    """Templates, and the bytes of every file that they were read from."""

    templates: tuple[Template, ...]
    """The templates, one per stereotype."""
    files: dict[Path, bytes]
    """The content of each file."""

    def __len__(self) -> int:
        return len(self.templates)

    def __iter__(self) -> Iterator[Template]:
        return iter(self.templates)

    def _repr_html_(self) -> str:
        """Return one row per template, for notebooks."""
        rows = [
            (t.stereotype, t.domain, t.language, len(t.premises), len(t.statements)) for t in self.templates
        ]
        return notebook_block(
            notebook_line(f"templates: {len(rows):,}"),
            notebook_table(("stereotype", "domain", "language", "premises", "statements"), rows),
        )


def read_template(path: Path) -> Template:
    """Read a template file of either format; raises TemplateError."""
    reader = _READERS.get(path.suffix)
    if reader is None:
        check_ending(path, _READERS, TemplateError)
        raise TemplateError(
            "the file is neither .yaml nor .json", file=path, remedy="name a template file instead"
        )
    return reader(path)


def load_templates(
    templates: Sequence[str], overlays: Sequence[str], resolve: Callable[[str], Path], study_file: Path | None
) -> LoadedTemplates:
    """Read all template files and overlays of a study.

    ``templates`` and ``overlays`` are the entries under these keys of ``study_file``; ``resolve`` turns an
    entry into a path. ``study_file`` is None without a study. Raises StudyError if an entry leads to no file,
    TemplateError if a file is wrong or two files define the same stereotype
    or spell a domain in two ways.
    """
    files = [file for entry in templates for file in template_files(entry, resolve, study_file)]
    read = [read_template(file) for file in files]
    _check_distinct(read)
    extensions = [file for entry in overlays for file in _files(resolve(entry), entry, study_file)]
    for overlay in extensions:
        read = apply_overlay(overlay, read)
    return LoadedTemplates(tuple(read), {file: file.read_bytes() for file in (*files, *extensions)})


def template_files(entry: str, resolve: Callable[[str], Path], study_file: Path | None) -> list[Path]:
    """Return the files that an entry of ``templates`` names, sorted.

    builtin:bbnli names all shipped English template files, builtin:LANGUAGE those in another language. Raises
    StudyError if there are none.
    """
    if not entry.startswith("builtin:"):
        return _files(resolve(entry), entry, study_file)
    from nextset.bbnli_templates import FOLDER, english_files, languages

    name = entry.removeprefix("builtin:")
    if name == "bbnli":
        return english_files()
    path = FOLDER / name
    if not path.exists():
        path = path.with_name(path.name + ".yaml")
    if ".." in Path(name).parts or not path.exists():
        domains = sorted({file.parent.name for file in english_files()})
        named = ", ".join(f"builtin:{folder}" for folder in (*domains, *languages()))
        raise StudyError(
            f"nextset has no templates {entry!r}",
            file=study_file,
            line=line_of(study_file, value=entry),
            remedy=f"use builtin:bbnli (all in English) or one of {named}",
        )
    return _files(path, entry, study_file)


def _files(path: Path, entry: str, study_file: Path | None) -> list[Path]:
    if path.is_file():
        return [path]
    files = [p for p in files_below(path, _READERS, StudyError) if p.name != "study.yaml"]
    if not files:
        raise StudyError(
            f"{entry!r} leads to no template file ({path})",
            file=study_file,
            line=line_of(study_file, value=entry),
            remedy="name a .yaml or .json file, or a folder that holds some",
        )
    return files


def _check_distinct(templates: list[Template]) -> None:
    """Raise TemplateError for a stereotype of two files, or a domain in two spellings, by case or blanks."""
    first: dict[tuple[str, ...], Template] = {}
    for template in templates:
        name, domain = spelling(template.stereotype), spelling(template.domain)
        before = first.setdefault((template.language, name), template)
        if before is not template:
            raise TemplateError(
                f"the stereotype {template.stereotype!r} is already defined in {before.file}, "
                f"as {before.stereotype!r}",
                file=template.file,
                line=template.place("stereotype")[1],
                remedy="rename the stereotype in one of the files, or remove one file from templates",
            )
        before = first.setdefault((domain,), template)
        if before.domain != template.domain:
            raise TemplateError(
                f"the domain {template.domain!r} is spelt {before.domain!r} in {before.file}",
                file=template.file,
                line=template.place("domain")[1],
                remedy="use one spelling in all files",
            )
