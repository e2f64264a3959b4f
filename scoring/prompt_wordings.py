"""Prompts for generative models: several wordings of one question, each with its choices.

Files of wordings are YAML; `scoring/prompts/en.yaml` has nextset's own wordings.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from nextset.errors import StudyError
from nextset.files.yaml_model import HandWritten, read_model
from nextset.files.yaml_reader import LocatedYaml, line_of
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.prompts.answer_options import AnswerOptions, check_options
from nextset.scoring.prompts.answer_parsing import plain_choice
from nextset.scoring.prompts.prompt_placeholders import check_placeholders, placeholders_of
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.prompts.wording import Prompts, Wording, WordingSection

__all__ = ["own_prompts", "prompts_file", "read_prompts", "render_prompts"]

_FOLDER = Path(__file__).parent / "prompts"
OWN = _FOLDER / "en.yaml"
_BUILTIN = "builtin:"


@functools.cache
def own_prompts() -> Prompts:
    """Return nextset's wordings, in English."""
    return read_prompts(OWN)


def prompts_file(written: str, resolve: Callable[[str], Path], study_file: Path | None = None) -> Path:
    """Return the file that ``written`` names: builtin:NAME, or a path that ``resolve`` makes absolute.

    Raises StudyError, at its line in ``study_file``, for a built-in name that does not exist.
    """
    if not written.startswith(_BUILTIN):
        return resolve(written)
    files = {f"{_BUILTIN}{path.stem}": path for path in sorted(_FOLDER.glob("*.yaml"))}
    if written not in files:
        raise StudyError(
            f"scoring.prompts: nextset has no wordings {written!r:.80}",
            file=study_file,
            line=line_of(study_file, "scoring", "prompts"),
            remedy=f"use {', '.join(files)}, or the path of your own file",
        )
    return files[written]


@functools.cache
def _file_model() -> type[HandWritten]:
    """Return the model of a file of wordings, with a section for each form that has wordings."""
    sections: dict[str, Any] = {}
    # the sections with several wordings come first in lists of keys
    for form in sorted(SCORED_FORMS, key=lambda form: (form.wording is not None and form.wording.most) or 0):
        if form.wording is not None:
            limit = Field(default=(), max_length=form.wording.most)
            sections[form.section] = (Annotated[tuple.__class_getitem__((form.wording, ...)), limit], ())
    return create_model(
        "_File",
        __base__=HandWritten,
        __doc__="A file of wordings.",
        format=(Literal[1], ...),
        **sections,
        options=(AnswerOptions | None, None),
    )


def read_prompts(file: Path) -> Prompts:
    """Return the wordings in ``file``.

    Raises StudyError with file, line and remedy: for an unknown or missing placeholder, for equal choices,
    and for questions that list one subject first more often than the other.
    """
    content, located = read_model(file, _file_model(), StudyError)
    written = dict(content)
    sections = {
        form.name: WordingSection(form.section, written[form.section])
        for form in SCORED_FORMS
        if form.wording is not None
    }
    prompts = Prompts(file, sections, written["options"])
    for section in sections.values():
        for i, wording in enumerate(section.wordings):
            _check(file, wording, located.line((section.name, i, "prompt")))
    for section in sections.values():
        _check_balance(file, section, located)
    if prompts.options is not None:
        check_options(prompts.options, file, located)
    return prompts


def render_prompts(asking: Asking, inputs: Sequence[Any]) -> list[tuple[Rendered, ...]]:
    """Return the prompts of each input, in every wording and every order of its choices.

    Raises ModelError for a form without wordings.
    """
    wordings = (asking.prompts or own_prompts()).wordings(asking.form)
    rotations = asking.scoring.rotations
    return [
        tuple(
            replace(prompt, wording=number)
            for number, wording in enumerate(wordings, start=1)
            for prompt in wording.rendered(asked, rotations)
        )
        for asked in inputs
    ]


def _check(file: Path, wording: Wording, line: int | None) -> None:
    lists = not set(wording.listed).isdisjoint(placeholders_of(wording.prompt))
    check_placeholders(
        wording.prompt,
        needed=(*wording.needed, *(wording.listed if lists else ())),
        allowed=(*wording.needed, *wording.listed),
        file=file,
        line=line,
    )
    choices = [plain_choice(text) for text in wording.fixed_choices]
    if len(set(choices)) < len(choices) or "" in choices:
        raise StudyError(
            "two choices are the same, or one has no words: "
            + ", ".join(repr(text) for text in wording.fixed_choices),
            file=file,
            line=line,
            remedy="write three choices that differ in more than case and punctuation",
        )


def _check_balance(file: Path, section: WordingSection, located: LocatedYaml) -> None:
    """Raise StudyError if the wordings of ``section`` do not list each choice first equally often."""
    listed = section.wordings[0].listed if section.wordings else ()
    firsts = [
        next((name for name in placeholders_of(w.prompt) if name in listed), "") for w in section.wordings
    ]
    counts = {name: firsts.count(name) for name in listed}
    if len(set(counts.values())) > 1:
        thing = re.sub(r"\d+$", "", listed[0])
        raise StudyError(
            f"the number of wordings that list a {thing} first differs, which would bias the scores: "
            + ", ".join(f"{n} for {{{name}}}" for name, n in counts.items()),
            file=file,
            line=located.line((section.name,)),
            remedy=f"list each {thing} first equally often",
        )
