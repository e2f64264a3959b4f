"""Templates and items without a study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nextset.errors import InputError
from nextset.generation.template_expansion import expand as expand_templates
from nextset.generation.template_expansion import mask_lists, template_rows
from nextset.generation.templates.template import Template
from nextset.generation.templates.template_files import LoadedTemplates
from nextset.generation.templates.template_files import load_templates as read_templates
from nextset.tables.named_tables import NamedTables

__all__ = ["expand", "load_templates"]


def load_templates(*templates: str | Path, overlays: Sequence[str | Path] = ()) -> LoadedTemplates:
    """Read template files, without a study.

    ``templates`` are files or folders, or names of nextset's templates: builtin:bbnli (all in English),
    builtin:gender (a domain), builtin:de (a language). ``overlays`` are files or folders. Paths are relative
    to the current folder. Raises StudyError if there is no such file, and TemplateError if a file is wrong.
    """
    wrong = next((x for x in (*templates, *overlays) if not isinstance(x, str | Path)), None)
    if wrong is not None or not templates or isinstance(overlays, str | Path):
        raise InputError(
            f"templates and overlays are named by texts or paths (here: {wrong!r:.60})",
            remedy='write load_templates("builtin:gender", "mine.yaml", overlays=["more.yaml"])',
        )
    return read_templates([str(x) for x in templates], [str(x) for x in overlays], Path, None)


def expand(
    templates: LoadedTemplates | Template | Sequence[Template] | str | Path,
    *,
    tests: bool = True,
    max_rows: int = 50_000_000,
) -> NamedTables:
    """Return the items that ``templates`` expand to.

    ``templates`` are the result of ``load_templates``, some of its templates, or a name that it takes. The
    tables are items (``nextset.records.nli_items.NliItem``, without masks, one per id), masked (items with
    masks), templates and mask_lists. With ``tests``, items include the test hypotheses. Raises TemplateError
    for more than ``max_rows`` rows.
    """
    chosen = _chosen(templates)
    expansion = expand_templates(chosen, tests=tests, max_rows=max_rows)
    return NamedTables(
        {
            "items": expansion.items,
            "masked": expansion.masked,
            "templates": template_rows(chosen),
            "mask_lists": mask_lists(chosen),
        },
        expansion.counts,
    )


def _chosen(templates: Any) -> tuple[Template, ...]:
    if isinstance(templates, str | Path):
        templates = load_templates(templates)
    if isinstance(templates, LoadedTemplates):
        return templates.templates
    several = tuple(templates) if isinstance(templates, Sequence) else (templates,)
    if not all(isinstance(template, Template) for template in several):
        raise InputError(
            f"these are not templates: {several!r:.60}", remedy="give the result of nextset.load_templates"
        )
    return several
