"""A toy form of a stranger's package: claims, which are NLI items in a table of their own."""

from __future__ import annotations

from nextset.forms import Form
from nextset.records.nli_items import NliItem

__all__ = ["CLAIM"]

CLAIM = Form("claim", "claims", NliItem, "claims", "claims")
