"""The check that every mask of a study can be filled: taggers, lists, the number of masks in a sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

from nextset.errors import StudyError, TemplateError
from nextset.files.yaml_reader import read_yaml
from nextset.generation.mask_fills.mask_demands import categories_at, list_words
from nextset.generation.templates.definition_check import anchor_problem
from nextset.generation.templates.template import Statement, Template
from nextset.generation.word_forms import is_english
from nextset.study.generation_settings import FillSettings
from nextset.study.mask_constraint import MaskConstraint, parse_constraint
from nextset.word_lists.fill_list import fill_list, fill_list_names

__all__ = ["check_masks"]


def check_masks(templates: Iterable[Template], settings: FillSettings, study_file: Path) -> None:
    """Raise TemplateError or StudyError if a mask's own constraint, or fill.mask, cannot be met."""
    default, every = parse_constraint(settings.mask), list(templates)
    line = read_yaml(study_file, StudyError).line(("fill", "mask")) if settings.mask else None
    if every and all(_missing(default, t) for t in every):  # also if no mask needs the list yet
        raise _no_list(every[0], _missing(default, every[0]), study_file, line)
    for t in every:
        tagged = is_english(t.language) or bool(settings.tagger)
        for s in t.statements:
            if not tagged and any(c.categories for c in s.constraints):
                raise TemplateError(
                    f"{s.text[:60]!r} needs a tagger for {t.language}: the lexicon has only English words",
                    file=s.file,
                    line=s.line,
                    remedy="name a spaCy model of the language as fill.tagger in study.yaml",
                )
            if s.kind != "masked":
                continue
            _check_list(t, s, s.constraints, lexicon=not settings.tagger)
            if all(map(str, s.constraints)):
                continue
            if name := _missing(default, t):
                raise _no_list(t, name, study_file, line)
            problem = remedy = ""
            if default.categories and not tagged:
                problem = f"fill.mask: {default} needs a tagger for {t.language}"
                remedy = "name a spaCy model of the language as fill.tagger"
            elif default.listed and len(s.constraints) > 1:
                problem = f"fill.mask: {default} is for one mask, and {s.text[:60]!r} has several masks"
                remedy = "write fill.mask without a list and without only"
            elif wrong := anchor_problem(t, default):
                problem = f"fill.mask: {wrong}"
                remedy = "write words, or names of lists that all template files have, each on one side"
            if problem:
                raise StudyError(
                    problem,
                    file=study_file,
                    line=line,
                    remedy=f"{remedy}, or write what they take at the masks of {s.file.name}",
                )
            _check_list(t, s, [default] * len(s.constraints), lexicon=not settings.tagger)


def _missing(default: MaskConstraint, template: Template) -> str:
    """Return the first list of ``default`` that ``template`` does not have; empty if it has all."""
    names = (n for n in default.lists if n not in template.lists and not fill_list(template.language, n))
    return next(names, "")


def _no_list(template: Template, name: str, study_file: Path, line: int | None) -> StudyError:
    other = "name a list of the template file, or one that comes with nextset"
    near = difflib.get_close_matches(name, (*template.lists, *fill_list_names(template.language)), n=1)
    return StudyError(
        f"fill.mask: there is no list {name} for {template.file.name}",
        file=study_file,
        line=line,
        remedy=f"did you mean {near[0]!r}?" if near else other,
    )


def _check_list(
    template: Template, statement: Statement, constraints: Sequence[MaskConstraint], *, lexicon: bool
) -> None:
    """Raise TemplateError if a mask takes the words of a list, and none of these words fits it."""
    if len(constraints) != 1 or not constraints[0].listed:
        return
    (categories,), (form,) = categories_at(statement.text, constraints), statement.question_forms
    wanted = categories if lexicon else ()
    if not list_words(constraints[0], wanted, form, template.language, template.word_list):
        question = f", which the question needs as {form}" if form else ""
        named = f"the list {constraints[0].within}" if constraints[0].within else "its lists"
        raise TemplateError(
            f"no word of {named} fits {{{{MASK:{constraints[0]}}}}}{question}",
            file=statement.file,
            line=statement.line,
            remedy="add fitting words to the list, or name a different list at the mask",
        )
