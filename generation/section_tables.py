"""Tables that sections of extensions add to out/generate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from nextset.artifacts.build import Part
from nextset.generation.questions.study_packs import LoadedQuestions
from nextset.generation.templates.template_files import LoadedTemplates
from nextset.open_table import OpenTable
from nextset.study.study_folder import Study

__all__ = ["SECTION_TABLES", "SectionTables", "SectionTablesOf", "section_tables"]


@dataclass(frozen=True)
class SectionTables:
    """The tables that a section adds to out/generate, with what decides their content."""

    settings: dict[str, Any]
    """The settings that enter the recipe, under the section's key."""
    files: Mapping[Path, bytes]
    """The content of each file that was read: it is kept as a snapshot."""
    parts: Callable[[], list[Part]]
    """The function that returns the tables, called if they have to be made."""


class SectionTablesOf(Protocol):
    """A function that reads what a section names, before anything is written.

    A package registers it under the section's key::

        [project.entry-points."nextset.section_tables"]
        spelling = "my_package.tables:spelling_tables"
    """

    def __call__(self, study: Study, templates: LoadedTemplates, packs: LoadedQuestions, /) -> SectionTables:
        """Return the tables for ``study``, which has the section; raises InputErrors."""


SECTION_TABLES: OpenTable[SectionTablesOf] = OpenTable("nextset.section_tables", "section that adds tables")
"""The functions by the keys of their sections."""


def section_tables(
    study: Study, templates: LoadedTemplates, packs: LoadedQuestions
) -> dict[str, SectionTables]:
    """Return the tables of each section of ``study`` that adds some, by key; raises InputErrors."""
    keys = [key for key in study.settings.sections if key in SECTION_TABLES]
    return {key: SECTION_TABLES[key](study, templates, packs) for key in keys}
