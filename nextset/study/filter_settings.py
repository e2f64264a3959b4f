"""The section filter of study.yaml: which models are asked, and what is kept."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from nextset.files.yaml_checks import HandWritten
from nextset.study.field_types import ModelName
from nextset.study.filter_rule_syntax import FilterRule, Form, checked

__all__ = ["BalanceSettings", "Candidate", "FilterSettings"]

Candidate = Literal["filled", "imported", "plain", "questions", "statements"]
"""A kind of candidates, as filter.candidates names it."""


class BalanceSettings(HandWritten):
    """filter.balance: what becomes of a shift between stances or groups."""

    by: Literal["stance", "group"] = "stance"
    """What is compared between kept items and candidates; questions and statements have groups alone."""
    warn_above: float = Field(default=0.1, gt=0, le=1)
    """A share that differs by more is warned of."""
    mend: bool = False
    """Leave out a random part of what is over-represented, until nothing differs by more."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the random part."""


class FilterSettings(HandWritten):
    """score and filter: which models are asked, and what is kept."""

    candidates: tuple[Candidate, ...] = Field(("filled", "imported"), min_length=1)
    """Which items can come into the new set: NLI items, or questions, or statements."""
    models: tuple[ModelName, ...] = Field(min_length=1)
    """The models that filter."""
    held_out: tuple[ModelName, ...] = ()
    """Models that never see the filter; asked only after it."""
    cascade: bool = False
    """Ask a model only about the items that no earlier model decided."""
    rule: FilterRule = Field(FilterRule(any_wrong=True), validate_default=True)
    """Which candidates are kept; any_wrong: what at least one model gets wrong."""
    pairs: Literal["whole", "apart"] = "whole"
    """whole: items that differ only by group are kept together. apart: each for itself, as in BBNLI-next."""
    balance: BalanceSettings = BalanceSettings()

    @property
    def form(self) -> Form:
        """What the candidates are."""
        return _form(self.candidates)

    @field_validator("candidates")
    @classmethod
    def _one_form(cls, given: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        alone = {"questions", "statements"} & set(given)
        if alone and len(given) > 1:
            raise ValueError(f"{min(alone)} cannot be chosen together with others")
        return given

    @field_validator("models", "held_out")
    @classmethod
    def _each_once(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        twice = next((name for i, name in enumerate(given) if name in given[:i]), None)
        if twice is not None:
            raise ValueError(f"{twice} is named twice: a model has one vote")
        return given

    @field_validator("rule")
    @classmethod
    def _rule_fits(cls, rule: FilterRule, info: ValidationInfo) -> FilterRule:
        known = info.data
        if not {"candidates", "models", "cascade"} <= known.keys():
            return rule  # one of them is wrong itself, and named
        form = _form(known["candidates"])
        return checked(rule, form, len(known["models"]), cascade=known["cascade"])


def _form(candidates: tuple[Candidate, ...]) -> Form:
    forms: dict[Candidate, Form] = {"questions": "question", "statements": "statement"}
    return forms.get(candidates[0], "nli")
