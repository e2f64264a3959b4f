"""The coefficients of agreement that a study reports: of verdicts, with their stance, or of each check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from nextset.study.study_folder import Study
from nextset.validation.agreement.answer_order import first_raters
from nextset.validation.agreement.bootstrap import Bootstrap
from nextset.validation.agreement.coefficient_table import AgreementRow, agreement_rows
from nextset.validation.agreement.question_checks import CHECKS, check_ratings
from nextset.validation.agreement.ratings import Rating, stance_ratings, verdict_ratings
from nextset.validation.annotator_pages.choices import StudyKind
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.said import Said

__all__ = ["enough_of", "reported_agreement"]


def enough_of(study: Study) -> int | None:
    """How many people who agree are enough; None where everyone is asked all the same."""
    settings = study.settings.validate_
    session = settings.session
    if settings.judge == "rule" or session is None or session.agree == session.overlap:
        return None
    return session.agree


def reported_agreement(
    kind: StudyKind,
    said: Said,
    entries: Sequence[Entry],
    units: pa.Table,
    *,
    enough: int | None,
    bootstrap: Bootstrap,
) -> list[AgreementRow]:
    """The coefficients of what people ``said`` of ``units``; ``entries`` hold their answers to the checks.

    ``enough`` is how many people who agree are enough, where others were asked only when they did not: then
    the first so many of a unit alone are compared, and the rows note it. An entry's judge is the person.
    """
    judgments, note = said.judgments, ""
    if enough:
        first = first_raters(said.answers, enough)
        judgments = tuple(j for j in judgments if (j.unit_id, j.judge) in first)
        entries = [e for e in entries if (e.unit_id, e.judge) in first]
        note = f"from the first {enough} ratings of a unit: more were asked for only where people disagreed"
    of: dict[str, list[Rating]] = {"verdict": verdict_ratings(judgments)}
    if kind == "nli":
        of["verdict and stance"] = stance_ratings(judgments)
    else:
        of |= {check: check_ratings(entries, check) for check in CHECKS}
    rows = (row for name, ratings in of.items() for row in agreement_rows(name, ratings, units, bootstrap))
    return [replace(row, note="; ".join(filter(None, (note, row.note)))) for row in rows]
