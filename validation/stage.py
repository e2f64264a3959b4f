"""The stage validate: judgments become verdicts, and verdicts become columns of the items."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import pyarrow as pa
import pyarrow.compute

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.counted import counted
from nextset.errors import WaitingForPeople
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.records.exposure_total import ExposureTotal
from nextset.records.judgment import Judgment
from nextset.study.study_folder import Study, of_study
from nextset.study.validation_settings import SessionSettings, ValidateSettings
from nextset.validation.agreement.annotator_quality import JudgeRow, judge_rows
from nextset.validation.agreement.bootstrap import Bootstrap
from nextset.validation.agreement.coefficient_table import AgreementRow
from nextset.validation.agreement.counted_answers import (
    CountedAnswers,
    counted_answers,
    counted_entries,
    lost_judgments,
)
from nextset.validation.agreement.optional_packages import statistics_installed
from nextset.validation.agreement.question_checks import CheckedUnit, aggregate_checks
from nextset.validation.agreement.study_coefficients import reported_agreement, sufficient_votes
from nextset.validation.agreement.vote_aggregation import Fit, Method, Posterior
from nextset.validation.form_rule import form_by_unit, with_form_ok
from nextset.validation.forms.validated_form import judged_form
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.plan.coverage import Coverage, last_coverage, sufficiently_judged
from nextset.validation.plan.domains_and_groups import item_facts
from nextset.validation.plan.event_log import read_events
from nextset.validation.plan.exposure import exposure, exposure_table, exposure_totals
from nextset.validation.plan.state import fold
from nextset.validation.session.settings_changes import settings_changes
from nextset.validation.study_units import gold_items, kept_items, kept_units
from nextset.validation.verdict_model.expected_valid import SAMPLE
from nextset.validation.verdicts import STANCE_TIED, Verdicts, aggregate, judged

__all__ = ["apply_judgments", "validate_recipe"]

_SEED = 0
"""The seed of the intervals' draws and of MACE's starting points."""


@dataclass(frozen=True)
class _Given:
    """The inputs of the stage."""

    units: pa.Table
    answers: CountedAnswers
    """The annotators' answers; empty if a rule checks the form instead."""
    entries: tuple[Entry, ...]
    """The entries that count as verdicts of units, without adjudications."""
    gold: Mapping[str, str]
    """The known verdicts of gold items."""
    exposure: tuple[ExposureTotal, ...]
    """The number of items that annotators have read, without names."""
    few: pa.Table
    """The units with fewer judgments than asked for, except adjudicated ones (column unit_id)."""
    lost: Mapping[str, int]
    """Judgments without a unit or session in the study (`lost_judgments`)."""


def validate_recipe(study: Study) -> Recipe:
    """Return the recipe of the artifact that `apply_judgments` would make; raises MissingStage too."""
    return _recipe(study, _given(study))


@of_study
def apply_judgments(study: Study, progress: Progress = SILENT) -> Artifact:
    """Add the verdicts to the items that the filter kept: out/validate, with items, valid and judgments.

    With ``judge: rule``, items have the column form_ok instead of a verdict, and the table form_ok replaces
    valid. Raises WaitingForPeople if annotators should judge and none has, DependencyMissing if the study's
    aggregation needs crowd-kit.
    """
    with study.held("validate"):
        given = _given(study)
        _wait(study, given)
        recipe = _recipe(study, given)
        return build(
            study.out / "validate", recipe, lambda: _parts(study, given), progress=progress("validate")
        )


def _parts(study: Study, given: _Given) -> list[Part]:
    """Return the tables of the artifact; values that several tables need are computed once, for the first."""
    ids, method = given.units["unit_id"].to_pylist(), _method(study.settings.validate_)
    form, answers = judged_form(study.filter.form, study.settings.validate_.unit), given.answers

    @functools.cache
    def verdicts() -> Verdicts:
        return aggregate(
            ids,
            answers.judgments,
            method=method,
            adjudications=answers.adjudications,
            seed=_SEED,
            valid_votes=study.settings.validate_.valid_votes,
        )

    by_rule = study.settings.validate_.judge == "rule"

    @functools.cache
    def ok_by_rule() -> Mapping[str, bool]:
        kept = kept_items(study.out / "filter")
        return form_by_unit(kept, form.units_of_rows(kept))

    @functools.cache
    def items() -> pa.Table:
        kept = kept_items(study.out / "filter")
        rows = judged(kept, form.units_of_rows(kept), verdicts())
        return with_form_ok(rows, ok_by_rule()) if by_rule else rows

    def counted() -> PartResult:
        outcomes = {**verdicts().counts, "with too few judgments": given.few.num_rows}
        if "stance" not in form.answer_blocks:
            outcomes.pop(STANCE_TIED)
        if by_rule:
            ok = sum(ok_by_rule().values())
            outcomes = {"form ok": ok, "form not ok": len(ids) - ok}
        units = {f"units {outcome}": n for outcome, n in outcomes.items()}
        return PartResult(items(), {**units, **given.lost})

    def passed() -> pa.Table:
        passes = items()["form_ok"] if by_rule else pa.compute.equal(items()["verdict"], "valid")
        return items().filter(passes)

    def agreement() -> list[AgreementRow]:
        if by_rule:
            return []
        enough = sufficient_votes(study.settings.validate_)
        bootstrap = Bootstrap(seed=_SEED)
        return reported_agreement(
            form.checks, answers, given.entries, given.units, enough=enough, bootstrap=bootstrap
        )

    def checks() -> list[CheckedUnit]:
        return aggregate_checks(ids, given.entries, method, _SEED)

    tables: dict[str, Callable[[], pa.Table]] = {
        "form_ok" if by_rule else "valid": passed,
        "judgments": lambda: table_of(answers.judgments, Judgment),
        "adjudications": lambda: table_of(answers.adjudications, Judgment),
        "agreement": lambda: table_of(agreement(), AgreementRow),
        "aggregation": lambda: table_of([verdicts().fit], Fit),
        "posteriors": lambda: table_of(verdicts().posteriors, Posterior),
        "judges": lambda: table_of(judge_rows(answers.answers, given.gold), JudgeRow),
        "exposure": lambda: exposure_table(given.exposure),
        "too_few_judgments": lambda: given.few,
    }
    if form.checks:
        tables["checks"] = lambda: table_of(checks(), CheckedUnit)
    return [Part("items", counted), *(Part(name, _result(table)) for name, table in tables.items())]


def _result(table: Callable[[], pa.Table]) -> Callable[[], PartResult]:
    return lambda: PartResult(table())


def _given(study: Study) -> _Given:
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)
    if study.settings.validate_.judge == "rule":
        return _Given(units, CountedAnswers((), (), ()), (), {}, (), _unit_table(()), {})
    gold = gold_items(study.settings.validate_, study.filter.form, study.path)
    state = fold(read_events(study.judgments).events)
    counted = counted_entries(study.judgments, state, frozenset(units["unit_id"].to_pylist()))
    facts = {**item_facts(units), **{unit_id: item.facts for unit_id, item in gold.items()}}
    read = exposure(state, counted, facts)
    return _Given(
        units,
        counted_answers(counted, gold),
        tuple(_with_annotator(c) for c in counted if c.is_verdict and c.kind != "adjudication"),
        {unit_id: item.verdict for unit_id, item in gold.items()},
        exposure_totals(read),
        _few_judgments(
            counted,
            study.settings.validate_.session,
            last_coverage(state, counted, facts),
            units["unit_id"].to_pylist(),
        ),
        lost_judgments(counted),
    )


def _few_judgments(
    counted: Sequence[Counted],
    asked: SessionSettings | None,
    coverage: Coverage | None,
    units: Sequence[str],
) -> pa.Table:
    """Return the units with some judgments, but fewer than asked for; an adjudication settles a unit."""
    judged = {c.entry.unit_id for c in counted if c.is_verdict}
    adjudicated = {c.entry.unit_id for c in counted if c.is_verdict and c.kind == "adjudication"}
    return _unit_table(judged - adjudicated - sufficiently_judged(counted, asked, coverage, units))


def _unit_table(ids: Iterable[str]) -> pa.Table:
    return pa.table({"unit_id": pa.array(sorted(ids), pa.string())})


def _with_annotator(c: Counted) -> Entry:
    """Return the entry with the annotator who gave it as its judge."""
    return replace(c.entry, judge=c.person)


def _wait(study: Study, given: _Given) -> None:
    session = fold(read_events(study.judgments).events).current
    if session is not None:
        kept = given.units["unit_id"].to_pylist()
        changes = settings_changes(session, study.settings.validate_.session, kept)
        changed = "".join(f"; since then, {change}" for change in changes)
        raise WaitingForPeople(
            f"session {session.opened.session} is open: annotators may still be judging{changed}",
            remedy=f"when they are done, close it: nextset validate close {study.folder}",
        )
    if study.settings.validate_.judge == "rule":
        return
    known, answers = set(given.units["unit_id"].to_pylist()), given.answers
    if known and known.isdisjoint(j.unit_id for j in (*answers.judgments, *answers.adjudications)):
        lost = "".join(f"; the log has {counted(n, what)}" for what, n in given.lost.items())
        raise WaitingForPeople(
            f"{counted(len(known), 'units wait', 'unit waits')} for annotators' judgments{lost}",
            remedy="run a session (docs/how_to/sessions.md): `nextset validate serve`, then `nextset "
            f"validate open {study.folder}`; or, without a server, `nextset validate export {study.folder}`, "
            f"then `nextset validate import {study.folder} FILE`; --sample {SAMPLE} exports a random sample "
            "of this size, which estimates how many of all units are valid",
        )


def _method(settings: ValidateSettings) -> Method:
    """Return how votes are aggregated; without annotators there is nothing to fit, so by majority."""
    return "majority" if settings.judge == "rule" else settings.aggregate


def _recipe(study: Study, given: _Given) -> Recipe:
    people = given.answers
    lists = (people.judgments, people.adjudications, people.answers, given.entries, given.exposure)
    lines = [str(asdict(record)) for records in lists for record in records]
    settings = study.settings.validate_
    recorded: dict[str, object] = {
        "judge": settings.judge,
        "aggregate": _method(settings),
        "enough": sufficient_votes(settings),
        "seed": _SEED,
        # the table of agreement has fewer values without these packages, and is empty without annotators
        "statistics": settings.judge == "people" and statistics_installed(),
    }
    if settings.unit != "hypothesis":
        recorded["unit"] = settings.unit
    if settings.valid_votes is not None:
        recorded["valid_votes"] = settings.valid_votes
    lines += [str(sorted(given.gold.items())), str(sorted(given.lost.items()))]
    digest = content_id("judgments", *lines, *given.few["unit_id"].to_pylist())
    kept = open_artifact(study.out / "filter").digest
    return Recipe("validate", 9, {"filter": kept, "judgments": digest}, recorded)
