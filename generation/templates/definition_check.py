"""Checks that placeholders are defined and masks are in place; an undefined one is an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nextset.errors import TemplateError, examples
from nextset.files.yaml_reader import LocatedYaml, Location
from nextset.generation.templates.placeholders import GROUPS, MASK, names
from nextset.generation.templates.template import Template

__all__ = ["check_defined", "check_groups", "check_words"]


def check_groups(groups: tuple[str, str], file: Path, line: int | None) -> None:
    """Raise TemplateError if both groups are the same, ignoring case and spaces: nothing could be swapped."""
    if len({" ".join(group.casefold().split()) for group in groups}) == 1:
        raise TemplateError(
            f"GROUP1 and GROUP2 are both {groups[1]!r}, so that no item differs from its counterpart",
            file=file,
            line=line,
            remedy="write two different groups; an item's counterpart swaps them",
        )


def check_words(
    groups: Mapping[str, str], words: Mapping[str, Sequence[str]], file: Path, located: LocatedYaml
) -> None:
    """Raise TemplateError for a word list that is empty or has another meaning, and for a brace in a word."""
    for name, listed in words.items():
        line = located.line(("words", name))
        if name in (*GROUPS, MASK):
            raise TemplateError(
                f"the word list {name} has the name of {'the mask' if name == MASK else 'a group'}",
                file=file,
                line=line,
                remedy="give the list a different name, also in the texts that use it",
            )
        if not listed:
            raise TemplateError(
                f"the word list {name} is empty",
                file=file,
                line=line,
                remedy=f"add at least one word to {name}",
            )
    values: list[tuple[Location, str]] = [(("groups", name), group) for name, group in groups.items()]
    values += [(("words", name, i), word) for name, listed in words.items() for i, word in enumerate(listed)]
    for at, value in values:
        if "{" in value or "}" in value:
            raise TemplateError(
                f"a brace in {value!r}",
                file=file,
                line=located.line(at),
                remedy="write groups and words without placeholders; placeholders go in the texts",
            )


def check_defined(template: Template) -> Template:
    """Return ``template``; raises TemplateError for an undefined placeholder or a misplaced mask.

    A masked hypothesis has at least one {{MASK}}, and its question equally many; no other text has one.
    """
    for premise in template.premises:
        _check(template, premise.text, template.file, premise.line, masks=0)
    for s in template.statements:
        masks = max(1, s.text.count("{{MASK}}")) if s.kind == "masked" else 0
        _check(template, s.text, s.file, s.line, masks)
        _check(template, s.question, s.file, s.line, masks if s.question else 0)
    return template


def _check(template: Template, text: str, file: Path, line: int | None, masks: int) -> None:
    unknown = sorted(names(text) - {*template.words, *GROUPS, MASK})
    if unknown:
        known = examples((*GROUPS, MASK, *template.words), 12)
        raise TemplateError(
            f"{{{{{unknown[0]}}}}} is not defined",
            file=file,
            line=line,
            remedy=f"define it under words, or use one of {known}",
        )
    found = text.count("{{MASK}}")
    if found != masks:
        raise TemplateError(
            f"{found} {{{{MASK}}}} in {text[:60]!r}, expected {masks}",
            file=file,
            line=line,
            remedy="write {{MASK}} for each word that a model fills in, equally often in the question"
            if masks
            else "remove {{MASK}}, or put the text under masked",
        )
