"""The output of `nextset validate merge` as text: the merged logs and the conflicts, at most a screen."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.counted import counted
from nextset.validation.merge.merge_conflicts import Conflict
from nextset.validation.merge.merge_copies import Merged, MergedSession

__all__ = ["merged_text"]

_SESSIONS = 5
"""The most sessions that are listed; the others are counted."""
_CASES = 6
"""The most cases that are listed, over all conflicts."""


def merged_text(done: Merged) -> str:
    """Return a merge as text, with conflicts by kind and examples of each; --json has all cases."""
    if done.entries_new or done.events_new:
        lines = [
            f"merged {done.other}: {counted(done.entries_new, 'new lines', 'new line')} in log.jsonl "
            f"({done.entries_already:,} known), {done.events_new:,} in plan.jsonl "
            f"({done.events_already:,} known)",
        ]
    else:
        lines = [f"nothing is new in {done.other}: this study already has all of it"]
    lines += [_session(session) for session in done.sessions[:_SESSIONS]]
    if len(done.sessions) > _SESSIONS:
        lines.append(f"  and {counted(len(done.sessions) - _SESSIONS, 'more sessions', 'more session')}")
    lines.append(
        f"judgments that count: {done.judgments:,} in total, {done.judgments_before:,} here before, "
        f"{done.judgments_there:,} in the other copy"
    )
    if done.backup is not None:
        lines.append(f"copies of the earlier logs are in {done.backup}")
    lines += _conflicts(done.conflicts)
    return "\n".join([*lines, "next: nextset validate status STUDY, or nextset run STUDY"])


def _session(session: MergedSession) -> str:
    where, at = "new" if session.new else "in both copies", session.opened_at[:16]
    return (
        f"  session {session.session} ({session.kind}, {session.there} there, opened {at}): "
        f"{where}, {counted(session.judgments, 'judgments count', 'judgment counts')}"
    )


def _conflicts(conflicts: Sequence[Conflict]) -> list[str]:
    if not conflicts:
        return ["no conflicts"]
    each = max(1, _CASES // len(conflicts))
    lines = [f"conflicts: {counted(len(conflicts), 'kinds')} (--json lists all cases)"]
    for conflict in conflicts:
        lines.append(f"  {conflict.kind}: {conflict.text}")
        lines += [f"    {case}" for case in conflict.cases[:each]]
        if len(conflict.cases) > each:
            lines[-1] += f" (and {len(conflict.cases) - each:,} more)"
    return lines
