"""The report of an audit of retrieval as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.auditing.report.findings_page import FindingsPage, render_findings
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row
from nextset.auditing.report.page_section import PageSection
from nextset.extensions.ambiguity.passages import OpenQuestion
from nextset.extensions.ambiguity.retrieval.retrieval_figures import (
    amplification_figures,
    disparity_figures,
    rank_figures,
    source_figure,
)
from nextset.extensions.ambiguity.retrieval.retrieval_findings import retrieval_answer
from nextset.extensions.ambiguity.retrieval.retrieval_records import (
    Amplification,
    BaseRate,
    BaseRateTest,
    FoundPassage,
    GroupShare,
    GroupSource,
    OpenAnswer,
    RetrievalFinding,
)
from nextset.html.content_warning import FOUND_WARNING

__all__ = ["RetrievalReport", "render_retrieval"]

_EXAMPLES = 6
"""The number of questions that are shown with their first titles."""
_TITLES = 8
"""The number of titles that are shown for each question."""
_SCOPES = {"all": "all questions together", "occupation": "occupations", "question": "single questions"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalReport:
    """The contents of the report."""

    title: str
    """The study's name."""
    about: str
    """The study's description of itself; may be empty."""
    questions: Sequence[OpenQuestion]
    shares: Sequence[GroupShare]
    """All shares."""
    tests: Sequence[BaseRateTest]
    """All tests."""
    changes: Sequence[Amplification]
    """The changes that readers make; may be empty."""
    base_rates: Sequence[BaseRate]
    sources: Sequence[GroupSource]
    """The sources of the titles' groups."""
    first: Sequence[FoundPassage]
    """The first passages of each question."""
    answers: Sequence[OpenAnswer]
    """The answers of readers; may be empty."""
    conclusions: Sequence[RetrievalFinding]
    """The findings and warnings."""
    versions: tuple[tuple[str, str], ...] = ()
    """Programs and libraries, with their versions."""


@dataclass(frozen=True, slots=True)
class _Example:
    """A question with the passages and answers that were found for it."""

    question: OpenQuestion
    found: Mapping[str, Sequence[FoundPassage]]
    """The first passages of each retriever."""
    answers: Sequence[OpenAnswer]


def render_retrieval(data: RetrievalReport) -> str:
    """Return the report as HTML. The same data give the same bytes; every text from data is escaped."""
    models = [*(s.retriever for s in data.shares), *(s.reader for s in data.shares if s.reader)]
    shown = FindingsPage(
        title=data.title,
        about=data.about,
        content_warning=FOUND_WARNING,
        answer=retrieval_answer(data.shares, data.tests),
        findings=[c.text for c in data.conclusions if not c.warning],
        warnings=[c.text for c in data.conclusions if c.warning],
        models=list(dict.fromkeys(models)),
        sections=list(_sections(data)),
        notes=_notes(data.tests),
        versions=data.versions,
    )
    return render_findings(
        Path(__file__).with_name("retrieval.html.j2"),
        shown,
        examples=list(_examples(data)),
        readers=bool(data.changes),
        base=_base_text(data.base_rates),
    )


def _sections(data: RetrievalReport) -> Iterator[PageSection]:
    disparity, ranks = disparity_figures(data.shares, data.tests), rank_figures(data.shares)
    yield PageSection(
        "found", "Who gets found, and who first", (*disparity[:1], *ranks[:1]), (*disparity[1:], *ranks[1:])
    )
    changes = amplification_figures(data.changes)
    yield PageSection("readers", "Does the reader amplify?", tuple(changes[:2]), tuple(changes[2:]))
    sources = source_figure(data.sources)
    rates = _base_table(data.base_rates)
    yield PageSection(
        "groups",
        "Whose group is known",
        (sources,) if sources else (),
        (),
        (rates,) if rates else (),
    )
    texts = {q.id: q.question for q in data.questions}
    tables = (_test_table(data.tests, scope, texts) for scope in _SCOPES)
    yield PageSection("tests", "Tests against the base rate", (), (), tuple(t for t in tables if t))


def _test_table(tests: Sequence[BaseRateTest], scope: str, texts: Mapping[str, str]) -> NumberTable | None:
    own = [t for t in tests if t.scope == scope and t.chi_squared is not None]
    if not own:
        return None
    columns = (
        Column("Question" if scope == "question" else "Occupation"), Column("Retriever"), Column("Reader"),
        Column("Counted"), Column("n", "count"), Column("Chi-squared", "ratio"),
        Column("p, as published", "p"), Column("Design effect", "ratio"),
        Column("p, with design effect", "p"), Column("p, corrected", "p"), Column("Cohen's w", "ratio"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            texts.get(t.part, t.part) or "all questions", t.retriever, t.reader, t.counted.replace("_", " "),
            t.n, Estimate(t.chi_squared), Estimate(t.p), Estimate(t.design_effect), Estimate(t.p_design),
            Estimate(t.p_corrected), Estimate(t.effect, t.effect_low, t.effect_high),
        )
        for t in own
    )  # fmt: skip
    caption = f"Goodness of fit: {_SCOPES[scope]}"
    return NumberTable(f"tests-{scope}", caption, columns, lines)


def _base_table(rates: Sequence[BaseRate]) -> NumberTable | None:
    if not rates:
        return None
    columns = (Column("Occupation"), Column("Group"), Column("Base rate", "per_cent"), Column("Source"))
    lines: tuple[Row, ...] = tuple(
        (r.occupation or "all questions", r.group, Estimate(r.share), r.source) for r in rates
    )
    return NumberTable("base-rates", "Base rates", columns, lines)


def _base_text(rates: Sequence[BaseRate]) -> str:
    """Return a sentence on the base rate that the shares are compared with."""
    if not rates:
        return "No base rate is known, so the shares are compared with nothing."
    if rates[0].occupation:
        return "The base rate is taken as known: shares by occupation, from a table."
    return f"The base rate is taken as known: {rates[0].source}."


def _notes(tests: Sequence[BaseRateTest]) -> list[str]:
    """Return the notes on tests, each listed once with the number of tests."""
    counts: dict[str, int] = {}
    for test in tests:
        if test.note:
            counts[test.note] = counts.get(test.note, 0) + 1
    return [f"{n:,} of {len(tests):,} tests: {note}." for note, n in counts.items()]


def _examples(data: RetrievalReport) -> Iterator[_Example]:
    """Yield questions of different occupations, with their first titles."""
    by_question: dict[str, dict[str, list[FoundPassage]]] = {}
    for passage in sorted(data.first, key=lambda p: p.rank):
        if passage.rank <= _TITLES:
            by_retriever = by_question.setdefault(passage.question_id, {})
            by_retriever.setdefault(passage.retriever, []).append(passage)
    seen: set[str] = set()
    shown = []
    for question in data.questions:
        if question.id in by_question and (not question.occupation or question.occupation not in seen):
            seen.add(question.occupation)
            shown.append(question)
    for question in shown[:: max(1, len(shown) // _EXAMPLES)][:_EXAMPLES]:
        answers = [a for a in data.answers if a.question_id == question.id and a.text]
        yield _Example(question, by_question[question.id], answers)
