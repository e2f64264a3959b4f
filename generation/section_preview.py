"""What sections of extensions add to a preview: counts, examples, and models to time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from nextset.forms import FormName
from nextset.generation.questions.study_packs import LoadedQuestions
from nextset.generation.templates.template_files import LoadedTemplates
from nextset.open_table import OpenTable
from nextset.study.study_folder import Study

__all__ = ["SECTION_PREVIEWS", "PreviewSources", "SectionPreview", "SectionPreviewOf", "TimedModel"]


@dataclass(frozen=True)
class PreviewSources:
    """What a preview has read and counted before it asks the sections of extensions."""

    templates: LoadedTemplates
    """The template files."""
    packs: LoadedQuestions
    """The language packs."""
    items: Mapping[str, int]
    """The numbers of rows from templates, by kind: hypothesis, masked, test."""
    examples: int
    """The number of examples of each kind that are shown."""


@dataclass(frozen=True)
class TimedModel:
    """A model whose time for a run is estimated."""

    model: str
    """The model, as the study names it."""
    role: str
    """The role in the estimate, such as selectional."""
    inputs: int
    """The most inputs that it is asked."""
    form: Callable[[], FormName] | None = None
    """The function that returns the form that the model is asked in; None if the time cannot be estimated."""
    rows: Callable[[], Sequence[Any]] | None = None
    """The function that returns a few inputs of the form; None: examples of the preview."""
    why_not: str = ""
    """The reason why the time cannot be estimated."""


@dataclass(frozen=True)
class SectionPreview:
    """What a section of a study adds to a preview."""

    items: Mapping[str, int] = field(default_factory=dict)
    """The numbers of rows that the section makes, by kind."""
    scorings: Mapping[str, int] = field(default_factory=dict)
    """The numbers of inputs that models are asked about, by role."""
    examples: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    """A few rows of each kind that the section makes, each a text or texts by name."""
    models: Sequence[TimedModel] = ()
    """The models to time."""
    candidates: Mapping[str, int] = field(default_factory=dict)
    """The numbers of rows that a filter can choose from, as filter.candidates names them."""
    prompts: int = 0
    """The number of prompts to the model of fill."""
    sentences: Sequence[str] = ()
    """A few masked sentences, to time the model of fill."""
    rows: Mapping[FormName, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """A few rows of each form that the section makes, to time models."""


class SectionPreviewOf(Protocol):
    """The preview of a section.

    A package registers it under the section's key::

        [project.entry-points."nextset.section_previews"]
        spelling = "my_package.preview:SPELLING_PREVIEW"
    """

    example_kinds: tuple[str, ...]
    """The kinds of examples that the section can have."""

    def preview(self, study: Study, sources: PreviewSources, /) -> SectionPreview:
        """Return what ``study``, which has the section, would make; raises InputErrors."""


SECTION_PREVIEWS: OpenTable[SectionPreviewOf] = OpenTable(
    "nextset.section_previews", "section with a preview"
)
"""The previews by the keys of their sections."""
