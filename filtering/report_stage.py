"""The stage filter_report: asks the held-out models, and compares all models before and after the filter."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, Recipe, is_current, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.cluster_bootstrap import ItemClusters
from nextset.filtering.balance import BalanceRow
from nextset.filtering.candidates import Candidates
from nextset.filtering.conclusions import (
    ConclusionRow,
    ControlRow,
    controls,
    failed_controls,
    held_out_conclusions,
)
from nextset.filtering.fill_marks import MarkRow, mark_rows
from nextset.filtering.held_out_gap import AccuracyRow, BiasRow, GapRow, accuracies, biases, gap
from nextset.filtering.model_answers import Answers, Bools, ItemAnswers, QuadAnswers, complete_answers
from nextset.filtering.report import FilterReport, render
from nextset.filtering.rules import hard_by_model
from nextset.filtering.selection import WITH_ITS_PAIR
from nextset.filtering.selection_inputs import answers_of, answers_to
from nextset.filtering.survival import OverlapRow, SurvivalRow, overlap, parts_of, survival
from nextset.records.arrow_schema import table_of
from nextset.scoring.stage import (
    ScoringRequest,
    candidate_sources,
    rows_to_score,
    score_models,
    scores_recipe,
)
from nextset.study.filter_rule_settings import Form
from nextset.study.item_tables import distinct, plain_items
from nextset.study.study_folder import Study, of_study

__all__ = ["filter_report_recipe", "report_filter"]


def filter_report_recipe(study: Study) -> Recipe:
    """The recipe that `report_filter` would use now; raises MissingStage before `filter` has run."""
    asked = _held_out(study)
    folder = study.out / asked.stage
    current = is_current(folder, scores_recipe(study, asked))
    return _recipe(study, open_artifact(folder).digest if current else "stale")


def _recipe(study: Study, held_out: str) -> Recipe:
    inputs = {name: open_artifact(study.out / name).digest for name in ("generate", "filter", "score")}
    settings = study.filter.model_dump(mode="json", include={"rule", "candidates", "cascade"})
    settings["models"] = [study.model_label(name) for name in study.filter.models]
    return Recipe(
        "filter_report",
        7,
        {**Candidates.digests(candidate_sources(study)), **inputs, "held_out": held_out},
        {**settings, "study": study.settings.name},
    )


def _held_out(study: Study) -> ScoringRequest:
    rows = rows_to_score(study)
    models = study.filter.held_out
    return ScoringRequest("score_held_out", rows.form, rows.chunks, rows.inputs, models, "held_out")


@of_study
def report_filter(study: Study, progress: Progress = SILENT) -> Artifact:
    """Ask the held-out models (out/score_held_out) and write out/filter_report.

    Tables survival, overlap, accuracy (of questions bias), held_out_gap and fill_marks, of items controls
    and conclusions, and the page index.html.
    Raises MissingStage before `filter` has run: held-out models are asked only once the filter is fixed.
    """
    with study.held("filter"):
        open_artifact(study.out / "filter")
        scores = score_models(study, _held_out(study), progress)
        made = build(
            study.out / "filter_report",
            _recipe(study, scores.digest),
            lambda: _plan(study),
            progress=progress("filter_report"),
        )
        return replace(made, this_run=scores.this_run)


@dataclass(frozen=True)
class _Compared:
    """All answers, and which candidates were kept."""

    candidates: Candidates
    keep: Bools
    filters: Answers
    held_out: Answers

    @property
    def whole(self) -> tuple[Answers, Answers]:
        """The answers of the models that were asked about every candidate."""
        return complete_answers(self.filters), complete_answers(self.held_out)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(model for answers in self.whole for model in answers.models)


def _plan(study: Study) -> list[Part | FilePart]:
    form = study.filter.form

    @functools.cache
    def compared() -> _Compared:
        candidates = Candidates.of(candidate_sources(study))
        kept = open_artifact(study.out / "filter")
        ids = [kept.piece(shard, ["id"])["id"] for shard in kept.shards_of("kept")]
        kept_ids = pa.chunked_array([chunk for column in ids for chunk in column.chunks], pa.string())
        keep = np.asarray(pc.is_in(candidates.table(["id"])["id"], kept_ids))
        answers = [
            answers_of(
                form, candidates, open_artifact(study.out / stage), tuple(map(study.model_label, models))
            )
            for stage, models in (
                ("score", study.filter.models),
                ("score_held_out", study.filter.held_out),
            )
        ]
        return _Compared(candidates, keep, *answers)

    @functools.cache
    def survived() -> tuple[SurvivalRow, ...]:
        both = compared()
        asked, _ = both.whole
        hard = hard_by_model(study.filter.rule, asked)
        parts = parts_of(both.candidates, form)
        return tuple(row for p in parts for row in survival(p, both.keep, hard, asked.models))

    @functools.cache
    def overlapping() -> tuple[OverlapRow, ...]:
        both = compared()
        hard = np.concatenate([hard_by_model(study.filter.rule, answers) for answers in both.whole])
        return tuple(overlap(both.keep, hard, both.models))

    @functools.cache
    def shifts() -> tuple[AccuracyRow, ...] | tuple[BiasRow, ...]:
        both = compared()
        roles = ((both.filters, "filter"), (both.held_out, "held_out"))
        if form == "nli":
            return tuple(
                r for a, role in roles if isinstance(a, ItemAnswers) for r in accuracies(a, both.keep, role)
            )
        return tuple(r for a, role in roles if isinstance(a, QuadAnswers) for r in biases(a, both.keep, role))

    @functools.cache
    def gaps() -> tuple[GapRow, ...]:
        both = compared()
        if not both.held_out.models:
            return ()
        return tuple(gap(both.filters, both.held_out, both.keep, _clusters(form, both.candidates)))

    @functools.cache
    def marks() -> tuple[MarkRow, ...]:
        return mark_rows(compared().candidates, compared().keep)

    @functools.cache
    def controlled() -> tuple[ControlRow, ...]:
        return tuple(_controls(study)) if form == "nli" else ()

    @functools.cache
    def concluded() -> tuple[ConclusionRow, ...]:
        both = compared()
        if not isinstance(both.held_out, ItemAnswers):
            return ()
        parts = [p for p in parts_of(both.candidates, form) if p.by in ("stereotype", "template")]
        found = held_out_conclusions(both.held_out, both.keep, _clusters(form, both.candidates), parts)
        return (*found, *failed_controls(controlled()))

    def page() -> bytes:
        data = _data(study, compared(), survived(), overlapping(), shifts(), gaps())
        return render(replace(data, marks=marks(), conclusions=concluded(), controls=controlled())).encode()

    def table(name: str, rows: Any, record: type) -> Part:
        return Part(name, lambda: PartResult(table_of(rows(), record)))

    return [
        table("survival", survived, SurvivalRow),
        table("overlap", overlapping, OverlapRow),
        table("accuracy", shifts, AccuracyRow) if form == "nli" else table("bias", shifts, BiasRow),
        table("held_out_gap", gaps, GapRow),
        table("fill_marks", marks, MarkRow),
        table("controls", controlled, ControlRow),
        table("conclusions", concluded, ConclusionRow),
        FilePart("index.html", page),
    ]


def _controls(study: Study) -> list[ControlRow]:
    """The answers of all models to the test items, which are scored with the plain expansion."""
    items = plain_items(study.out, ["id", "label", "stance_design"])
    tests = distinct(items.filter(pc.equal(items["stance_design"], "test")))
    roles = (("score", study.filter.models, "filter"), ("score_held_out", study.filter.held_out, "held_out"))
    return [
        row
        for stage, models, role in roles
        if tests.num_rows and models
        for row in controls(
            answers_to(tests, open_artifact(study.out / stage), tuple(map(study.model_label, models))), role
        )
    ]


def _clusters(form: Form, candidates: Candidates) -> ItemClusters:
    if form == "nli":
        table = candidates.table(["stereotype", "id"])
        return ItemClusters.of("stereotypes", table["stereotype"], table["id"])
    return ItemClusters.of("attributes", candidates.table(["attribute"])["attribute"])


def _data(
    study: Study,
    compared: _Compared,
    survived: tuple[SurvivalRow, ...],
    overlapping: tuple[OverlapRow, ...],
    shifts: tuple[AccuracyRow, ...] | tuple[BiasRow, ...],
    gaps: tuple[GapRow, ...],
) -> FilterReport:
    kept = open_artifact(study.out / "filter")
    (rule,) = kept.table("rule").to_pylist()
    because = (kept.piece(shard, ["kept_because"])["kept_because"] for shard in kept.shards_of("kept"))
    with_pair = sum(pc.sum(pc.equal(column, WITH_ITS_PAIR)).as_py() or 0 for column in because)
    return FilterReport(
        study=study.settings.name,
        form=study.filter.form,
        rule=rule["words"],
        pairs=rule["pairs"],
        scored=rule["scored"],
        balanced=rule["balance"],
        cascade=study.filter.cascade,
        candidates=compared.candidates.rows,
        kept=kept.rows("kept"),
        with_pair=with_pair,
        reasons=tuple(sorted(kept.counts.items(), key=lambda c: (-c[1], c[0]))),
        survival=survived,
        overlap=overlapping,
        models=compared.models,
        shifts=shifts,
        gap=gaps,
        balance=tuple(BalanceRow(**row) for row in kept.table("balance").to_pylist()),
    )
