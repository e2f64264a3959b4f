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
    """The template."""
    units: int
    """Its units."""
    judged: int
    """Units without a tie that have as many judgments as their session asks for; without a session, one."""
    valid: int
    """Those of them that most annotators call valid."""
    low: float
    """Lower end of the 95 % interval of the valid share, which holds however often it is looked at."""
    high: float
    """Upper end."""
    waiting: int
    """Units that wait at the end of the queue for judgments: all that need some, if the interval lies wholly
    below the session's floor."""


def template_shares(
    facts: Mapping[str, ItemFacts],
    valid: Mapping[str, bool],
    enough: Collection[str],
    floor: float | None,
) -> tuple[TemplateShare, ...]:
    """Return the shares of templates with a judged unit: those that wait first, then the lowest upper end.

    ``valid`` says of each unit with enough judgments whether most call it valid; ties are not in it, but in
    ``enough``. Without ``floor`` nothing waits. Units without a template never wait.
    """
    by_template: dict[str, list[str]] = defaultdict(list)
    for unit_id, fact in facts.items():
        if fact.template is not None:
            by_template[fact.template].append(unit_id)
    found = []
    for template, ids in by_template.items():
        judged = [valid[u] for u in ids if u in valid]
        interval = sequential_interval(sum(judged), len(judged))
        if interval is None:
            continue
        waits = floor is not None and interval.high < floor
        found.append(
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
    return tuple(sorted(found, key=lambda s: (-(s.waiting > 0), s.high, s.template)))
