"""Records that tests change with `dataclasses.replace`."""

from __future__ import annotations

from nextset.records.nli_items import NliItem

__all__ = ["ITEM"]

ITEM = NliItem(
    id="",
    language="en",
    domain="gender",
    stereotype="man is to programmer",
    template_id=None,
    premise="A premise.",
    hypothesis="A hypothesis.",
    question="A question?",
    label="neutral",
    stance_design="pro",
    bindings=None,
    premise_swapped=False,
    names_group=True,
    set_id=None,
    parent_id=None,
    supersedes=None,
    premise_source=None,
)
"""A plain item without bindings."""
