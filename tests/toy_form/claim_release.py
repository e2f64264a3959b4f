"""Claims in a release: the config claims."""

from __future__ import annotations

import dataclasses

from nextset.release.forms.nli import NLI

__all__ = ["RELEASED_CLAIMS"]

RELEASED_CLAIMS = dataclasses.replace(
    NLI,
    config="claims",
    meaning="claims that follow from no premise",
    about="A test set of claims.",
    generated=("claims",),
    candidates=("generate", "claims"),
    has_items=False,
)
