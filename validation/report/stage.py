"""The validation report as an artifact: out/validate_report."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from nextset.artifacts.artifact import Artifact, Recipe, is_finished, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.records.arrow_schema import table_of
from nextset.records.judgment import LOG_NAME
from nextset.study.study_folder import Study, of_study
from nextset.validation.agreement.annotator_quality import JudgeRow
from nextset.validation.agreement.coefficient_table import AgreementRow
from nextset.validation.agreement.confusion import ConfusionRow
from nextset.validation.agreement.counted_answers import counted_entries
from nextset.validation.agreement.optional_packages import statistics_installed
from nextset.validation.agreement.premise_dependence import PremiseRow
from nextset.validation.agreement.study_coefficients import sufficient_votes
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.plan.event_log import PLAN_NAME, read_events
from nextset.validation.plan.state import fold
from nextset.validation.plan.template_shares import TemplateShare
from nextset.validation.report.data_collection import collect_report_data
from nextset.validation.report.html_report import render
from nextset.validation.report.payable_time import payable_csv, payable_time
from nextset.validation.report.report_records import DividedUnit, ValidationReport
from nextset.validation.study_units import gold_items, kept_units
from nextset.validation.verdict_model.stage import prediction

__all__ = ["write_validation_report"]

STAGE = "validate_report"


@of_study
def write_validation_report(study: Study, progress: Progress = SILENT) -> Artifact:
    """Write out/validate_report: the page index.html, and payable_time.csv, only for the organiser.

    The tables have all rows, of which the page shows some. Raises JudgmentError for an inconsistent log.
    """
    with study.held("validate report"):
        state = fold(read_events(study.judgments).events)
        units = kept_units(study.out, study.filter, study.settings.validate_.unit)
        gold = gold_items(study.settings.validate_, study.filter.form, study.path)

        @functools.cache
        def counted() -> tuple[Counted, ...]:
            return counted_entries(study.judgments, state, frozenset(units["unit_id"].to_pylist()))

        @functools.cache
        def data() -> ValidationReport:
            predicted = prediction(study)
            if predicted is not None and not predicted.is_of(units["unit_id"].to_pylist()):
                predicted = None
            return collect_report_data(
                study=study.settings.name,
                form=study.filter.form,
                settings=study.settings.validate_,
                units=units,
                gold=gold,
                state=state,
                counted=counted(),
                enough=sufficient_votes(study.settings.validate_),
                validator=predicted.report if predicted else None,
                features=predicted.features if predicted else (),
            )

        def premises() -> PartResult:
            dependence = data().premises
            return PartResult(table_of(dependence.rows if dependence else (), PremiseRow))

        pairs = [Part("premises", premises)] if study.settings.validate_.unit == "pair" else []
        return build(
            study.out / STAGE,
            _recipe(study),
            lambda: [
                Part("agreement", lambda: PartResult(table_of(data().agreement, AgreementRow))),
                Part("judges", lambda: PartResult(table_of(data().judges, JudgeRow))),
                Part("confusion", lambda: PartResult(table_of(data().confusion, ConfusionRow))),
                Part("templates", lambda: PartResult(table_of(data().templates, TemplateShare))),
                Part("divided", lambda: PartResult(table_of(data().disagreements, DividedUnit))),
                *pairs,
                FilePart("index.html", lambda: render(data()).encode()),
                FilePart("payable_time.csv", lambda: payable_csv(payable_time(counted()))),
            ],
            progress=progress(STAGE),
        )


def _recipe(study: Study) -> Recipe:
    settings = study.settings.validate_
    session = settings.session
    inputs = {
        "filter": open_artifact(study.out / "filter").digest,
        "judgments": _digest(study.judgments / LOG_NAME),
        "plan": _digest(study.judgments / PLAN_NAME),
    }
    if session is not None and session.gold:
        inputs["gold"] = _digest(study.path(session.gold))
    if is_finished(study.out / "generate"):
        inputs["templates"] = open_artifact(study.out / "generate").digest
    unit: dict[str, object] = {} if settings.unit == "hypothesis" else {"unit": settings.unit}
    if settings.valid_votes is not None:
        unit["valid_votes"] = settings.valid_votes
    if is_finished(study.out / "validator"):
        inputs["validator"] = open_artifact(study.out / "validator").digest
    return Recipe(
        STAGE,
        10,
        inputs,
        {
            "study": study.settings.name,
            "aggregate": settings.aggregate,
            "enough": sufficient_votes(settings),
            "asked": [session.overlap, session.agree] if session else [],
            "premise": settings.shows_premise,
            "budget": session.budget.person if session else None,
            "models": len(study.filter.models),
            # without these packages there are fewer coefficients
            "statistics": statistics_installed(),
            **unit,
        },
    )


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
