"""The report on pairs and sets of counterparts: missing members, and differences beyond the group.

All texts are checked, regardless of whether a template, a swap or an earlier release made them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from nextset.release.counterfactuals.counterfactual_items import ItemFlag
from nextset.release.counterfactuals.group_terms import GroupTerms
from nextset.release.counterfactuals.imported_counterparts import TextCounterparts
from nextset.release.counterfactuals.pair_minimality import Differences, Minimality
from nextset.release.counterfactuals.pair_records import PairFinding, PairReport, summed

__all__ = ["pair_findings"]

_COLUMNS = (
    "id", "language", "domain", "stance_design", "premise", "hypothesis", "question",
    "names_group", "parent_id", "template_id", "counterpart_id", "counterfactual_set",
)  # fmt: skip

Row = Mapping[str, Any]


def pair_findings(items: pa.Table, terms: GroupTerms, flags: Iterable[ItemFlag] = ()) -> PairReport:
    """Return the findings about ``items``, a table that `with_counterfactuals` returned, and their counts.

    ``flags`` come from that function. Missing can be the counterpart of an item with stance pro or anti whose
    hypothesis names a group, the other members of a set of one, and in a full set the member of any group of
    ``terms``. Not minimal are premises that differ, and tokens other than the group that differ in hypothesis
    or question. Test items and items that name no group are not checked. The table may be one of the parts
    that items are divided into by language, stereotype and premise.
    """
    rows = _rows(items)
    sets: dict[str, list[Row]] = {}
    for row in rows:
        if row["counterfactual_set"] is not None:
            sets.setdefault(row["counterfactual_set"], []).append(row)
    checks = _Checks(terms)
    alone = [checks.without_set(row) for row in rows if row["counterfactual_set"] is None]
    missing = [f for f in alone if f is not None]
    n_alone, incomplete, measured, not_minimal = len(missing), 0, 0, 0
    differing: list[PairFinding] = []
    for members in sets.values():
        lacking = list(checks.lacking(members))
        incomplete += bool(lacking)
        missing += lacking
        differences = list(checks.differing(members))
        measured += len(members) > 1
        not_minimal += bool(differences)
        differing += differences
    set_of = {row["id"]: row["counterfactual_set"] for row in rows}
    flagged = [_flagged(flag, set_of) for flag in flags]
    return summed(
        [*missing, *differing, *flagged], len(sets) + n_alone, incomplete + n_alone, measured, not_minimal
    )


class _Checks:
    """The checks of items and sets, with the lexicon."""

    def __init__(self, terms: GroupTerms) -> None:
        self._terms = terms
        self._texts = TextCounterparts(terms)
        self._exact = Minimality(None)
        self._by_language: dict[str, Minimality] = {}
        # The same hypotheses occur with other premises.
        self._differences = functools.cache(Minimality.differences)
        self._groups_between = functools.cache(Minimality.groups_between)

    def _minimality(self, language: str) -> Minimality:
        if language not in self._by_language:
            terms = self._terms if self._terms.of_language(language) else None
            self._by_language[language] = Minimality(terms)
        return self._by_language[language]

    def without_set(self, row: Row) -> PairFinding | None:
        """Return the finding that an item has no counterpart, or None if its hypothesis names no group."""
        groups = _groups(row)
        # A template names its groups only by placeholders.
        check = self._exact if row["template_id"] else self._minimality(row["language"])
        if not (row["names_group"] and check.names_group(row["hypothesis"], groups)):
            # An imported item may name its group only in the premise.
            if row["template_id"] or not row["names_group"] or check.names_group(row["premise"], groups):
                return None
            detail = "no counterpart; no term of the groups was found"
            return PairFinding(kind="missing", item_id=row["id"], counterfactual_set=None, detail=detail)
        other = f" with {groups[1]!r} in place of {groups[0]!r}" if groups else ""
        return PairFinding(
            kind="missing", item_id=row["id"], counterfactual_set=None, detail=f"no counterpart{other}"
        )

    def lacking(self, members: Sequence[Row]) -> Iterator[PairFinding]:
        """Yield the members that a set lacks: one per group."""
        ids = {row["id"] for row in members}
        for row in members:
            if row["counterpart_id"] is not None and row["counterpart_id"] not in ids:
                yield _missing(row, f"the counterpart {row['counterpart_id']} is not in the set")
        yield from _unlinked(members)
        for row in members:
            # In a full set, the others were made from this item.
            if _groups(row) is None and row["template_id"] is None and row["parent_id"] not in ids:
                expected = self._texts.full_set(row) if row["stance_design"] == "pro" else ()
                present = {g for member in members for g in self._texts.named(member)} if expected else set()
                for group in expected:
                    if group not in present:
                        yield _missing(row, f"no member for {group!r}")

    def differing(self, members: Sequence[Row]) -> Iterator[PairFinding]:
        """Yield findings for tokens that differ between counterparts beyond the group, or should differ."""
        by_id = {row["id"]: row for row in members}
        compared: set[frozenset[str]] = set()
        for row in members:
            other = by_id.get(row["counterpart_id"]) or by_id.get(row["parent_id"])
            other = other or next((m for m in members if m["stance_design"] != row["stance_design"]), None)
            if other is None:
                if len(members) > 1:
                    yield _not_minimal(row, "no member of the set has the opposite stance")
                continue
            if frozenset((row["id"], other["id"])) not in compared:
                compared.add(frozenset((row["id"], other["id"])))
                yield from self._between(row, other)

    def _between(self, row: Row, other: Row) -> Iterator[PairFinding]:
        if row["stance_design"] == other["stance_design"]:
            yield _not_minimal(row, f"the stance is the same as that of {other['id']}, not the opposite")
        if row["premise"] != other["premise"]:
            # Premises must be the same, including groups.
            differences = self._differences(self._exact, row["premise"], other["premise"], None)
            yield _not_minimal(row, f"the premise differs from that of {other['id']}", differences)
        if row["hypothesis"] == other["hypothesis"]:
            yield _not_minimal(
                row, f"the hypothesis is the same as that of {other['id']}: no group is swapped"
            )
            return
        check, groups = self._minimality(row["language"]), _groups(row) or _groups(other)
        literal = row["template_id"] is not None
        differences = self._differences(
            check, row["hypothesis"], other["hypothesis"], groups, literal=literal
        )
        if differences:
            yield _not_minimal(row, f"the hypothesis differs from that of {other['id']}", differences)
        swapped = self._groups_between(check, row["hypothesis"], other["hypothesis"], groups)
        if row["question"] == other["question"]:
            if check.names_swapped(row["question"], groups, swapped, literal=literal):
                yield _not_minimal(
                    row, f"the question is the same as that of {other['id']}: no group is swapped"
                )
            return
        differences = self._differences(
            check, row["question"], other["question"], groups, literal=literal, allowed=swapped
        )
        if differences:
            yield _not_minimal(row, f"the question differs from that of {other['id']}", differences)


def _unlinked(members: Sequence[Row]) -> Iterator[PairFinding]:
    """Yield findings for members whose counterpart does not name them as its counterpart."""
    link_of = {row["id"]: row["counterpart_id"] for row in members}
    if not any(link_of.values()):
        yield _missing(members[0], "the only member of its set" if len(members) == 1 else "no counterpart")
    for row in members:
        other = row["counterpart_id"]
        if other in link_of and link_of[other] != row["id"]:
            yield _missing(row, f"the counterpart {other} has a different counterpart: {link_of[other]}")


def _not_minimal(row: Row, detail: str, found: Differences | None = None) -> PairFinding:
    return PairFinding(
        kind="not_minimal",
        item_id=row["id"],
        counterfactual_set=row["counterfactual_set"],
        detail=detail,
        tokens=found.first if found else (),
        other_tokens=found.second if found else (),
    )


def _rows(items: pa.Table) -> list[Row]:
    """Return the rows with stance pro or anti, with the groups of their bindings as columns."""
    table = items.select(_COLUMNS)
    for name in ("group1", "group2"):
        table = table.append_column(name, pc.struct_field(items["bindings"], name))
    rows: list[Row] = table.filter(pc.is_in(table["stance_design"], pa.array(["pro", "anti"]))).to_pylist()
    return rows


def _groups(row: Row) -> tuple[str, str] | None:
    return (row["group1"], row["group2"]) if row["group1"] and row["group2"] else None


def _missing(row: Row, detail: str) -> PairFinding:
    return PairFinding(
        kind="missing", item_id=row["id"], counterfactual_set=row["counterfactual_set"], detail=detail
    )


def _flagged(flag: ItemFlag, set_of: Mapping[str, str | None]) -> PairFinding:
    group = f" (no counterpart with {flag.group!r})" if flag.group else ""
    return PairFinding(
        kind="flagged",
        item_id=flag.item_id,
        counterfactual_set=set_of.get(flag.item_id),
        detail=f"{flag.reason}: {flag.term!r}{group}",
    )
