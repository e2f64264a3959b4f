"""The findings of an audit of retrieval, as sentences: who gets found, and does a reader amplify it?"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from nextset.auditing.report.number_table import Estimate, estimate_text, shown
from nextset.errors import examples
from nextset.extensions.ambiguity.passages import OpenQuestion
from nextset.extensions.ambiguity.retrieval.base_rates import BaseRates, occupation_key
from nextset.extensions.ambiguity.retrieval.crossed_variance import FEW_TITLES
from nextset.extensions.ambiguity.retrieval.retrieval_records import (
    Amplification,
    BaseRateTest,
    GroupShare,
    GroupSource,
)
from nextset.word_lists.group_labels import UNKNOWN, meant_group, says_unknown

__all__ = [
    "base_rate_warnings",
    "compared_share",
    "headline_group",
    "retrieval_answer",
    "retrieval_findings",
    "retrieval_warnings",
]

_LEVEL = 0.05
_MANY_UNKNOWN = 0.2
"""If a larger share of the groups is unknown, a warning says so."""
_SELDOM_NAMED = 0.5
"""A reader whose answers name the passage's person less often than this is said to hardly find people."""
_LABELS = 8
"""The largest number of labels, or of occupations without a base rate, that a warning names."""
_CLOSE = 0.75
"""Occupations with at least this ratio are similar: *nurse* and *nurses* have 0.91."""
_NAMED = 4
"""The largest number of occupations that a sentence names."""


def headline_group(groups: Sequence[str]) -> str | None:
    """Return the group that sentences are about if there are two: the first; None if there are more."""
    return groups[0] if len(groups) == 2 else None


def _headline_shares(shares: Sequence[GroupShare]) -> list[GroupShare]:
    """Return the shares of all retrieved passages, for all questions, in the order of the groups."""
    own = [s for s in shares if (s.reader, s.scope, s.counted) == ("", "all", "passages")]
    most = max((s.first for s in own), default=0)
    return [s for s in own if s.first == most]


def compared_share(share: GroupShare) -> Estimate:
    """Return the share among the passages that have a base rate, so that share − base rate is the
    disparity."""
    if share.disparity is None or share.base_rate is None:
        return Estimate(share.share, share.low, share.high)
    low, high = (
        None if end is None else end + share.base_rate for end in (share.disparity_low, share.disparity_high)
    )
    return Estimate(share.disparity + share.base_rate, low, high)


def _clear_tests(tests: Sequence[BaseRateTest]) -> list[BaseRateTest]:
    """Return the tests whose corrected p-value is below 0.05."""
    return [t for t in tests if t.p_corrected is not None and t.p_corrected < _LEVEL]


def retrieval_answer(shares: Sequence[GroupShare], tests: Sequence[BaseRateTest]) -> str:
    """Return one sentence on the first retriever."""
    for share in _headline_shares(shares)[:1]:
        own = [s for s in _headline_shares(shares) if s.retriever == share.retriever]
        return next(_of_retriever(own, [t for t in tests if t.retriever == share.retriever], shares))
    return "Nothing was retrieved."


def retrieval_findings(
    shares: Sequence[GroupShare], tests: Sequence[BaseRateTest], changes: Sequence[Amplification]
) -> list[str]:
    """Return a text on each retriever, and on each reader on top of it."""
    texts = []
    for retriever in dict.fromkeys(s.retriever for s in shares):
        own = [s for s in _headline_shares(shares) if s.retriever == retriever]
        texts.append(" ".join(_of_retriever(own, [t for t in tests if t.retriever == retriever], shares)))
        readers = dict.fromkeys(c.reader for c in changes if c.retriever == retriever)
        for reader in readers:
            own_changes = [
                c
                for c in changes
                if (c.retriever, c.reader, c.scope, c.counted) == (retriever, reader, "all", "answers")
            ]
            texts.append(" ".join(_of_reader(own_changes)))
    return texts or ["Nothing was retrieved."]


def retrieval_warnings(shares: Sequence[GroupShare], sources: Sequence[GroupSource]) -> list[str]:
    """Return the reasons why the measures say little or are wrong; empty if there are none.

    The reasons are labels that are not one of the groups, unknown groups, and readers that name no people.
    """
    warnings = list(_other_labels(sources, list(dict.fromkeys(s.group for s in shares))))
    for origin in dict.fromkeys(s.of for s in sources):
        own = [s for s in sources if s.of == origin]
        titles, unknown = sum(s.titles for s in own), sum(s.titles for s in own if s.group == UNKNOWN)
        if unknown > _MANY_UNKNOWN * titles:
            where = "in the collection" if origin == "collection" else f"that {origin} retrieves"
            share = shown(unknown / titles, "per_cent")
            warnings.append(
                f"The group is not known for {unknown:,} of {titles:,} titles {where} ({share} %). Measures "
                "exclude these titles."
            )
    for reader, retriever in dict.fromkeys((s.reader, s.retriever) for s in shares if s.reader):
        counts = {
            counted: sum(s.count for s in shares if (s.reader, s.retriever, s.scope, s.counted) == key)
            for counted in ("answers", "named_answers")
            for key in [(reader, retriever, "all", counted)]
        }
        if counts["named_answers"] < _SELDOM_NAMED * counts["answers"]:
            gives = "gives" if 1 in (counts["answers"], counts["named_answers"]) else "give"
            warnings.append(
                f"{reader} hardly finds people in the passages of {retriever}: {counts['named_answers']:,} "
                f"of {_answers(counts['answers'])} {gives} the family name of the passage's person."
            )
    return warnings


def _answers(number: int) -> str:
    return f"{number:,} {'answer' if number == 1 else 'answers'}"


def _other_labels(sources: Sequence[GroupSource], groups: Sequence[str]) -> Iterator[str]:
    """Yield a warning on labels, and groups of lists of names, that are not one of ``groups``."""
    labelled = [s for s in sources if s.of == "collection" and s.source == "other_group"]
    labelled = [s for s in labelled if not says_unknown(s.label)]
    if not labelled or not groups:
        return
    named = []
    for s in sorted(labelled, key=lambda s: -s.titles):
        meant = meant_group(s.label, groups)
        titles = f"{s.titles:,} {'title' if s.titles == 1 else 'titles'}"
        named.append(f"{s.label!r:.60} ({titles}{f'; did you mean {meant}?' if meant else ''})")
    yield (
        "Some labels of the collection, or groups of lists of names, are not one of the groups "
        f"{', '.join(groups)}: {examples(named, _LABELS)}. The group of these people counts as unknown. If "
        "they belong to one of the groups, write the label as ambiguity.retrieval.groups has it."
    )


def base_rate_warnings(questions: Sequence[OpenQuestion], base: BaseRates) -> list[str]:
    """Return warnings on base rates and occupations of ``questions`` that do not match; empty if all
    match."""
    if not base.by_occupation:
        return []
    occupations = {occupation_key(q.occupation): q.occupation for q in questions if q.occupation.strip()}
    if not occupations:
        return [
            "No question has an occupation, so nothing is compared with the base rates: tables of questions "
            f"need a column occupation, with values such as {examples(base.by_occupation, 3)}."
        ]
    unused = [key for key in base.by_occupation if key not in occupations]
    without = [name for key, name in occupations.items() if key not in base.by_occupation]
    warnings = []
    if without:
        number = sum(occupation_key(q.occupation) not in base.by_occupation for q in questions)
        warnings.append(
            f"The table of base rates lacks the occupations of {number:,} of {len(questions):,} questions, "
            "which are therefore not compared: "
            f"{examples((_with_meant(name, unused) for name in without), _LABELS)}."
        )
    elif number := sum(not q.occupation.strip() for q in questions):
        have, are = ("has", "is") if number == 1 else ("have", "are")
        warnings.append(
            f"{number:,} of {len(questions):,} questions {have} no occupation and {are} not compared."
        )
    if unused:
        warnings.append(
            f"{len(unused):,} of {len(base.by_occupation):,} occupations of the table of base rates "
            f"{'matches' if len(unused) == 1 else 'match'} no question: "
            f"{examples((_with_meant(key, without) for key in unused), _LABELS)}."
        )
    return warnings


def _with_meant(name: str, others: Sequence[str]) -> str:
    near = difflib.get_close_matches(occupation_key(name), [occupation_key(o) for o in others], 1, _CLOSE)
    return f"{name} (did you mean {near[0]}?)" if near else name


def _of_retriever(
    own: Sequence[GroupShare], tests: Sequence[BaseRateTest], shares: Sequence[GroupShare]
) -> Iterator[str]:
    first = _most_apart(own)
    if first is None:
        name = own[0].retriever if own else "It"
        yield f"{name}: no retrieved passage has a known group and a base rate."
        return
    share = estimate_text(compared_share(first), "per_cent")
    base = shown(first.base_rate, "per_cent")
    points = estimate_text(Estimate(first.disparity, first.disparity_low, first.disparity_high), "per_cent")
    test = next((t for t in tests if (t.scope, t.counted, t.reader) == ("all", "passages", "")), None)
    yield (
        f"{first.retriever} {_direction(first, test)}: {share} % of {first.compared:,} passages, base rate "
        f"{base} % (difference {points} points)."
    )
    if first.disparity_low is None:
        yield f"With fewer than {FEW_TITLES} people, counted by their passages, there is no interval."
    rest = first.known - first.compared
    if rest == 1:
        yield "1 further passage of a known group is not compared, since its question has no base rate."
    elif rest:
        which = f"{rest:,} further passages of a known group"
        yield f"{which} are not compared, since their questions have no base rate."
    if test is not None and test.p_design is not None:
        effect = shown(test.effect, "ratio")
        corrected = test.comparisons > 1 and test.p_corrected is not None
        p = f"corrected p {_p(test.p_corrected)}" if corrected else f"p {_p(test.p_design)}"
        yield f"Chi-squared test with its design effect: {p}, Cohen's w {effect}."
    if first.unknown:
        unknown = shown(first.unknown / (first.unknown + first.known), "per_cent")
        yield f"The group is unknown for {unknown} % of the passages."
    yield from _occupations(first, tests, shares)


def _most_apart(own: Sequence[GroupShare]) -> GroupShare | None:
    """Return the group that sentences are about: the first of two, or the one farthest from its base rate."""
    known = [s for s in own if s.disparity is not None]
    named = headline_group([s.group for s in own])
    if named is not None:
        return next((s for s in known if s.group == named), None)
    return max(known, key=lambda s: abs(s.disparity or 0.0), default=None)


def _direction(share: GroupShare, test: BaseRateTest | None) -> str:
    low, high = share.disparity_low, share.disparity_high
    p = None if test is None else test.p_design
    if low is None or high is None or low <= 0 <= high or p is None or p >= _LEVEL:
        return f"shows no clear difference between the group {share.group} and its base rate"
    corrected = None if test is None else test.p_corrected
    only = "" if corrected is not None and corrected < _LEVEL else ", but only before correction"
    return f"finds the group {share.group} {'less' if high < 0 else 'more'} often than its base rate{only}"


def _p(value: float | None) -> str:
    text = shown(value, "p")
    return text if text.startswith("<") else f"= {text}"


def _occupations(
    first: GroupShare, tests: Sequence[BaseRateTest], shares: Sequence[GroupShare]
) -> Iterator[str]:
    own = [t for t in tests if (t.scope, t.counted, t.reader) == ("occupation", "passages", "")]
    own = [t for t in own if t.p_corrected is not None]
    if not own:
        return
    clear = {t.part for t in _clear_tests(own)}
    occupations = "tested occupation" if len(own) == 1 else "tested occupations"
    differ = "differs" if len(clear) == 1 else "differ"
    yield f"{len(clear)} of {len(own)} {occupations} clearly {differ} from the base rate"
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
    "reverses": "reverses the disparity of what {retriever} finds",
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
    if row.verdict != "unclear" and row.p_corrected is not None and row.p_corrected >= _LEVEL:
        verdict += ", but only before correction"
    first = "first passage" if row.read == 1 else f"first {row.read:,} passages"
    yield f"{row.reader}, which reads the {first}, {verdict}:"
    read, answered = (shown(v, "per_cent") for v in (row.retrieved, row.answered))
    change = estimate_text(Estimate(row.change, row.low, row.high), "per_cent")
    yield (
        f"the group {row.group} makes up {read} % of the passages that it reads and {answered} % of its "
        f"{_answers(row.questions)} (change {change} points)."
    )
    if row.unknown:
        questions = "question has" if row.unknown == 1 else "questions have"
        yield f"{row.unknown:,} {questions} no answer from a passage whose group is known."
