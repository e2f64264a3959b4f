"""Own scorers as a kind of models: a user's functions from inputs to probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nextset.forms import NLI, FormName
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import SCORED_FORMS, FormScorer
from nextset.scoring.kinds.kind_protocol import ModelKind
from nextset.scoring.models.sources import ModelSource, OwnFunction
from nextset.scoring.scorer_protocol import Scorer

__all__ = ["OWN_FUNCTION", "OwnFunctionKind"]


def _load(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.own_scorer import OwnScorer

    return OwnScorer.load(source, asking, device)


class OwnFunctionKind(ModelKind):
    """Functions of users; they are asked about every form with labels."""

    name = "own"
    noun = "own scorer"
    place = 6
    listed = False
    usual_form = NLI.name
    in_this_process = False

    def has(self, source: ModelSource, architectures: Sequence[str]) -> bool:
        """Return True for a user's function."""
        return isinstance(source.own, OwnFunction)

    def scorer(self, form: FormName) -> FormScorer | None:
        """Return the scorer for a form with labels."""
        if SCORED_FORMS[form].labels:
            return FormScorer(_load)
        return super().scorer(form)

    def options(self, asking: Asking) -> dict[str, Any]:
        """Return the form and its labels; a function decides everything else itself."""
        return {"form": asking.form, "labels": list(SCORED_FORMS[asking.form].labels)}


OWN_FUNCTION = OwnFunctionKind()
"""Own scorers."""
