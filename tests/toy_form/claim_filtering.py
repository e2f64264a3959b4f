"""Claims in the filter: rules read labels."""

from __future__ import annotations

from nextset.filtering.forms.nli import FilteredItems

__all__ = ["FILTERED_CLAIMS"]


class _FilteredClaims(FilteredItems):
    row = "a claim"
    rows = "claims"


FILTERED_CLAIMS = _FilteredClaims()
