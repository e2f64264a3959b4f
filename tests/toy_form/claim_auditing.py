"""Claims in an audit: the measures of NLI items."""

from __future__ import annotations

import dataclasses

from nextset.auditing.forms.items import NLI
from tests.toy_form.claim_form import CLAIM

__all__ = ["AUDITED_CLAIMS"]

AUDITED_CLAIMS = dataclasses.replace(
    NLI,
    name=CLAIM.name,
    title="Claims",
    study_sets=(("generated", "generate", "claims"), ("released", "release", "claims")),
    counted=(
        ("claims", "generate", "claims"),
        ("hard", "filter", "kept"),
        ("released", "release", "claims"),
    ),
    release_adds_rows=False,
)
