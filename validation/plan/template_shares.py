"""The valid share of each template so far, and the templates whose units wait at the end of the queue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.sequential_interval import sequential_interval

__all__ = ["TemplateShare", "template_shares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateShare:
    """The valid share of a template's units."""

    template: str
    units: int
    judged: int
    """The number of its units without a tie and with all judgments that the session asks for (one without a
    session)."""
    valid: int
    """The number of judged units that most annotators call valid."""
    low: float
    """The lower end of the 95 % interval of the valid share, which is valid however often one looks."""
    high: float
    """The upper end."""
    waiting: int
    """The number of units that wait at the end of the queue: all that need judgments, if the whole interval
    is below the session's floor."""


def template_shares(
    facts: Mapping[str, ItemFacts],
    valid: Mapping[str, bool],
    enough: Collection[str],
    floor: float | None,
) -> tuple[TemplateShare, ...]:
    """Return the shares of templates with a judged unit: those that wait first, then by ascending upper end.

    ``valid`` says, for each unit with enough judgments, whether most annotators call it valid; units with a
    tie are only in ``enough``. Without ``floor`` nothing waits. Units without a template never wait.
    """
    by_template: dict[str, list[str]] = defaultdict(list)
    for unit_id, fact in facts.items():
        if fact.template is not None:
            by_template[fact.template].append(unit_id)
    shares = []
    for template, ids in by_template.items():
        judged = [valid[u] for u in ids if u in valid]
        interval = sequential_interval(sum(judged), len(judged))
        if interval is None:
            continue
        waits = floor is not None and interval.high < floor
        shares.append(
            TemplateShare(
                template=template,
                units=len(ids),
                judged=len(judged),
                valid=sum(judged),
                low=interval.low,
                high=interval.high,
                waiting=sum(u not in enough for u in ids) if waits else 0,
            )
        )
    return tuple(sorted(shares, key=lambda s: (-(s.waiting > 0), s.high, s.template)))
