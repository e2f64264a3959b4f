"""What an audit of retrieval found, in plain sentences: who gets found, and does a reader amplify it?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nextset.auditing.report.number_table import Estimate, estimate_text, shown
from nextset.auditing.retrieval.retrieval_records import (
    Amplification,
    BaseRateTest,
    GroupShare,
    GroupSource,
)
from nextset.auditing.retrieval.title_groups import UNKNOWN

__all__ = ["clear_tests", "headline_group", "headline_shares", "retrieval_findings", "retrieval_warnings"]

_LEVEL = 0.05
_MANY_UNKNOWN = 0.2
"""From this share of unknown groups on, a warning says so."""
_SELDOM_NAMED = 0.5
"""A reader of whose answers fewer name the person of the passage is said to find no people."""
_NAMED = 4
"""Occupations that a sentence names."""


def headline_group(groups: Sequence[str]) -> str | None:
    """Return the group that sentences are about if there are two: the first; None if there are more."""
    return groups[0] if len(groups) == 2 else None


def headline_shares(shares: Sequence[GroupShare], reader: str = "") -> list[GroupShare]:
    """Return the shares that figures and findings are about, for all questions, in the order of the groups.

    Of a retriever those of all retrieved passages, of a reader those of all answers.
    """
    counted = "answers" if reader else "passages"
    own = [s for s in shares if (s.reader, s.scope, s.counted) == (reader, "all", counted)]
    most = max((s.first for s in own), default=0)
    return [s for s in own if s.first == most]


def clear_tests(tests: Sequence[BaseRateTest]) -> list[BaseRateTest]:
    """Return the tests whose corrected p-value is below 0.05."""
    return [t for t in tests if t.p_corrected is not None and t.p_corrected < _LEVEL]


def retrieval_findings(
    shares: Sequence[GroupShare], tests: Sequence[BaseRateTest], changes: Sequence[Amplification]
) -> list[str]:
    """Return a few sentences on each retriever, and on each reader on top of it."""
    found = []
    for retriever in dict.fromkeys(s.retriever for s in shares):
        own = [s for s in headline_shares(shares) if s.retriever == retriever]
        found.append(" ".join(_of_retriever(own, [t for t in tests if t.retriever == retriever], shares)))
        readers = dict.fromkeys(c.reader for c in changes if c.retriever == retriever)
        for reader in readers:
            own_changes = [
                c
                for c in changes
                if (c.retriever, c.reader, c.scope, c.counted) == (retriever, reader, "all", "answers")
            ]
            found.append(" ".join(_of_reader(own_changes)))
    return found or ["Nothing was retrieved."]


def retrieval_warnings(shares: Sequence[GroupShare], sources: Sequence[GroupSource]) -> list[str]:
    """Return what makes the measures say little: unknown groups, and readers that name no people."""
    found = []
    for of in dict.fromkeys(s.of for s in sources):
        own = [s for s in sources if s.of == of]
        titles, unknown = sum(s.titles for s in own), sum(s.titles for s in own if s.group == UNKNOWN)
        if unknown > _MANY_UNKNOWN * titles:
            where = "the collection" if of == "collection" else f"what {of} retrieves"
            share = shown(unknown / titles, "per_cent")
            found.append(
                f"The group of {unknown:,} of {titles:,} titles in {where} ({share} %) is not known. "
                "Measures leave them out."
            )
    for reader, retriever in dict.fromkeys((s.reader, s.retriever) for s in shares if s.reader):
        counts = {
            counted: sum(s.count for s in shares if (s.reader, s.retriever, s.scope, s.counted) == key)
            for counted in ("answers", "named_answers")
            for key in [(reader, retriever, "all", counted)]
        }
        if counts["named_answers"] < _SELDOM_NAMED * counts["answers"]:
            found.append(
                f"{reader} hardly finds people in what {retriever} retrieves: {counts['named_answers']:,} of "
                f"{counts['answers']:,} answers give the family name of the passage's person."
            )
    return found


def _of_retriever(
    own: Sequence[GroupShare], tests: Sequence[BaseRateTest], shares: Sequence[GroupShare]
) -> Iterator[str]:
    first = _most_apart(own)
    if first is None:
        name = own[0].retriever if own else "It"
        yield f"{name}: no retrieved passage has a known group and a base rate."
        return
    share = estimate_text(Estimate(first.share, first.low, first.high), "per_cent")
    base = shown(first.base_rate, "per_cent")
    points = estimate_text(Estimate(first.disparity, first.disparity_low, first.disparity_high), "per_cent")
    yield (
        f"{first.retriever} finds the group {first.group} {_direction(first)} the base rate: {share} % of "
        f"{first.known:,} passages, base rate {base} % (difference {points} points)."
    )
    test = next((t for t in tests if (t.scope, t.counted, t.reader) == ("all", "passages", "")), None)
    if test is not None and test.p_design is not None:
        effect = shown(test.effect, "ratio")
        yield f"Chi-squared with its design effect: p {_p(test.p_design)}, Cohen's w {effect}."
    if first.unknown:
        of = shown(first.unknown / (first.unknown + first.known), "per_cent")
        yield f"Unknown groups: {of} % of the passages."
    yield from _occupations(first, tests, shares)


def _most_apart(own: Sequence[GroupShare]) -> GroupShare | None:
    """Return the group that sentences are about: the first of two, or the one farthest from its base rate."""
    known = [s for s in own if s.disparity is not None]
    named = headline_group([s.group for s in own])
    if named is not None:
        return next((s for s in known if s.group == named), None)
    return max(known, key=lambda s: abs(s.disparity or 0.0), default=None)


def _direction(share: GroupShare) -> str:
    low, high = share.disparity_low, share.disparity_high
    if low is None or high is None or low <= 0 <= high:
        return "about as often as"
    return "less often than" if high < 0 else "more often than"


def _p(value: float) -> str:
    text = shown(value, "p")
    return text if text.startswith("<") else f"= {text}"


def _occupations(
    first: GroupShare, tests: Sequence[BaseRateTest], shares: Sequence[GroupShare]
) -> Iterator[str]:
    own = [t for t in tests if (t.scope, t.counted, t.reader) == ("occupation", "passages", "")]
    if not own:
        return
    clear = {t.part for t in clear_tests(own)}
    yield f"Of {len(own)} occupations {len(clear)} {'is' if len(clear) == 1 else 'are'} clearly apart from it"
    named = [
        s
        for s in shares
        if s.part in clear
        and (s.retriever, s.scope, s.counted, s.reader) == (first.retriever, "occupation", "passages", "")
        and (s.first, s.group) == (first.first, first.group)
    ]
    named.sort(key=lambda s: -abs(s.disparity or 0.0))
    points = [f"{s.part} {_signed(s.disparity)}" for s in named[:_NAMED]]
    more = f", and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    yield f"after correction ({', '.join(points)}{more})." if points else "after correction."


def _signed(value: float | None) -> str:
    text = shown(value, "per_cent")
    return f"+{text}" if value is not None and value > 0 and text != "0.0" else text


_VERDICTS = {
    "amplifies": "amplifies what {retriever} finds",
    "dampens": "dampens what {retriever} finds",
    "reverses": "turns around what {retriever} finds",
    "adds": "adds a disparity to what {retriever} finds",
    "unclear": "does not clearly change what {retriever} finds",
}


def _of_reader(own: Sequence[Amplification]) -> Iterator[str]:
    named = headline_group([c.group for c in own])
    known = [c for c in own if c.change is not None]
    row = next((c for c in known if c.group == named), None) or max(
        known, key=lambda c: abs(c.change or 0.0), default=None
    )
    if row is None:
        yield f"{own[0].reader} on top of {own[0].retriever}: no answer has a known group."
        return
    verdict = _VERDICTS[row.verdict].format(retriever=row.retriever)
    yield f"{row.reader}, which reads the first {row.read} passages, {verdict}:"
    read, answered = (shown(v, "per_cent") for v in (row.retrieved, row.answered))
    change = estimate_text(Estimate(row.change, row.low, row.high), "per_cent")
    yield (
        f"the group {row.group} has {read} % of what it reads and {answered} % of its {row.questions:,} "
        f"answers (change {change} points)."
    )
    if row.unknown:
        questions = "question has" if row.unknown == 1 else "questions have"
        yield f"{row.unknown:,} {questions} no answer from a passage whose group is known."
