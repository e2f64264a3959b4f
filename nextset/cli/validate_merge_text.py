"""The output of `nextset validate merge` as text: what came together, and the conflicts, at most a screen."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.validation.merge.merge_conflicts import Conflict
from nextset.validation.merge.merge_copies import Merged, MergedSession

__all__ = ["merged_text"]

_SESSIONS = 5
"""Sessions that are listed; the others are counted."""
_CASES = 6
"""Cases that are listed, of all conflicts together."""


def merged_text(done: Merged) -> str:
    """Return a merge as text; conflicts are listed by kind with examples, all of them are in --json."""
    if done.entries_new or done.events_new:
        lines = [
            f"merged {done.other}: {done.entries_new:,} lines are new in log.jsonl ({done.entries_already:,} "
            f"were known), {done.events_new:,} in plan.jsonl ({done.events_already:,} were known)",
        ]
    else:
        lines = [f"nothing is new in {done.other}: all of it is in this study already"]
    lines += [_session(session) for session in done.sessions[:_SESSIONS]]
    if len(done.sessions) > _SESSIONS:
        lines.append(f"  and {len(done.sessions) - _SESSIONS:,} more sessions")
    lines.append(
        f"judgments that count: {done.judgments:,} together, {done.judgments_before:,} here before, "
        f"{done.judgments_there:,} in the other copy"
    )
    if done.backup is not None:
        lines.append(f"the logs as they were are in {done.backup}")
    lines += _conflicts(done.conflicts)
    return "\n".join([*lines, "next: nextset validate status STUDY, or nextset run STUDY"])


def _session(session: MergedSession) -> str:
    where, at = "new" if session.new else "in both copies", session.opened_at[:16]
    return (
        f"  session {session.session} ({session.kind}, {session.there} there, opened {at}): "
        f"{where}, {session.judgments:,} judgments count"
    )


def _conflicts(conflicts: Sequence[Conflict]) -> list[str]:
    if not conflicts:
        return ["no conflicts"]
    each = max(1, _CASES // len(conflicts))
    lines = [f"conflicts: {len(conflicts)} kinds (all cases with --json)"]
    for conflict in conflicts:
        lines.append(f"  {conflict.kind}: {conflict.text}")
        lines += [f"    {case}" for case in conflict.cases[:each]]
        if len(conflict.cases) > each:
            lines[-1] += f" (and {len(conflict.cases) - each:,} more)"
    return lines
