"""The check that quads and masked statements are whole: both orders, both polarities, and all subject pairs.

The engine swaps the subjects of a row when it expands a language pack; this looks at what a release holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

import pyarrow as pa

from nextset.generation.questions.question_set import QuestionSet
from nextset.generation.questions.slots import Run
from nextset.generation.templates.placeholders import MASK
from nextset.release.counterfactuals.pair_records import PairFinding, PairReport, PairSummary, summed

__all__ = ["QuadOrders", "agreeing_words"]

_WORD = re.compile(r"\w+|[^\w\s]")
_ARTICLE = re.compile(r"(?<!\w)([Aa])[Nn]?(\s+)\Z")
_MASK = f"{{{{{MASK}}}}}"
_CONTEXTS = (
    "context_12",
    "context_21",
    "subject1_in_12",
    "subject2_in_12",
    "subject1_in_21",
    "subject2_in_21",
)
_COLUMNS = (
    *("id", "language", "subject_class", "template_id", "attribute", "subject1", "subject2"),
    *_CONTEXTS,
    *("question", "question_negated", "statement", "statement_negated", "candidate1", "candidate2"),
)

Row = Mapping[str, Any]
Difference = tuple[tuple[str, ...], tuple[str, ...]]


def agreeing_words(sets: Iterable[QuestionSet]) -> frozenset[str]:
    """Return the words, in lower case, that agree with a subject in the contexts of ``sets``."""
    runs = [p for s in sets for t in s.templates for p in t.context if isinstance(p, Run) and p.subject]
    return frozenset(w.lower() for run in runs for _, text in run.values for w in _WORD.findall(text))


class QuadOrders:
    """Checks the quads or masked statements of a release, batch by batch."""

    def __init__(self, agreeing: frozenset[str] = frozenset()) -> None:
        self._agreeing = agreeing
        self._summary = PairSummary()
        self._rows: Counter[tuple[str, str, str, str]] = Counter()
        self._pairs: dict[tuple[str, str], set[tuple[str, str]]] = {}

    def check(self, batch: pa.Table) -> PairReport:
        """Return the findings about the rows of ``batch``; each row counts as a set.

        Missing: a question or statement, its negation, or a subject where its span says it is. Not minimal:
        every token in which the two contexts differ beside their subjects, a or an before them, and the
        agreeing words.
        """
        findings: list[PairFinding] = []
        contexts: dict[tuple[Any, ...], str | Difference | None] = {}
        incomplete = not_minimal = 0
        for row in batch.select([n for n in _COLUMNS if n in batch.column_names]).to_pylist():
            self._count(row)
            key = (*(row[n] for n in _CONTEXTS[:2]), *(v for n in _CONTEXTS[2:] for v in row[n].values()))
            if key not in contexts:
                contexts[key] = self._difference(row)
            found = contexts[key]
            lacking = [*([found] if isinstance(found, str) else []), *_lacking(row)]
            findings += [_finding("missing", row, detail) for detail in lacking]
            incomplete += bool(lacking)
            if isinstance(found, tuple):
                not_minimal += 1
                detail = "the two contexts differ in more than the order of their subjects"
                findings.append(_finding("not_minimal", row, detail, found))
        n = batch.num_rows
        report = summed(findings, n, incomplete, n, not_minimal)
        self._summary += report.summary
        return report

    def report(self, *, subsampled: bool) -> PairReport:
        """Return the findings about sets of subject pairs, and the counts of all rows so far and these sets.

        Unless rows were ``subsampled`` or filtered, every template and attribute of a class has all pairs of
        subjects that the class has.
        """
        findings = [] if subsampled else list(self._incomplete_sets())
        sets = 0 if subsampled else len(self._rows)
        report = summed(findings, sets, len(findings), 0, 0)
        return PairReport(report.findings, self._summary + report.summary)

    def _count(self, row: Row) -> None:
        class_ = (row["language"], row["subject_class"])
        self._rows[(*class_, row["template_id"], row["attribute"])] += 1
        pair = (row["subject1"], row["subject2"])
        self._pairs.setdefault(class_, set()).add(min(pair, pair[::-1]))

    def _incomplete_sets(self) -> Iterator[PairFinding]:
        for (language, class_, template, attribute), n in self._rows.items():
            pairs = len(self._pairs[language, class_])
            if n != pairs:
                place = f"{language}, {class_}, template {template!r}, attribute {attribute!r}"
                yield PairFinding(
                    kind="missing",
                    item_id=None,
                    counterfactual_set=None,
                    detail=f"{place}: {n:,} of {pairs:,} pairs of subjects",
                )

    def _difference(self, row: Row) -> str | Difference | None:
        """Return what is wrong with a row's spans, or the tokens in which its contexts differ, else None."""
        one = _around(row["context_12"], row["subject1_in_12"], row["subject2_in_12"])
        two = _around(row["context_21"], row["subject2_in_21"], row["subject1_in_21"])
        if one is None or two is None:
            return f"context_{'12' if one is None else '21'} does not have its subjects in their order"
        if one == two:
            return None
        left, right = (self._tokens(parts) for parts in (one, two))
        first: list[str] = []
        second: list[str] = []
        for code, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
            if code != "equal":
                first += left[i:j]
                second += right[k:m]
        return (tuple(first), tuple(second)) if first or second else None

    def _tokens(self, parts: tuple[str, ...]) -> list[str]:
        tokens = [t for part in parts for t in ("[subject]", *_WORD.findall(part))][1:]
        return [t for t in tokens if t.lower() not in self._agreeing]


def _around(context: str, first: Row, second: Row) -> tuple[str, ...] | None:
    """Return the texts before, between and after two spans, without the n of an article before a span.

    None if the spans are not in ``context`` in this order.
    """
    bounds = (first["start"], first["end"], second["start"], second["end"])
    if not (0 <= bounds[0] < bounds[1] <= bounds[2] < bounds[3] <= len(context)):
        return None
    before, between = context[: bounds[0]], context[bounds[1] : bounds[2]]
    return _ARTICLE.sub(r"\1\2", before), _ARTICLE.sub(r"\1\2", between), context[bounds[3] :]


def _lacking(row: Row) -> Iterator[str]:
    """Yield what a row lacks: a text, its negation, a mask, or a candidate."""
    for name in ("question", "statement"):
        if name not in row:
            continue
        text, negated = row[name], row[f"{name}_negated"]
        if not text or not negated:
            yield f"there is no {name}" if not text else f"there is no negated {name}"
        elif text == negated:
            yield f"the {name} and its negation have the same text"
        if name == "statement" and not text.count(_MASK) == negated.count(_MASK) == 1:
            yield "a statement does not have exactly one mask"
    for number in ("1", "2") if "candidate1" in row else ():
        span = row[f"subject{number}_in_12"]
        if row["context_12"][span["start"] : span["end"]].lower() != row[f"candidate{number}"].lower():
            yield f"candidate{number} is not the subject in context_12"


def _finding(kind: Any, row: Row, detail: str, tokens: Difference = ((), ())) -> PairFinding:
    return PairFinding(
        kind=kind,
        item_id=row["id"],
        counterfactual_set=None,
        detail=detail,
        tokens=tokens[0],
        other_tokens=tokens[1],
    )
