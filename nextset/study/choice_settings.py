"""The section choices of study.yaml: questions with options, from templates or from published files."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue, written_as
from nextset.forms import CHOICE, FormName
from nextset.study.extension_sections import ExtensionSection
from nextset.study.field_types import Paths

__all__ = ["ChoiceSettings", "PortSettings"]

_CATEGORY = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"


class PortSettings(HandWritten):
    """choices.port: the decisions on the templates of a published set that is brought to another culture."""

    decisions: str = ""
    """The sheet with a decision on each template, a CSV file; `nextset port` writes one to fill in."""
    survey: str = ""
    """The answers of people to the survey: a CSV file or a folder of them, or a JSON file of counts."""
    known_to: float = Field(default=0.5, ge=0, le=1, strict=True)
    """A template drops out if a smaller share of the people asked named a group: a number in [0, 1]."""
    answers: int = Field(default=100, ge=1, strict=True)
    """A template drops out if fewer people answered about its stereotype."""
    people: int | None = Field(default=None, ge=1, le=1_000_000_000, strict=True)
    """The number of people asked about each stereotype, for a file of counts; default: their sum."""


class ChoiceSettings(ExtensionSection):
    """choices: questions with three or more options, one of which is unknown (BBQ and its ports)."""

    position: ClassVar[int] = 10
    makes: ClassVar[FormName] = CHOICE.name

    packs: Paths = ()
    """Language packs whose templates of choices are expanded: builtin:en, or folders."""
    templates: Paths = ()
    """Files of published templates: BBQ's CSV, KoBBQ's TSV, or workbooks of EsBBQ; or folders of them."""
    items: Paths = ()
    """Published items: files or folders of BBQ, KoBBQ, EsBBQ or CBBQ, or hub:ORG/NAME@REVISION."""
    categories: tuple[Annotated[str, written_as(_CATEGORY, "age")], ...] = ()
    """The categories to use; empty for all."""
    contrasts: Literal["others", "all"] = "others"
    """others: each target group with each other group. all: any two groups, those without a target too."""
    orders: Literal["one", "rotated", "all"] = "one"
    """The orders of the options as rows of their own. one: an order for each item, such that each option is
    equally often in each place. rotated: each option comes once in each place. all: every order."""
    subset: int | None = Field(default=None, ge=1, strict=True)
    """This many sets of each template, sampled evenly; default: all."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the sample."""
    port: PortSettings | None = None

    @property
    def makes_masks(self) -> bool:
        """True with language packs: published templates and items have no masks."""
        return bool(self.packs)

    @model_validator(mode="after")
    def _named(self) -> ChoiceSettings:
        if not (self.packs or self.templates or self.items):
            raise WrongValue(
                "it names no packs, templates or items", 'write packs: ["builtin:en"], or another source'
            )
        return self
