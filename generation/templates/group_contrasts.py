"""The contrasts of a template with more than two groups, or with groups that cross two attributes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from nextset.errors import TemplateError
from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue
from nextset.generation.templates.placeholders import PlaceholderError, check, names, render
from nextset.letter_case import spelling

__all__ = ["Contrast", "CrossedGroups", "NamedGroups", "compared", "contrasts_of", "crossed_contrasts"]

Contrast = tuple[str, str]
"""The groups of {{GROUP1}} and {{GROUP2}}: the stereotype is about the first."""
_MOST = 64
"""The most groups of a template."""


class NamedGroups(HandWritten):
    """groups: the groups of a template; the stereotype is about the first."""

    GROUP1: str = Field(min_length=1)
    GROUP2: str = Field(min_length=1)
    GROUP3: str = ""
    GROUP4: str = ""
    GROUP5: str = ""
    GROUP6: str = ""

    @property
    def named(self) -> dict[str, str]:
        """The groups that the file names, by placeholder."""
        return {name: group for name, group in self.model_dump().items() if group}

    @model_validator(mode="after")
    def _in_order(self) -> NamedGroups:
        values = list(self.model_dump().values())
        if any(later and not before for before, later in itertools.pairwise(values)):
            raise WrongValue("a number is left out", "number the groups in order: GROUP1, GROUP2, GROUP3")
        return self


class CrossedGroups(HandWritten):
    """crossed: groups that combine two or more attributes, such as race and gender."""

    attributes: dict[str, tuple[str, ...]] = Field(min_length=2, max_length=4)
    """The values of each attribute; the stereotype is about the first of each."""
    text: str = Field(min_length=1)
    """The group's text, with the attributes as placeholders, such as {{RACE}} {{GENDER}}."""
    along: Literal["one", "both", "any"] = "one"
    """one: groups are compared that differ in one attribute. both: in all attributes. any: in one or more."""


@dataclass(frozen=True)
class _Crossed:
    """A group that combines a value of each attribute."""

    values: tuple[str, ...]
    text: str


def contrasts_of(groups: Sequence[str]) -> tuple[Contrast, ...]:
    """Return the pairs of ``groups`` that are compared: the first with each other one."""
    return tuple((groups[0], other) for other in groups[1:])


def compared(contrasts: Sequence[Contrast]) -> tuple[str, ...]:
    """Return the groups of ``contrasts``, the one that the stereotype is about first."""
    return tuple(dict.fromkeys(group for pair in contrasts for group in pair))


def crossed_contrasts(crossed: CrossedGroups, file: Path, line: int | None) -> tuple[Contrast, ...]:
    """Return the pairs of crossed groups that are compared, the group of the first values with others.

    Raises TemplateError if the text lacks an attribute, an attribute has fewer than two values, or two groups
    have the same text.
    """

    def wrong(problem: str, remedy: str) -> TemplateError:
        return TemplateError(problem, file=file, line=line, remedy=remedy)

    keys = list(crossed.attributes)
    try:
        check(crossed.text)
    except PlaceholderError as e:
        raise wrong(str(e), "write the attributes as placeholders, such as {{RACE}} {{GENDER}}") from None
    if names(crossed.text) != set(keys):
        odd = sorted(names(crossed.text) ^ set(keys))[0]
        raise wrong(
            f"{{{{{odd}}}}} is not both an attribute and in the text of the groups",
            "name each attribute once in text, in capitals, as in attributes",
        )
    few = [key for key, values in crossed.attributes.items() if len(values) < 2]
    if few:
        raise wrong(f"the attribute {few[0]} has fewer than two values", "write two or more values")
    count = math.prod(map(len, crossed.attributes.values()))
    if count > _MOST:
        raise wrong(f"the attributes make {count} groups, more than {_MOST}", "write fewer values")
    wrong_values = [
        v for values in crossed.attributes.values() for v in values if not v.strip() or set(v) & set("{}")
    ]
    if wrong_values:
        raise wrong(
            f"{wrong_values[0][:60]!r} is not the value of an attribute", "write a text without braces"
        )
    made = [
        _Crossed(values, render(crossed.text, dict(zip(keys, values, strict=True)), capitalise=False))
        for values in itertools.product(*crossed.attributes.values())
    ]
    texts = tuple(group.text for group in made)
    if len(set(map(spelling, texts))) < len(texts):
        raise wrong("two of the groups have the same text", "write values that differ")
    pairs = ((made[0], other) for other in made[1:] if _compared(made[0], other, crossed.along))
    return tuple((target.text, other.text) for target, other in pairs)


def _compared(one: _Crossed, other: _Crossed, along: str) -> bool:
    differing = sum(a != b for a, b in zip(one.values, other.values, strict=True))
    return along == "any" or differing == (1 if along == "one" else len(one.values))
