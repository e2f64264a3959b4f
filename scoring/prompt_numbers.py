"""The shares of choices placed into the numbers of an input; the same for every kind of models that write."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nextset.array_types import Floats
from nextset.forms import FormName
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.scorer_protocol import Numbers

__all__ = ["prompt_numbers", "shares_of_logs"]


def prompt_numbers(
    form: FormName, prompts: Sequence[Rendered], shares: Sequence[Floats], truncated: bool
) -> Numbers:
    """Return the numbers of an input of ``form`` from the shares of the choices of its prompts.

    Each of ``shares`` belongs to one of ``prompts`` and is in the order of its choices. The last number of a
    form is 1 if the texts were cut.
    """
    part = SCORED_FORMS[form]
    placed: Numbers = np.full((len(prompts), len(part.numbers) - 1), np.nan)
    for row, prompt, each in zip(placed, prompts, shares, strict=True):
        row[list(prompt.places or range(len(each)))] = each
    return np.append(part.joined_shares(prompts, placed), float(truncated))


def shares_of_logs(logs: Floats) -> Floats:
    """Return the probabilities of the choices of one prompt, which sum to 1, from the logarithms of any
    multiple of them."""
    odds = np.exp(logs - logs.max())
    shares: Floats = odds / odds.sum()
    return shares
