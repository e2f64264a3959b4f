"""Collection of the report's data from a study's logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from nextset.forms import FormName
from nextset.records.judgment import Verdict
from nextset.study.validation_settings import ValidateSettings
from nextset.validation.agreement.annotator_quality import judge_rows, speed_rows
from nextset.validation.agreement.bootstrap import BOOTSTRAP
from nextset.validation.agreement.confusion import confusion_rows
from nextset.validation.agreement.counted_answers import CountedAnswers, counted_answers, not_counted
from nextset.validation.agreement.premise_dependence import (
    PairJudgment,
    PremiseDependence,
    premise_dependence,
)
from nextset.validation.agreement.ratings import stance_ratings
from nextset.validation.agreement.split_votes import disagreements
from nextset.validation.agreement.study_coefficients import reported_agreement
from nextset.validation.forms.validated_form import judged_form
from nextset.validation.hypothesis_units import hypotheses_by_unit
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.plan.coverage import last_coverage, queued, settled_units, sufficiently_judged
from nextset.validation.plan.domains_and_groups import ItemFacts, item_facts
from nextset.validation.plan.exposure import exposure, exposure_totals
from nextset.validation.plan.gold import GoldItem
from nextset.validation.plan.state import State
from nextset.validation.plan.template_shares import template_shares
from nextset.validation.report.report_records import DividedUnit, NotCounted, ValidationReport, VoteToRead
from nextset.validation.report.session_progress import by_domain, people, sessions, units_with
from nextset.validation.verdict_model.expected_valid import expected_valid, expected_without_verdicts
from nextset.validation.verdict_model.prediction_records import ValidatorReport
from nextset.validation.verdict_model.unit_features import FeatureRow
from nextset.validation.verdicts import aggregate

__all__ = ["collect_report_data"]


def collect_report_data(
    *,
    study: str,
    form: FormName,
    settings: ValidateSettings,
    units: pa.Table,
    gold: Mapping[str, GoldItem],
    state: State,
    counted: Sequence[Counted],
    enough: int | None,
    validator: ValidatorReport | None,
    features: tuple[FeatureRow, ...],
) -> ValidationReport:
    """Return the report's data.

    ``units`` are all units of the study (`nextset.validation.study_units.kept_units`), ``gold`` its gold
    items by unit_id, ``counted`` every entry of its log; ``enough`` is as in `reported_agreement`. Raises
    DependencyMissing if crowd-kit is missing and the study's method of aggregating votes needs it.
    """
    answers = counted_answers(counted, gold)
    known: dict[str, Verdict] = {unit_id: item.verdict for unit_id, item in gold.items()}
    facts = item_facts(units)
    ids = units["unit_id"].to_pylist()
    verdicts = aggregate(
        ids,
        answers.judgments,
        method=settings.aggregate,
        adjudications=answers.adjudications,
        valid_votes=settings.valid_votes,
    )
    judged = Counter(j.unit_id for j in answers.judgments)
    enough_units, settled, floor = _settled(state, counted, facts, settings)
    decided = {u: v.verdict for u, v in verdicts.by_unit.items() if v.verdict is not None}
    read = exposure(state, counted, {**facts, **{u: item.facts for u, item in gold.items()}})
    return ValidationReport(
        study=study,
        form=form,
        unit=settings.unit,
        sessions=sessions(state),
        judgments=judged.total(),
        units_with=units_with(ids, judged),
        domains=by_domain(facts, judged, enough_units, verdicts.by_unit),
        people=people(state, counted),
        agreement=tuple(
            reported_agreement(
                judged_form(form, settings.unit).checks,
                answers,
                [replace(c.entry, judge=c.person) for c in _voting(counted)],
                units,
                enough=enough,
                bootstrap=BOOTSTRAP,
            )
        ),
        judges=tuple(judge_rows(answers.answers, known)),
        confusion=tuple(confusion_rows(answers.answers, known)),
        speed=tuple(speed_rows(answers.answers)),
        disagreements=_divided(form, settings, answers, counted, units),
        exposure=read,
        totals=exposure_totals(read),
        budget=settings.session.budget.person if settings.session else None,
        problems=_problems(counted),
        premises=_premises(answers, units) if settings.unit == "pair" else None,
        changed=sum(c.counts and bool(c.entry.changed_by) for c in counted),
        expected=expected_valid(len(ids), decided, validator, queued=queued(counted))
        if decided
        else expected_without_verdicts(len(ids)),
        templates=template_shares(facts, settled, enough_units, floor),
        postpone_below=floor,
        validator=validator,
        features=features,
    )


def _settled(
    state: State, counted: Sequence[Counted], facts: Mapping[str, ItemFacts], settings: ValidateSettings
) -> tuple[frozenset[str], dict[str, bool], float | None]:
    """Return the units that need no further judgments, whether units without a tie are valid, and the floor.

    All three are those of the last session opened here that was not an adjudication, or else of the last such
    merged session. Without such a session, the section validate.session says how many judgments a unit needs,
    one judgment is a verdict, and no unit waits.
    """
    coverage = last_coverage(state, counted, facts)
    enough = sufficiently_judged(counted, settings.session, coverage, facts)
    if coverage is None:
        return enough, settled_units(counted), None
    return enough, coverage.settled(), coverage.postpone_below


def _voting(counted: Sequence[Counted]) -> list[Counted]:
    return [c for c in counted if c.is_verdict and c.kind != "adjudication"]


def _divided(
    form: FormName,
    settings: ValidateSettings,
    answers: CountedAnswers,
    counted: Sequence[Counted],
    units: pa.Table,
) -> tuple[DividedUnit, ...]:
    """Return the units with split votes, the most divided first."""
    entries = {(c.entry.unit_id, c.person): c.entry for c in _voting(counted)}
    rows = {row["unit_id"]: row for row in units.to_pylist()}
    return tuple(
        DividedUnit(
            unit_id=d.unit_id,
            domain=rows[d.unit_id]["domain"],
            stereotype=rows[d.unit_id]["stereotype"],
            texts=judged_form(form, settings.unit).row_texts(rows[d.unit_id], premise=settings.shows_premise),
            votes=tuple(
                VoteToRead(
                    person=vote.judge,
                    said=vote.label,
                    reason=entries[d.unit_id, vote.judge].reason,
                    comment=entries[d.unit_id, vote.judge].comment,
                )
                for vote in d.votes
            ),
        )
        for d in disagreements(stance_ratings(answers.judgments), "not_unanimous")
    )


def _premises(answers: CountedAnswers, units: pa.Table) -> PremiseDependence:
    """Return how far the verdicts depend on the premise."""
    hypotheses = hypotheses_by_unit(units)
    rows = {row["unit_id"]: row for row in units.select(["unit_id", "premise", "stereotype"]).to_pylist()}
    return premise_dependence(
        PairJudgment(
            hypothesis=hypotheses[j.unit_id],
            premise=rows[j.unit_id]["premise"],
            judge=j.judge,
            verdict=j.verdict,
            stereotype=rows[j.unit_id]["stereotype"],
        )
        for j in answers.judgments
        if j.unit_id in hypotheses
    )


def _problems(counted: Sequence[Counted]) -> tuple[NotCounted, ...]:
    """Return the reasons why answers do not count, without states that a later one replaces."""
    reasons = not_counted(counted, with_kind=True)
    return tuple(NotCounted(reason, n) for reason, n in sorted(reasons.items(), key=lambda r: (-r[1], r[0])))
