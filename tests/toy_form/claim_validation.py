"""Claims in validation: they are judged like hypotheses."""

from __future__ import annotations

from nextset.validation.forms.judged_hypotheses import Hypotheses

__all__ = ["JUDGED_CLAIMS"]

JUDGED_CLAIMS = Hypotheses(noun="claims", singular="claim")
