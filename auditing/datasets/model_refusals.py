"""Checks of the models that an audit without a study names: if one cannot be asked, none is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from nextset.errors import ModelError
from nextset.scoring.asked_model import Model
from nextset.scoring.canaries.cases import FailedCanaries
from nextset.scoring.checks.run_check import check_clear_cases

__all__ = ["check_models", "refuse_unfit"]


def check_models(models: Sequence[str], loaded: Iterable[tuple[str, Callable[[], Model]]]) -> None:
    """Raise ModelError if some of ``models`` fail their canaries, with the names of all that do.

    ``loaded`` has the names of the models that will be asked, each with a function that finds the model.
    """
    unfit: dict[str, ModelError] = {}
    for name, model in loaded:
        try:
            check_clear_cases(model())
        except ModelError as e:
            unfit.setdefault(name, e)
    refuse_unfit(models, unfit)


def refuse_unfit(models: Sequence[str], unfit: Mapping[str, ModelError]) -> None:
    """Raise one ModelError for all models in ``unfit``; its remedy says which of ``models`` to omit."""
    if not unfit:
        return
    errors = list(unfit.values())
    why = "; ".join(e.message for e in errors)
    if len(models) > 1:
        why = f"{why}. No model was asked"
    named = " and ".join(f"--model {name}" for name in unfit)
    remedies = [f"omit {named}" if len(unfit) < len(models) else "name another model"]
    failed = next((e for e in errors if isinstance(e, FailedCanaries)), None)
    if failed is not None:
        remedies.append(failed.remedy)
    elif len(unfit) == 1:
        remedies.append(f"or {errors[0].remedy}")
    raise ModelError(why, remedy="; ".join(remedies))
