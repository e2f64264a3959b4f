"""Sections of study.yaml that extensions add: their settings, and what they tell the core about models."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from nextset.files.yaml_model import HandWritten
from nextset.forms import FormName
from nextset.open_table import OpenTable

__all__ = ["SECTIONS", "ExtensionSection", "ModelCopies", "extension_sections"]


@dataclass(frozen=True)
class ModelCopies:
    """The changed copies that a section makes of models, such as tuned ones."""

    kind: str
    """The kind of copy in error messages, such as tuned."""
    models: tuple[str, ...]
    """The original models, as the study names them."""
    copy_name: Callable[[str], str]
    """The function that returns a copy's name, a folder in the study, from the original's published name."""
    canaries_waived: str
    """The reason why a copy has no canaries."""


class ExtensionSection(HandWritten):
    """The settings of a section that a package adds to study.yaml.

    A package registers its section under the section's key::

        [project.entry-points."nextset.sections"]
        spelling = "my_package.settings:SpellingSettings"
    """

    position: ClassVar[int] = 100
    """The place among the sections of extensions, in messages and previews: lower numbers come first."""
    sufficient: ClassVar[bool] = False
    """True if a study may have only this section, and generate nothing."""

    makes: ClassVar[FormName] = ""
    """The form of the rows that the section makes, which a study can filter, release and audit; empty for
    none."""

    @property
    def makes_masks(self) -> bool:
        """True if rows of the section may have masks, which the stage fill fills."""
        return False

    def asked_models(self) -> tuple[str, ...]:
        """Return the models that the section asks, each once, as the study names them."""
        return ()

    def model_copies(self) -> ModelCopies | None:
        """Return the copies that the section makes of models; None if it makes none."""
        return None


SECTIONS: OpenTable[type[ExtensionSection]] = OpenTable("nextset.sections", "section of study.yaml")
"""The settings of sections by their keys in study.yaml."""


@functools.cache
def extension_sections() -> dict[str, type[ExtensionSection]]:
    """Return the settings of the sections that installed extensions add, by key, in their order."""
    sections = {name: SECTIONS[name] for name in SECTIONS.names}
    return dict(sorted(sections.items(), key=lambda section: section[1].position))
