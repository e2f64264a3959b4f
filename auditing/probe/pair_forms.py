"""The forms in which `nextset probe` asks about a pair: a hypothesis, or a yes/no question."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.forms import NLI, QA, FormName

__all__ = ["PAIR_FORMS", "PairForm"]


@dataclass(frozen=True)
class PairForm:
    """A form in which models are asked about a premise and a second text."""

    form: FormName
    """Its name in `nextset.forms.FORMS`."""
    text: str
    """The field of `PairProbe` that has the second text, which is also its column in the form's rows."""
    answers: tuple[str, str, str]
    """The model's answers in the terms of the form: those of entailment, neutral and contradiction."""


PAIR_FORMS = {
    pair_form.form: pair_form
    for pair_form in (
        PairForm(NLI.name, "hypothesis", ("entailment", "neutral", "contradiction")),
        PairForm(QA.name, "question", ("yes", "maybe", "no")),
    )
}
"""The forms by name, in the order in which models are asked."""
