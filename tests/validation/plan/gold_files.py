"""Gold items read from a file, for tests."""

from __future__ import annotations

from pathlib import Path

from nextset.validation.forms.validated_form import VALIDATED_FORMS
from nextset.validation.plan.gold import GoldItem, read_gold

__all__ = ["gold_of"]


def gold_of(path: Path, form: str, *, premise: bool = False) -> tuple[GoldItem, ...]:
    """Return the gold items of a form in ``path``."""
    return read_gold(path, VALIDATED_FORMS[form], list(VALIDATED_FORMS), premise=premise)
