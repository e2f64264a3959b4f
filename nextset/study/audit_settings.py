"""The section audit of study.yaml: the models that are measured, and the forms of their inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import field_validator

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue
from nextset.forms import NLI, FormName, forms_asking
from nextset.study.field_types import ModelName

__all__ = ["AuditSettings"]

if TYPE_CHECKING:
    ItemForm = FormName
else:
    ItemForm = Literal[forms_asking(NLI)]
    """A form that asks about NLI items."""


class AuditSettings(HandWritten):
    """audit: the measures of models on the results."""

    models: tuple[ModelName, ...] = ()
    """The models to measure in addition to those of the filter."""
    forms: tuple[ItemForm, ...] = (NLI.name,)
    """The input of models that write, for NLI items: nli, premise and hypothesis; qa, yes/no questions."""

    measures: tuple[str, ...] = ()
    """Further measures: FILE.py:NAME beside the study, or an installed package's."""

    @field_validator("forms")
    @classmethod
    def _each_once(cls, forms: tuple[str, ...]) -> tuple[str, ...]:
        if not forms or len(set(forms)) < len(forms):
            raise WrongValue(
                "it must name at least one form, and each form once", "write [nli], [qa] or [nli, qa]"
            )
        return forms
