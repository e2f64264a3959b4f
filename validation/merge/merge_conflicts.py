"""Conflicts between two copies of a study, and their outcome."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from nextset.counted import counted
from nextset.study.validation_settings import SessionSettings
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.merge.copied_logs import CopiedLogs
from nextset.validation.merge.log_union import LogUnion
from nextset.validation.plan.counting_rules import Counted, WhyNot
from nextset.validation.plan.events import SessionOpened
from nextset.validation.plan.judgments_per_unit import judgments_per_unit
from nextset.validation.plan.state import Participant, Session, State

__all__ = ["Conflict", "ConflictKind", "Merging", "conflicts"]

ConflictKind = Literal[
    "judged in both",
    "answered in both",
    "consent withdrawn",
    "agreed again",
    "no longer counts",
    "counts now",
    "continued in both",
    "closed in one",
    "overlap",
    "more than the overlap",
    "pseudonym keys",
    "guidelines",
    "accounts",
    "unknown units",
    "gold and unit",
    "omitted lines",
    "chain",
]
"""The kinds of conflicts, in the order of listing."""


@dataclass(frozen=True)
class Conflict:
    """A kind of conflict, with all of its cases."""

    kind: ConflictKind
    text: str
    """The conflict and its outcome, as text."""
    cases: tuple[str, ...]


@dataclass(frozen=True)
class Merging:
    """A merge: both copies as they are, and the result."""

    own: CopiedLogs
    """This copy."""
    other: CopiedLogs
    """The other copy."""
    added: LogUnion
    """The lines that the other copy adds."""
    state: State
    """The state after the merge."""
    units: Collection[str]
    """The ids of this study's units."""
    own_counted: Sequence[Counted]
    """The entries of this copy, as they counted before."""
    other_counted: Sequence[Counted]
    """The entries of the other copy, as they count there."""
    counted: Sequence[Counted]
    """The entries of this copy, then the added ones, as they count after the merge."""


def conflicts(merging: Merging, settings: SessionSettings | None) -> tuple[Conflict, ...]:
    """Return the conflicts of a merge; ``settings`` give the judgments per unit if no session does."""
    return tuple(
        conflict
        for conflict in (
            *_changed(merging),
            _agreed_again(merging),
            _continued(merging),
            _closed(merging),
            _overlap(merging, settings),
            _over_overlap(merging, settings),
            _keys(merging),
            _guidelines(merging),
            _accounts(merging),
            _unknown_units(merging),
            _gold_and_unit(merging),
            _omitted(merging),
            _chain(merging),
        )
        if conflict.cases
    )


_NO_LONGER: dict[WhyNot, tuple[ConflictKind, str, str, str]] = {
    "second answer": (
        "judged in both",
        "judgments no longer count",
        "judgment no longer counts",
        ": the same person also judged the unit in the other copy, and the earlier judgment counts (one from "
        "a session before one from a file)",
    ),
    "superseded": (
        "answered in both",
        "answers no longer count",
        "answer no longer counts",
        ": the other copy has a different state of the same answer, and the state after more corrections "
        "counts, or else the later one",
    ),
    "consent withdrawn": (
        "consent withdrawn",
        "judgments no longer count",
        "judgment no longer counts",
        ": the person withdrew consent in the other copy",
    ),
}


_NOT_TOGETHER: tuple[ConflictKind, str, str, str] = (
    "no longer counts",
    "judgments count in their own copy, but not after the merge",
    "judgment counts in its own copy, but not after the merge",
    "",
)


def _changed(merging: Merging) -> Iterator[Conflict]:
    """Yield conflicts of entries that count only in their own copy, or only after the merge."""
    lost: dict[ConflictKind, list[str]] = defaultdict(list)
    why: dict[ConflictKind, tuple[str, str, str]] = {}
    gained: list[str] = []
    best = {(c.person, c.entry.unit_id): c.entry for c in merging.counted if c.counts}
    for before, after in _before_and_after(merging):
        if before.counts and not after.counts:
            kind, many, one, explanation = _NO_LONGER.get(after.why_not, _NOT_TOGETHER)
            why[kind] = (many, one, explanation)
            instead = best.get((after.person, after.entry.unit_id))
            than = f"; {_said(instead)} counts" if instead and kind != "consent withdrawn" else ""
            reason = f" ({after.why_not})" if kind == "no longer counts" else ""
            lost[kind].append(f"{after.person} on {after.entry.unit_id}: {_said(after.entry)}{reason}{than}")
        elif after.counts and not before.counts:
            gained.append(
                f"{after.person} on {after.entry.unit_id}: {_said(after.entry)} (was: {before.why_not})"
            )
    for kind in ("judged in both", "answered in both", "consent withdrawn", "no longer counts"):
        if lost[kind]:
            many, one, explanation = why[kind]
            yield Conflict(kind, counted(len(lost[kind]), many, one) + explanation, tuple(lost[kind]))
    count = counted(len(gained), "judgments count", "judgment counts")
    text = f"{count} after the merge that did not count before"
    yield Conflict("counts now", text, tuple(gained))


def _before_and_after(merging: Merging) -> Iterator[tuple[Counted, Counted]]:
    """Yield each entry as it counted in its own copy (if in both, in this one) and as it counts now."""
    n = len(merging.own.entries)
    yield from zip(merging.own_counted, merging.counted[:n], strict=True)
    here = merging.added.sessions
    there: dict[tuple[str, Entry], list[Counted]] = defaultdict(list)
    for c in merging.other_counted:
        there[here.get(c.entry.session, ""), _plain(c.entry)].append(c)
    for after in merging.counted[n:]:
        same = there[after.entry.session, _plain(after.entry)]
        if same:  # repeated states are in their order
            yield same.pop(0), after


def _plain(entry: Entry) -> Entry:
    return replace(entry, session="", nth=None)


def _said(entry: Entry) -> str:
    answer = " ".join(filter(None, (entry.verdict or entry.outcome, entry.stance_judged)))
    return f"{answer} in {_source(entry)}"


def _source(entry: Entry) -> str:
    if entry.session:
        return f"session {entry.session}"
    return f"a table, line {entry.annotation[1:]}" if entry.number == "#" else "an export"


def _agreed_again(merging: Merging) -> Conflict:
    cases = []
    for person, parts in _parts(merging.state).items():
        withdrawn = [s.opened.session for s, p in parts if p.withdrew]
        agreed = [s.opened.session for s, p in parts if not p.withdrew and p.items]
        if (
            withdrawn
            and agreed
            and {s in merging.added.new_sessions for s in (*withdrawn, *agreed)}
            == {
                True,
                False,
            }
        ):
            cases.append(
                f"{person}: withdrawn for session {', '.join(withdrawn)}, but not for {', '.join(agreed)}"
            )
    text = (
        f"{counted(len(cases), 'people')} withdrew consent in one copy and agreed in the other after that: "
        "later judgments count; to withdraw all, run `nextset validate leave STUDY PERSON --withdraw`"
    )
    return Conflict("agreed again", text, tuple(cases))


def _parts(state: State) -> dict[str, list[tuple[Session, Participant]]]:
    parts: dict[str, list[tuple[Session, Participant]]] = defaultdict(list)
    for session in state.sessions.values():
        for person, participant in session.people.items():
            parts[person].append((session, participant))
    return parts


def _continued(merging: Merging) -> Conflict:
    """Return the conflict about sessions that continued in both copies."""
    ours = Counter(i[0].session for i in merging.own.event_identities(merging.own.marks) if i)
    theirs = {i for i in merging.other.event_identities(merging.other.marks) if i}
    common = Counter(
        i[0].session for i in merging.own.event_identities(merging.own.marks) if i and i in theirs
    )
    of_theirs = Counter(i[0].session for i in theirs)
    cases = []
    for number, mark in merging.own.marks.items():
        own, other = ours[mark] - common[mark], of_theirs[mark] - common[mark]
        if common[mark] and own and other:
            people = merging.state.sessions[number].people.values()
            twice = [p.person for p in people if len({b.batch for b in p.batches}) < len(p.batches)]
            batches = f"; different batches in both: {', '.join(twice)}" if twice else ""
            cases.append(f"session {number}: {counted(own, 'events')} here, {other:,} there{batches}")
    text = f"{counted(len(cases), 'sessions')} continued in both copies: all events of both count"
    return Conflict("continued in both", text, tuple(cases))


def _closed(merging: Merging) -> Conflict:
    """Return the conflict about sessions that only one copy closed, or each at a different time."""
    there = {s.opened.mark: s.closed_at for s in merging.other.state.sessions.values()}
    cases = []
    for number, session in merging.own.state.sessions.items():
        mark, ours = session.opened.mark, session.closed_at
        if mark in there and there[mark] != ours:
            cases.append(
                f"session {number}: here {ours or 'open'}, there {there[mark] or 'open'}; "
                f"now {merging.state.sessions[number].closed_at or 'open'}"
            )
    closed = counted(len(cases), "sessions were", "session was")
    text = f"{closed} closed in one copy only, or at different times: the latest close counts"
    return Conflict("closed in one", text, tuple(cases))


def _overlap(merging: Merging, settings: SessionSettings | None) -> Conflict:
    """Return the conflict about sessions of the other copy with a different number of judgments per unit.

    One session decides the number. If it is a merged session, sessions of earlier merges and study.yaml may
    also have asked for a different number.
    """
    decides = merging.state.last_asking
    if decides is None:
        return Conflict("overlap", "", ())
    number, merged = decides.opened.session, merging.state.merged
    of_others = merged if number in merged else merged.intersection(merging.added.sessions.values())
    overlaps = {
        f"session {s}": _asked(session.opened)
        for s, session in merging.state.sessions.items()
        if s in of_others and session.opened.kind != "adjudication"
    }
    if number in merged and settings:
        overlaps["validate.session in study.yaml"] = _asked(settings)
    holds = _asked(decides.opened)
    cases = tuple(f"{where}: {what}" for where, what in overlaps.items() if what != holds)
    why = "no session was opened here" if number in merged else "it is the last one opened here"
    text = (
        f"the sessions ask for different numbers of judgments: session {number} decides ({holds}), "
        f"since {why}"
    )
    return Conflict("overlap", text, cases)


def _asked(by: SessionOpened | SessionSettings) -> str:
    return f"overlap {by.overlap:g}" + (f", agree {by.agree}" if by.agree is not None else "")


def _over_overlap(merging: Merging, settings: SessionSettings | None) -> Conflict:
    numbers = [s.asked for s in merging.state.sessions.values() if s.opened.kind == "main"]
    if settings:
        numbers.append(judgments_per_unit(settings.overlap, merging.units, settings.seed))

    def judged(counted: Iterable[Counted]) -> Counter[str]:
        return Counter(c.entry.unit_id for c in counted if c.is_verdict and c.kind != "adjudication")

    ours, theirs = judged(merging.own_counted), judged(merging.other_counted)
    cases = tuple(
        f"{unit_id}: {n} judgments"
        for unit_id, n in sorted(judged(merging.counted).items())
        if n > max(1, ours[unit_id], theirs[unit_id], *(each.of(unit_id) for each in numbers))
    )
    have = counted(len(cases), "units have", "unit has")
    text = f"{have} more judgments than any session asks for, and all of these judgments count"
    return Conflict("more than the overlap", text, cases)


def _keys(merging: Merging) -> Conflict:
    ours, theirs = (
        {e.key for e in copy.entries if e.judge} | {s.opened.key for s in copy.state.sessions.values()}
        for copy in (merging.own, merging.other)
    )
    cases = [
        *(f"{key}: only here" for key in sorted(ours - theirs)),
        *(f"{key}: only in the other copy" for key in sorted(theirs - ours)),
    ]
    text = (
        f"{counted(len(cases), 'pseudonym keys are', 'pseudonym key is')} in one copy only: the same person "
        "has a different pseudonym under each key, and counts as two people, also if consent is withdrawn"
    )
    return Conflict("pseudonym keys", text, tuple(cases) if ours - theirs and theirs - ours else ())


def _guidelines(merging: Merging) -> Conflict:
    ours, theirs = (
        {s.opened.guidelines for s in copy.state.sessions.values()} for copy in (merging.own, merging.other)
    )
    cases = [
        *(f"{version}: only here" for version in sorted(ours - theirs)),
        *(f"{version}: only in the other copy" for version in sorted(theirs - ours)),
    ]
    are = counted(len(cases), "versions of the guidelines are", "version of the guidelines is")
    text = f"{are} in one copy only: people judged by different guidelines"
    return Conflict("guidelines", text, tuple(cases) if ours - theirs and theirs - ours else ())


def _accounts(merging: Merging) -> Conflict:
    """Return the conflict about accounts in exports that belong to different people on the two servers."""
    people: dict[str, set[str]] = defaultdict(set)
    for session in merging.state.sessions.values():
        for account, person in session.accounts.items():
            people[account].add(person)
    exported = Counter(e.judge for e in _entries(merging) if not e.session and len(people[e.judge]) > 1)
    cases = tuple(
        f"{account}, {counted(n, 'answers')}: {' or '.join(sorted(people[account]))}"
        for account, n in sorted(exported.items())
    )
    belong = counted(len(cases), "accounts in exported files belong", "account in exported files belongs")
    text = f"{belong} to different people on the two servers: the answers count as those of additional people"
    return Conflict("accounts", text, cases)


def _entries(merging: Merging) -> Iterator[Entry]:
    yield from merging.own.entries
    yield from merging.added.entries


def _unknown_units(merging: Merging) -> Conflict:
    n = len(merging.own.entries)
    cases = tuple(
        f"{c.entry.unit_id} by {c.person}: {_said(c.entry)}"
        for c in merging.counted[n:]
        if c.why_not == "unknown unit"
    )
    text = (
        f"{counted(len(cases), 'judgments')} in the other copy of units that this study does not have: "
        "all count once the two copies have the same units (the same study.yaml, templates and models)"
    )
    return Conflict("unknown units", text, cases)


def _gold_and_unit(merging: Merging) -> Conflict:
    """Return the conflict about items that one copy assigned as gold and the other as a unit."""
    parts: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for number, session in merging.state.sessions.items():
        for participant in session.people.values():
            for unit_id, item in participant.items.items():
                if item.part != "rest":
                    parts[unit_id][item.part].add(number)
    new = set(merging.added.new_sessions)
    cases = tuple(
        f"{unit_id}: gold in session {', '.join(sorted(sessions['gold']))}, "
        f"a unit in {', '.join(sorted(sessions['unit']))}"
        for unit_id, sessions in sorted(parts.items())
        if sessions["gold"] and sessions["unit"] and (sessions["gold"] | sessions["unit"]) & new
    )
    text = (
        f"{counted(len(cases), 'items are', 'item is')} gold in one session and a unit in another: each "
        "answer counts in the role of its session, one answer per person"
    )
    return Conflict("gold and unit", text, cases)


def _omitted(merging: Merging) -> Conflict:
    cases = tuple(f"{o.file}, line {o.line}: {o.why}" for o in merging.added.omitted)
    text = f"{counted(len(cases), 'lines of the other copy were', 'line of the other copy was')} not added"
    return Conflict("omitted lines", text, cases)


def _chain(merging: Merging) -> Conflict:
    cases = [f"{copy.folder}: {copy.misfit}" for copy in (merging.own, merging.other) if copy.misfit]
    return Conflict("chain", "a log is not as nextset wrote it: compare it with its backup", tuple(cases))
