"""Claims in validation: they are judged like hypotheses."""

from __future__ import annotations

import dataclasses

from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES

__all__ = ["JUDGED_CLAIMS"]

JUDGED_CLAIMS = dataclasses.replace(JUDGED_HYPOTHESES, noun="claims", singular="claim")
