"""The report on a validation as an artifact: out/validate_report."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from nextset.artifact import Artifact, Recipe, built, open_artifact
from nextset.build import FilePart, Made, Part, build
from nextset.items import table_of
from nextset.progress import SILENT, Progress
from nextset.study import Study
from validation.agreement.by_part import AgreementRow
from validation.agreement.confusion import ConfusionRow
from validation.agreement.judges import JudgeRow
from validation.agreement.packages import statistics_installed
from validation.judgments.log import LOG_NAME, read
from validation.kept import kept_units
from validation.plan.counted import Counted, count
from validation.plan.gold import GoldItem, read_gold
from validation.plan.log import PLAN_NAME, read_events
from validation.plan.state import fold
from validation.report.gather import gather
from validation.report.payable import payable_csv, payable_time
from validation.report.records import DividedUnit, ValidationReport
from validation.report.report import render
from validation.validator.stage import prediction

__all__ = ["write_validation_report"]

STAGE = "validate_report"


def write_validation_report(study: Study, progress: Progress = SILENT) -> Artifact:
    """Write out/validate_report: the page index.html, and payable_time.csv for the organiser alone.

    Tables agreement, judges, confusion and divided hold what the page shows, and what it has no room for.
    The page does not name the CSV file. Raises MissingStage before `filter` has run, and JudgmentError for a
    log that cannot be.
    """
    with study.held("validate report"):
        state = fold(read_events(study.judgments).events)
        units = kept_units(study)
        gold = _gold(study)

        @functools.cache
        def counted() -> tuple[Counted, ...]:
            return count(read(study.judgments).entries, state, frozenset(units["unit_id"].to_pylist()))

        @functools.cache
        def data() -> ValidationReport:
            predicted = prediction(study)
            return gather(
                study=study.settings.name,
                form=study.filter.form,
                settings=study.settings.validate_,
                units=units,
                gold=gold,
                state=state,
                counted=counted(),
                validator=predicted.report if predicted else None,
            )

        return build(
            study.out / STAGE,
            _recipe(study),
            lambda: [
                Part("agreement", lambda: Made(table_of(data().agreement, AgreementRow))),
                Part("judges", lambda: Made(table_of(data().judges, JudgeRow))),
                Part("confusion", lambda: Made(table_of(data().confusion, ConfusionRow))),
                Part("divided", lambda: Made(table_of(data().disagreements, DividedUnit))),
                FilePart("index.html", lambda: render(data()).encode()),
                FilePart("payable_time.csv", lambda: payable_csv(payable_time(counted()))),
            ],
            progress=progress(STAGE),
        )


def _gold(study: Study) -> dict[str, GoldItem]:
    session = study.settings.validate_.session
    if session is None or not session.gold:
        return {}
    items = read_gold(study.path(session.gold), study.filter.form, premise=session.premise)
    return {item.unit_id: item for item in items}


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
    if built(study.out / "validator"):
        inputs["validator"] = open_artifact(study.out / "validator").digest
    return Recipe(
        STAGE,
        1,
        inputs,
        {
            "study": study.settings.name,
            "aggregate": settings.aggregate,
            "premise": session is not None and session.premise,
            "budget": session.budget.person if session else None,
            "models": len(study.filter.models),
            # without the packages there are fewer coefficients
            "statistics": statistics_installed(),
        },
    )


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
