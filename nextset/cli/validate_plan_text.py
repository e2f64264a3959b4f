"""What a session would be, and how long it would take, as text for the terminal."""

from __future__ import annotations

from nextset.validation.session.session_plan import SessionPlan
from nextset.validation.session.working_hours import LEAST_ANSWERS, Hours, WorkingHours
from nextset.validation.session.workload import Workload

__all__ = ["plan_text"]


def plan_text(plan: SessionPlan) -> str:
    """Return a planned session as text."""
    if plan.kind == "pilot":
        lines = [f"a pilot as the settings are now: {plan.units:,} units, which everyone judges"]
    else:
        lines = [f"a session as the settings are now: {plan.units:,} units, {_overlap(plan)}"]
        if plan.judged:
            lines.append(f"  {plan.judged:,} judgments exist, {plan.enough:,} units have enough")
    if not plan.workload.items:
        return "\n".join([*lines, "  there is nothing to judge"])
    lines.append(f"  people: {plan.people} (at least {plan.least_people} are needed)")
    if plan.if_agreed:
        lines.append(f"  if people differ:     {_read(plan.workload)}")
        lines.append(f"  if they always agree: {_read(plan.if_agreed)}")
    else:
        lines.append(f"  to read: {_read(plan.workload)}")
    if plan.workload.not_covered:
        lines.append(
            f"  {plan.workload.not_covered:,} judgments are left that nobody can give: "
            "more people are needed, or a higher validate.session.budget.person"
        )
    if plan.hours and plan.hours_if_agreed:
        lines += _hours(plan.hours, plan, "if people differ, ")
        lines += _hours(plan.hours_if_agreed, plan, "if they always agree, ", known_only=True)
    elif plan.hours:
        lines += _hours(plan.hours, plan)
    if plan.pause_hours:
        lines.append(f"  and {plan.pause_hours:.1f} hours of breaks for each person")
    return "\n".join(lines)


def _overlap(plan: SessionPlan) -> str:
    if plan.agree:
        return f"up to {plan.overlap:g} judgments each, {plan.agree} that agree are enough"
    if plan.drawn:
        return f"overlap {plan.overlap:g}: {plan.drawn:,} of them are judged by one more than the others"
    return f"overlap {plan.overlap:g}"


def _read(work: Workload) -> str:
    return (
        f"{work.judgments:,} judgments, {work.gold:,} gold and {work.rest:,} rest items; a person up to "
        f"{work.items_a_person:,} items in {work.batches_a_person:,} batches"
    )


def _hours(found: WorkingHours, plan: SessionPlan, case: str = "", *, known_only: bool = False) -> list[str]:
    same = others = "not known"
    if found.same_people:
        timed = f"from {found.answers:,} timed answers of {found.people_known} people"
        same = f"{_interval(found.same_people, plan.people)}, {timed}"
    else:
        same += f": {found.more_answers:,} more timed answers are needed ({LEAST_ANSWERS} of each person)"
    if found.other_people:
        others = _interval(found.other_people, plan.people)
    else:
        others += f": {found.more_people} more people with {LEAST_ANSWERS} timed answers each are needed"
    lines = [
        (f"  hours, {case}by people whose pace is known: {same}", found.same_people),
        (f"  hours, {case}by others like them: {others}", found.other_people),
    ]
    return [line for line, known in lines if known or not known_only]


def _interval(hours: Hours, people: int) -> str:
    return (
        f"{hours.point:.1f} ({hours.low:.1f} to {hours.high:.1f}, 95 %), {hours.point / people:.1f} a person "
        f"({hours.low / people:.1f} to {hours.high / people:.1f})"
    )
