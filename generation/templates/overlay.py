"""Overlays: masked hypotheses, or the stereotype as sentences, for a template file that stays unchanged."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import Field

from nextset.errors import TemplateError
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.generation.templates.definition_check import (
    check_defined,
    check_lists,
    check_words,
    filled_sentences,
)
from nextset.generation.templates.template import Template
from nextset.generation.templates.yaml_format import MaskedEntry, Words, places_of, statements_of
from nextset.study.stereotype_sentences import StereotypeSentences

__all__ = ["apply_overlay"]


class _OverlayFile(HandWritten):
    format: Literal[1]
    extends: str = Field(min_length=1)
    about: Prose = ""
    sentences: StereotypeSentences | None = None
    words: Words = Field(default_factory=dict)
    lists: Words = Field(default_factory=dict)
    masked: tuple[MaskedEntry, ...] = ()


def apply_overlay(path: Path, templates: Sequence[Template]) -> list[Template]:
    """Return ``templates``, with the additions of the overlay ``path`` to the one that it extends.

    Raises TemplateError if the overlay extends none or several of them, adds nothing, or redefines a word
    list or the sentences.
    """
    overlay, located = read_model(path, _OverlayFile, TemplateError)
    at = _extended(path, overlay.extends, located.line(("extends",)), templates)
    if not overlay.masked and overlay.sentences is None:
        raise TemplateError(
            "the overlay adds nothing: it has neither masked nor sentences",
            file=path,
            line=located.line(("extends",)),
            remedy="add masked hypotheses under masked, or the stereotype as sentences under sentences",
        )
    if overlay.sentences is not None and templates[at].sentences is not None:
        raise TemplateError(
            f"{templates[at].file.name} already states its stereotype in sentences",
            file=path,
            line=located.line(("sentences",)),
            remedy="remove sentences here",
        )
    for key, kind, own, there in (
        ("words", "word list", overlay.words, templates[at].words),
        ("lists", "list", overlay.lists, templates[at].lists),
    ):
        if again := sorted(set(own) & set(there)):
            raise TemplateError(
                f"the {kind} {again[0]} is already defined in {templates[at].file.name}",
                file=path,
                line=located.line((key, again[0])),
                remedy="choose a different name",
            )
    check_words({}, overlay.words, path, located)
    check_lists(overlay.lists, path, located)
    statements = statements_of("masked", "masked", overlay.masked, path, located)
    extended = dataclasses.replace(
        templates[at],
        words={**templates[at].words, **overlay.words},
        lists={**templates[at].lists, **overlay.lists},
        statements=(*templates[at].statements, *statements),
        places={**templates[at].places, **places_of(path, located)},
    )
    stated = filled_sentences(extended, overlay.sentences, path, located)
    return [*templates[:at], check_defined(stated), *templates[at + 1 :]]


def _extended(path: Path, extends: str, line: int | None, templates: Sequence[Template]) -> int:
    wanted = PurePosixPath(extends).parts
    matches = [i for i, t in enumerate(templates) if t.file.parts[-len(wanted) :] == wanted]
    if len(matches) == 1:
        return matches[0]
    known = ["/".join(t.file.parts[-2:]) for t in templates]
    near = difflib.get_close_matches(extends, known, n=1, cutoff=0.4)
    remedy = f"did you mean {near[0]!r}?" if near else "name the end of a template file's path"
    many = "several template files of the study" if matches else "no template file of the study"
    raise TemplateError(f"extends {extends!r}, which matches {many}", file=path, line=line, remedy=remedy)
