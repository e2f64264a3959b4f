"""Disputed units, whose votes differ, and their votes as adjudicators see them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from nextset.validation.agreement.ratings import Rating
from nextset.validation.agreement.split_votes import disagreements
from nextset.validation.annotator_pages.tasks import votes_text
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.session.materials import SessionMaterials

__all__ = ["disputed", "votes_as_text"]


def disputed(materials: SessionMaterials, counted: Sequence[Counted]) -> list[str]:
    """Return the units that have differing votes and no adjudication yet, the most even votes first.

    For hypotheses the stance is part of the vote.
    """
    settled = {c.entry.unit_id for c in counted if c.is_verdict and c.kind == "adjudication"}
    votes = [
        Rating(c.entry.unit_id, c.person, " ".join(filter(None, (c.entry.verdict, c.entry.stance_judged))))
        for c in _votes(counted)
        if c.entry.unit_id in materials.unit_ids and c.entry.unit_id not in settled
    ]
    return [d.unit_id for d in disagreements(votes, "not_unanimous")]


def votes_as_text(materials: SessionMaterials, counted: Sequence[Counted]) -> Mapping[str, str]:
    """Return the votes on each unit in the page's wording, anonymously."""
    by_unit: dict[str, list[Entry]] = defaultdict(list)
    for c in _votes(counted):
        by_unit[c.entry.unit_id].append(c.entry)
    return {unit_id: votes_text(materials.briefing.wording, entries) for unit_id, entries in by_unit.items()}


def _votes(counted: Sequence[Counted]) -> list[Counted]:
    return [c for c in counted if c.is_verdict and c.kind != "adjudication"]
