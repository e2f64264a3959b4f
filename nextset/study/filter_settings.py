"""The section filter of study.yaml: the models that decide, and the rule for keeping items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue
from nextset.forms import FORMS, NLI, FormName
from nextset.study.field_types import ModelName
from nextset.study.filter_rule_settings import FilterRule, check_rule

__all__ = ["CANDIDATE_FORMS", "FILLED_FORMS", "BalanceSettings", "Candidate", "FilterSettings"]

CANDIDATE_FORMS = {
    form.released: form for form in FORMS if form.released and form.name == form.rows_of != NLI.name
}
"""The forms of candidates other than NLI items, as written in filter.candidates: questions, statements, and
forms of other packages."""
FILLED_FORMS = {f"filled_{name}": form for name, form in CANDIDATE_FORMS.items() if form.masked}
"""The forms of candidates whose masks the stage fill fills, as written in filter.candidates."""
if TYPE_CHECKING:
    Candidate = str
else:
    Candidate = Literal[("filled", "imported", "plain", *CANDIDATE_FORMS, *FILLED_FORMS)]
    """A kind of candidates, as written in filter.candidates."""


class BalanceSettings(HandWritten):
    """filter.balance: the check that the filter keeps stances and groups alike."""

    earlier_names: ClassVar[Mapping[str, str]] = {"mend": "reject_surplus"}

    by: Literal["stance", "group"] = "stance"
    """The shares to compare; for choice items, stance is condition and polarity. Questions and statements
    have only groups."""
    warn_above: float = Field(default=0.1, gt=0, le=1, strict=True)
    """Warn if a share differs by more than this."""
    reject_surplus: bool = Field(default=False, serialization_alias="mend")
    """Reject a random part of the surplus, until no share differs by more."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the random rejection."""


def _majority() -> FilterRule:
    return FilterRule.model_validate("majority_wrong")


class FilterSettings(HandWritten):
    """filter: the models that decide, and the rule for keeping items."""

    candidates: tuple[Candidate, ...] = Field(("filled", "imported"), min_length=1)
    """The rows to filter; plain: NLI items from templates without masks."""
    models: tuple[ModelName, ...] = Field(min_length=1)
    """The filter models: they decide which candidates are kept."""
    held_out: tuple[ModelName, ...] = ()
    """The held-out models: they do not decide, and are asked only after the filter."""
    cascade: bool = False
    """Ask a model only about the items that earlier models left undecided."""
    rule: FilterRule = Field(default_factory=_majority, validate_default=True)
    """The rule for keeping candidates; majority_wrong: more than half of the models get a candidate wrong."""
    missing: Literal["not_wrong", "wrong", "drop"] = "not_wrong"
    """A candidate that a model did not answer (it abstained or refused, or the answer cannot be read): it is
    not wrong, or wrong, or the candidate is dropped."""
    pairs: Literal["whole", "apart"] = "whole"
    """whole: keep items that differ only by group together, and all choice items of a set. apart: as in
    BBNLI-next."""
    balance: BalanceSettings = BalanceSettings()

    @property
    def form(self) -> FormName:
        """The form of the candidates."""
        return _form(self.candidates)

    @property
    def policy(self) -> dict[str, str]:
        """The key missing for recipes; empty for the default, so that earlier outputs stay current."""
        return {} if self.missing == "not_wrong" else {"missing": self.missing}

    @field_validator("candidates")
    @classmethod
    def _one_form(cls, given: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        exclusive = {name for name in given if _form((name,)) != NLI.name}
        if exclusive and len({_form((name,)) for name in given}) > 1:
            raise WrongValue(
                f"{min(exclusive)} cannot be combined with other candidates",
                f"write candidates: [{min(exclusive)}]",
            )
        return given

    @field_validator("models", "held_out")
    @classmethod
    def _each_once(cls, given: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        repeated = next((name for i, name in enumerate(given) if name in given[:i]), None)
        if repeated is not None:
            raise WrongValue(f"{repeated} is listed twice: a model has one vote", "list it once")
        if both := set(given).intersection(info.data.get("models", ())):
            raise WrongValue(f"{min(both)} is also under filter.models", "hold out another model")
        return given

    @field_validator("rule")
    @classmethod
    def _rule_fits(cls, rule: FilterRule, info: ValidationInfo) -> FilterRule:
        known = info.data
        if not {"candidates", "models", "cascade"} <= known.keys():
            return rule  # one of these keys is itself wrong, and reported
        form = _form(known["candidates"])
        return check_rule(rule, form, len(known["models"]), cascade=known["cascade"])


def _form(candidates: tuple[Candidate, ...]) -> FormName:
    form = {**CANDIDATE_FORMS, **FILLED_FORMS}.get(candidates[0])
    return NLI.name if form is None else form.name
