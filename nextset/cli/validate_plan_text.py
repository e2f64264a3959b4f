"""The plan of a session, with its estimated hours, as text for the terminal."""

from __future__ import annotations

from nextset.counted import counted
from nextset.validation.session.session_plan import SessionPlan
from nextset.validation.session.working_hours import LEAST_ANSWERS, Hours, WorkingHours
from nextset.validation.session.workload import Workload

__all__ = ["plan_text"]


def plan_text(plan: SessionPlan) -> str:
    """Return a planned session as text."""
    if plan.kind == "pilot":
        lines = [f"a pilot with the current settings: {counted(plan.units, 'units')}, judged by everyone"]
    else:
        lines = [f"a session with the current settings: {counted(plan.units, 'units')}, {_overlap(plan)}"]
        if plan.judged:
            judged = counted(plan.judged, "judgments so far", "judgment so far")
            lines.append(f"  {judged}; {counted(plan.enough, 'units have enough', 'unit has enough')}")
    if not plan.workload.items:
        return "\n".join([*lines, "  there is nothing to judge"])
    lines.append(f"  people: {plan.people} (needed: at least {plan.least_people})")
    if plan.if_agreed:
        lines.append(f"  if people disagree:   {_read(plan.workload)}")
        lines.append(f"  if they always agree: {_read(plan.if_agreed)}")
    else:
        lines.append(f"  to read: {_read(plan.workload)}")
    if plan.workload.not_covered:
        missing = counted(plan.workload.not_covered, "judgments are not covered", "judgment is not covered")
        lines.append(f"  {missing}: add people, or raise validate.session.budget.person")
    if plan.hours and plan.hours_if_agreed:
        lines += _hours(plan.hours, plan, "if people disagree, ")
        lines += _hours(plan.hours_if_agreed, plan, "if they always agree, ", known_only=True)
    elif plan.hours:
        lines += _hours(plan.hours, plan)
    if plan.pause_hours:
        lines.append(f"  and {plan.pause_hours:.1f} hours of breaks per person")
    return "\n".join(lines)


def _overlap(plan: SessionPlan) -> str:
    if plan.agree:
        return f"up to {plan.overlap:g} judgments each; {plan.agree} that agree are enough"
    if plan.drawn:
        drawn = counted(plan.drawn, "of them get", "of them gets")
        return f"overlap {plan.overlap:g}: {drawn} one more judgment than the others"
    return f"overlap {plan.overlap:g}"


def _read(work: Workload) -> str:
    return (
        f"{counted(work.judgments, 'judgments')}, {work.gold:,} gold and {work.rest:,} rest items; per "
        f"person up to {counted(work.items_a_person, 'items')} in {counted(work.batches_a_person, 'batches')}"
    )


def _hours(found: WorkingHours, plan: SessionPlan, case: str = "", *, known_only: bool = False) -> list[str]:
    same = others = "not known"
    if found.same_people:
        timed = (
            f"from {counted(found.answers, 'timed answers', 'timed answer')} of "
            f"{counted(found.people_known, 'people')}"
        )
        same = f"{_interval(found.same_people, plan.people)}, {timed}"
    else:
        needed = counted(found.more_answers, "more timed answers are needed", "more timed answer is needed")
        same += f": {needed} ({LEAST_ANSWERS} per person)"
    if found.other_people:
        others = _interval(found.other_people, plan.people)
    else:
        answers = f"{LEAST_ANSWERS} timed answers"
        needed = counted(
            found.more_people, f"more people need {answers} each", f"more person needs {answers}"
        )
        others += f": {needed}"
    lines = [
        (f"  hours, {case}by people whose pace is known: {same}", found.same_people),
        (f"  hours, {case}by others like them: {others}", found.other_people),
    ]
    return [line for line, known in lines if known or not known_only]


def _interval(hours: Hours, people: int) -> str:
    return (
        f"{hours.point:.1f} ({hours.low:.1f} to {hours.high:.1f}, 95 %), {hours.point / people:.1f} per "
        f"person ({hours.low / people:.1f} to {hours.high / people:.1f})"
    )
