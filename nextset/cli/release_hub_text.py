"""The output of `nextset release push` and `nextset release verify` as text for the terminal."""

from __future__ import annotations

from collections import Counter

from nextset.counted import counted
from nextset.release.hub.push import Pushed
from nextset.release.hub.push_plan import PushPlan
from nextset.release.hub.verification import Verification

__all__ = ["plan_text", "pushed_text", "verification_text"]

_FILES = 40
_CARD_LINES = 60


def plan_text(plan: PushPlan) -> str:
    """Return the plan of a push: changes with sizes, settings, the staging branch, and the card."""
    lines = [f"{plan.name} {plan.version} → {plan.page}, with the tag {plan.tag}", _found(plan)]
    if plan.staged == "this version":
        lines.append(
            f"the branch {plan.staging} ({plan.staged_by}) holds all of this version: "
            "a push was interrupted, and this one continues"
        )
    elif plan.staged == "other data":
        lines.append(
            f"the branch {plan.staging} ({plan.staged_by}) holds other data or half a version: it is deleted"
        )
    if plan.settings:
        lines.append(f"settings: the repository becomes {', '.join(plan.settings)}")
    if not plan.committed:
        lines += _changes(plan)
    card = _body(plan.card).splitlines()
    lines += ["the card:", *(f"  | {line}" for line in card[:_CARD_LINES])]
    if len(card) > _CARD_LINES:
        more = counted(len(card) - _CARD_LINES, "more lines", "more line")
        lines.append(f"  … and {more} of README.md")
    return "\n".join(lines)


def _body(card: str) -> str:
    """Return the card without its front matter, which is for the Hub."""
    _, mark, body = card.partition("\n---\n")
    return body.strip() if mark and card.startswith("---") else card


def _found(plan: PushPlan) -> str:
    latest = (
        f"the last version there is {plan.latest}" if plan.latest else "no version has been published there"
    )
    return {
        "no repository": "the repository does not exist yet, or the token may not see it; it is created",
        "other data": latest,
        "untagged": f"main has this version already ({(plan.committed or '')[:8]}); only the tag is missing",
        "published": f"this version is published already ({(plan.committed or '')[:8]})",
    }[plan.found]


def _changes(plan: PushPlan) -> list[str]:
    counts = Counter(change.what for change in plan.changes)
    changes = ", ".join(f"{counts[what]} {what}" for what in ("added", "changed", "deleted"))
    sign = {"added": "+", "changed": "~", "deleted": "-"}
    new = counted(plan.bytes_to_send, "bytes are new", "byte is new")
    lines = [f"files: {changes}, {plan.unchanged} unchanged; {new}"]
    lines += [f"  {sign[c.what]} {c.path} ({counted(c.bytes, 'bytes')})" for c in plan.changes[:_FILES]]
    if len(plan.changes) > _FILES:
        lines.append(f"  … and {counted(len(plan.changes) - _FILES, 'more files', 'more file')}")
    return lines


def pushed_text(done: Pushed) -> str:
    """Return the result of a push; after a dry run, its plan."""
    plan = done.plan
    if done.outcome == "dry run":
        return f"{plan_text(plan)}\nnothing was sent (dry run)"
    if done.outcome == "declined":
        return "nothing was sent"
    lines = [f"{done.outcome}: {plan.name} {plan.version}, commit {(done.commit or '')[:8]}, tag {plan.tag}"]
    lines.append(f"  {plan.page}/tree/{plan.tag}")
    lines.append(f"  load_dataset({plan.repo!r}, revision={plan.tag!r})")
    if done.left:
        lines.append(f"  the branch {done.left} remains; push again to delete it")
    return "\n".join(lines)


def verification_text(found: Verification) -> str:
    """Return the size of the compared version, and each difference."""
    commit = f" (commit {found.commit[:8]})" if found.commit else ""
    lines = [
        f"{found.source}{commit}: {found.name} {found.version}, {counted(found.files, 'files')}, "
        f"{counted(found.bytes, 'bytes')}, {counted(found.rows, 'rows')}"
    ]
    lines += [f"  {difference}" for difference in found.differences]
    lines += [f"  {disagreement}" for disagreement in found.disagreements]
    lines.append(
        "everything matches the manifest" if found.intact else "this is not the version it claims to be"
    )
    return "\n".join(lines)
