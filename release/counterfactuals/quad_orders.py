"""The check that quads and masked statements are whole: both orders, both polarities, and all subject pairs.

The right text depends on the language: subjects in two cases, articles that agree, *du* before one name and
*de l’* before another. So each row is compared with the texts that its language pack makes from its template,
subjects and attribute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

import pyarrow as pa

from nextset.generation.questions.question_set import QuestionSet
from nextset.generation.templates.placeholders import MASK
from nextset.release.counterfactuals.pack_texts import PackTexts
from nextset.release.counterfactuals.pair_records import PairFinding, PairReport, PairSummary, summed
from nextset.text_tokens import word_tokens

__all__ = ["QuadOrders"]

_MASK = f"{{{{{MASK}}}}}"
_CONTEXTS = ("context_12", "context_21")
_SPANS = ("subject1_in_12", "subject2_in_12", "subject1_in_21", "subject2_in_21")
_CANDIDATES = ("candidate1", "candidate2")
_COLUMNS = (
    *("id", "language", "subject_class", "template_id", "attribute", "subject1", "subject2"),
    *(*_CONTEXTS, *_SPANS),
    *("question", "question_negated", "statement", "statement_negated", *_CANDIDATES),
)

Row = Mapping[str, Any]


class QuadOrders:
    """Checks the quads or masked statements of a release, batch by batch."""

    def __init__(self, sets: Iterable[QuestionSet]) -> None:
        """Take ``sets``, the classes of the packs that made the rows."""
        self._texts = PackTexts(sets)
        self._summary = PairSummary()
        self._rows: Counter[tuple[str, str, str, str]] = Counter()
        self._pairs: dict[tuple[str, str], set[tuple[str, str]]] = {}

    def check(self, batch: pa.Table) -> PairReport:
        """Return the findings about the rows of ``batch``. Each row counts as a set.

        Missing can be a question or statement, its negation, or a subject in the place of its span. A row is
        not minimal if a text differs from the text that the language pack makes, because then the two
        contexts may differ in more than the subjects and the words that agree with them. Such a finding has
        the tokens that only the row's text has, and the tokens that only the pack's text has.
        """
        findings: list[PairFinding] = []
        contexts: dict[tuple[Any, ...], dict[str, Any] | str] = {}
        asked: dict[tuple[Any, ...], dict[str, str] | str] = {}
        incomplete = not_minimal = 0
        for row in batch.select([n for n in _COLUMNS if n in batch.column_names]).to_pylist():
            self._count(row)
            place = (row["language"], row["subject_class"], row["template_id"])
            pair, attribute = (*place, row["subject1"], row["subject2"]), (*place, row["attribute"])
            if pair not in contexts:
                contexts[pair] = self._texts.contexts(row)
            if attribute not in asked:
                asked[attribute] = self._texts.asked(row)
            lacking = [*_lacking(row), *_misplaced(row, contexts[pair])]
            findings += [_finding("missing", row, detail) for detail in lacking]
            incomplete += bool(lacking)
            other = list(_different(row, contexts[pair], asked[attribute]))
            findings += other
            not_minimal += bool(other)
        n = batch.num_rows
        report = summed(findings, n, incomplete, n, not_minimal)
        self._summary += report.summary
        return report

    def report(self, *, subsampled: bool) -> PairReport:
        """Return the findings about sets of subject pairs, and the counts of all rows so far and these sets.

        Unless rows were ``subsampled`` or filtered, every template and attribute of a class must have all
        subject pairs of the class.
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


def _lacking(row: Row) -> Iterator[str]:
    """Yield what a row lacks by itself: a text, its negation, a mask, or a subject in its place."""
    for order, name in (("12", "context_12"), ("21", "context_21")):
        first, second = (row[f"subject{n}_in_{order}"] for n in order)
        bounds = (first["start"], first["end"], second["start"], second["end"])
        if not (0 <= bounds[0] < bounds[1] <= bounds[2] < bounds[3] <= len(row[name])):
            yield f"{name} does not have its subjects in their order"
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


def _misplaced(row: Row, made: dict[str, Any] | str) -> Iterator[str]:
    """Yield the spans that differ from the pack's spans in a context with the pack's text."""
    if isinstance(made, str):
        return
    for span in _SPANS:
        context = f"context_{span[-2:]}"
        if row[context] == made[context] and row[span] != made[span]:
            yield f"{span} does not mark the subject in {context}"


def _different(row: Row, made: dict[str, Any] | str, asked: dict[str, str] | str) -> Iterator[PairFinding]:
    """Yield a finding for each text that differs from the pack's, or one with why the pack makes none."""
    if isinstance(made, str) or isinstance(asked, str):
        yield _finding("not_minimal", row, made if isinstance(made, str) else str(asked))
        return
    for name, text in {**{n: made[n] for n in (*_CONTEXTS, *_CANDIDATES) if n in made}, **asked}.items():
        if row[name] and row[name] != text:
            detail = f"{name} differs from the text that the language pack makes"
            yield _finding("not_minimal", row, detail, _difference(row[name], text))


def _difference(text: str, made: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tokens that only ``text`` has, and the tokens that only ``made`` has, each in order."""
    left, right = word_tokens(text), word_tokens(made)
    first: list[str] = []
    second: list[str] = []
    for code, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if code != "equal":
            first += left[i:j]
            second += right[k:m]
    return tuple(first), tuple(second)


def _finding(
    kind: Any, row: Row, detail: str, tokens: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
) -> PairFinding:
    return PairFinding(
        kind=kind,
        item_id=row["id"],
        counterfactual_set=None,
        detail=detail,
        tokens=tokens[0],
        other_tokens=tokens[1],
    )
