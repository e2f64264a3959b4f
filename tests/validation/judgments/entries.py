"""Entries that tests change with `dataclasses.replace`."""

from __future__ import annotations

from nextset.validation.judgments.log_entry import Entry

__all__ = ["ENTRY"]

ENTRY = Entry(
    session="1",
    project="7",
    annotation="1",
    digest="d",
    answered_at="2026-01-01T10:00:00.000000+00:00",
    unit_id="u1",
    judge="a-1",
    key="k",
    outcome="judged",
    verdict="invalid",
    stance_judged=None,
    underspecified=None,
    grammatical=None,
    free_of_hint=None,
    reason="",
    comment="",
    problem="",
    seconds=3.5,
    guidelines="g",
)
"""A plain judgment."""
