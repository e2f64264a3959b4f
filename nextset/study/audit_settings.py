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
    """audit: models that are measured in addition to the filter's models."""

    models: tuple[ModelName, ...] = ()
    forms: tuple[ItemForm, ...] = (NLI.name,)
    """The input of models that write text, for NLI items: nli, premise and hypothesis; qa, yes/no questions.
    Any other model is asked in the one form that it knows."""

    measures: tuple[str, ...] = ()
    """Further measures: FILE.py:NAME, a function in a file beside the study, or the name of a measure that an
    installed package registers."""

    @field_validator("forms")
    @classmethod
    def _each_once(cls, forms: tuple[str, ...]) -> tuple[str, ...]:
        if not forms or len(set(forms)) < len(forms):
            raise WrongValue(
                "it must name at least one form, and each form once", "write [nli], [qa] or [nli, qa]"
            )
        return forms
