"""The coefficients that a study reports: for verdicts, for verdicts with stance, or for each check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from nextset.study.validation_settings import ValidateSettings
from nextset.validation.agreement.answers_by_annotator import first_raters
from nextset.validation.agreement.bootstrap import Bootstrap
from nextset.validation.agreement.coefficient_table import AgreementRow, agreement_rows
from nextset.validation.agreement.counted_answers import CountedAnswers
from nextset.validation.agreement.question_checks import check_ratings
from nextset.validation.agreement.ratings import Rating, stance_ratings, verdict_ratings
from nextset.validation.judgments.log_entry import Entry

__all__ = ["reported_agreement", "sufficient_votes"]


def sufficient_votes(settings: ValidateSettings) -> int | None:
    """Return the number of agreeing annotators that is enough; None if all of the overlap are asked."""
    session = settings.session
    if settings.judge == "rule" or session is None or session.agree == session.overlap:
        return None
    return session.agree


def reported_agreement(
    checks: Sequence[str],
    counted: CountedAnswers,
    entries: Sequence[Entry],
    units: pa.Table,
    *,
    enough: int | None,
    bootstrap: Bootstrap,
) -> list[AgreementRow]:
    """Return the coefficients of the ``counted`` judgments of ``units``.

    ``checks`` are the yes/no checks of a unit; without any, the stance is compared too. ``entries`` hold the
    answers to the checks; an entry's judge is the annotator. ``enough`` is the number of
    agreeing annotators that is enough, if more were asked only on disagreement: then only this many first
    ratings of each unit are compared, and the rows have a note about it.
    """
    judgments, note = counted.judgments, ""
    if enough:
        first = first_raters(counted.answers, enough)
        judgments = tuple(j for j in judgments if (j.unit_id, j.judge) in first)
        entries = [e for e in entries if (e.unit_id, e.judge) in first]
        note = f"from the first {enough} ratings of a unit: more were asked for only on disagreement"
    known = set(units["unit_id"].to_pylist())
    ratings_by_name: dict[str, list[Rating]] = {"verdict": verdict_ratings(judgments)}
    if checks:
        ratings_by_name |= {check: check_ratings(entries, check) for check in checks}
    else:
        ratings_by_name["verdict and stance"] = stance_ratings(judgments)
    rows = []
    for name, ratings in ratings_by_name.items():
        rated = Counter(rating.unit_id for rating in ratings if rating.unit_id in known)
        for row in agreement_rows(name, ratings, units, bootstrap):
            notes = (note, _single(row, rated), row.note)
            rows.append(replace(row, note="; ".join(filter(None, notes))))
    return rows


def _single(row: AgreementRow, rated: Mapping[str, int]) -> str:
    """Return a note on units with one rating, which the coefficient excludes; empty if there are none.

    With a fractional overlap there are such units by design. ``rated`` is the number of ratings by unit.
    """
    single = sum(n == 1 for n in rated.values())
    if row.value is None or row.by != "all" or row.name == "cohen" or not single:
        return ""
    several = len(rated) - single
    return f"from units with two ratings or more: {several:,}; units excluded with one rating: {single:,}"
