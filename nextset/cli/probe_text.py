"""The answers of a probe as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nextset.auditing.probe.probe_records import (
        AnswerProbe,
        PairAnswer,
        PairProbe,
        QuadAnswer,
        QuadProbe,
        WordProbe,
    )

__all__ = ["answer_text", "pair_text", "quad_text", "word_text"]


def pair_text(probe: PairProbe) -> str:
    """Return one paragraph per model and form, with a row per order of the subjects."""
    from nextset.auditing.probe.pair_forms import PAIR_FORMS
    from nextset.records.prompt_outcomes import OUTCOMES

    paragraphs = []
    for (model, form), group in groupby(probe.answers, key=lambda a: (a.model, a.form)):
        answers = list(group)
        missing = [name for name in OUTCOMES if any(getattr(a, name) for a in answers)]
        rows = [_pair_row(answer, missing) for answer in answers]
        head = ("", *PAIR_FORMS[form].answers, *(name.replace("_", " ") for name in missing), "label")
        lines = [model, *_table([head, *rows])]
        if len({a.label for a in answers} - {"unanswered"}) > 1:
            lines.append("  the label changes when the subjects are exchanged")
        paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs)


def quad_text(probe: QuadProbe) -> str:
    """Return one paragraph per model and form: four arrangements, the measures, and a sentence."""
    paragraphs = [_quad_paragraph(probe, answer) for answer in probe.answers]
    return "\n\n".join([*paragraphs, *([f"note: {probe.note}"] if probe.note else [])])


def word_text(probe: WordProbe) -> str:
    """Return one paragraph per model, with a row per word; of several masks, per list of words."""
    from nextset.auditing.probe.preference_sentence import shown

    paragraphs = []
    for answer in probe.answers:
        rows = [(", ".join(w.words), *map(shown, w.probabilities)) for w in answer.words]
        lines = _table(rows) if rows else ["  no whole word"]
        paragraphs.append("\n".join([answer.model, *lines]))
    return "\n\n".join(paragraphs)


def answer_text(probe: AnswerProbe) -> str:
    """Return one paragraph per model, with its answer and score."""
    from nextset.auditing.probe.preference_sentence import shown

    paragraphs = []
    for answer in probe.answers:
        score = "" if answer.score is None else shown(answer.score)
        paragraphs.append(
            "\n".join([answer.model, *_table([(answer.text or _silence(answer.outcome), score)])])
        )
    return "\n\n".join(paragraphs)


def _silence(outcome: str) -> str:
    """Return the words for an answer without a text."""
    return "no answer" if outcome == "answer" else outcome.replace("_", " ")


def _pair_row(answer: PairAnswer, missing: Sequence[str]) -> tuple[str, ...]:
    from nextset.auditing.probe.pair_forms import PAIR_FORMS
    from nextset.auditing.probe.preference_sentence import shown
    from nextset.forms import NLI

    outcomes = (getattr(answer, name) for name in missing)
    numbers = (answer.entailment, answer.neutral, answer.contradiction, *outcomes)
    labels = dict(zip(PAIR_FORMS[NLI.name].answers, PAIR_FORMS[answer.form].answers, strict=True))
    label = labels.get(answer.label, answer.label)
    return (f"{answer.premise} {answer.asked}", *("" if n is None else shown(n) for n in numbers), label)


def _quad_paragraph(probe: QuadProbe, answer: QuadAnswer) -> str:
    from nextset.auditing.probe.preference_sentence import shown

    first, second = probe.subjects
    refuses = any(a.no_answer is not None for a in answer.arrangements)
    rows = [("", first, second, *(["no answer"] if refuses else []), "answer")]
    for a in answer.arrangements:
        scores = [a.subject1, a.subject2, *([a.no_answer] if refuses else [])]
        shown_scores = ("" if score is None else shown(score) for score in scores)
        rows.append((f"{a.context} {a.asked}", *shown_scores, a.answer or "neither"))
    measures = (
        ("δ", answer.positional_error),
        ("ε", answer.attribute_error),
        (f"B({first})", answer.b1),
        (f"B({second})", answer.b2),
    )
    lines = [answer.model, *_table(rows), "  " + "   ".join(f"{name} {shown(n)}" for name, n in measures)]
    lines.append(f"  {answer.finding}")
    if answer.order_matters:
        lines.append("  an answer changes with the order of the subjects")
    return "\n".join(lines)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows as lines, with a separate line for the text of a row if it is long."""
    from nextset.printable_text import printable_line

    shown = [[printable_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in shown) for i in range(1, len(shown[0]))]
    head = max(len(row[0]) for row in shown)
    lines = []
    for text, *cells in shown:
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        if head <= _HEAD:
            lines.append(f"  {text.ljust(head)}  {numbers}".rstrip())
        else:
            lines += [*([f"  {text}"] if text else []), f"      {numbers}".rstrip()]
    return lines


_HEAD = 60
"""The longest text that is written in the same line as its numbers."""
