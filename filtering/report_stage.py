"""The stage filter_report: ask the held-out models, and compare all models before and after the filter."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.artifacts.artifact import Artifact, Recipe, current_digest, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.cluster_bootstrap import Clusters
from nextset.filtering.balance import BalanceRow
from nextset.filtering.candidates import Candidates
from nextset.filtering.conclusions import ConclusionRow, failed_controls, held_out_conclusions
from nextset.filtering.controls import ControlRow, controls
from nextset.filtering.forms.filter_form import FILTERING_FORMS, FilterForm
from nextset.filtering.held_out_gap import gap
from nextset.filtering.mark_counts import MarkRow, mark_rows
from nextset.filtering.model_answers import Answers, RightAnswers, complete_answers
from nextset.filtering.report import MOST, FilterReport, SampledRow, render
from nextset.filtering.rules.rule_base import Rule, hard_by_model
from nextset.filtering.selection import WITH_ITS_PAIR
from nextset.filtering.selection_inputs import answers_of
from nextset.filtering.stage import own_rule_identity, study_rule
from nextset.filtering.survival import OverlapRow, overlap, survival
from nextset.filtering.unanswered import UnansweredRow, unanswered_rows, unanswered_warnings
from nextset.filtering.vote_steps import vote_warnings
from nextset.records.arrow_schema import table_of
from nextset.records.filter_tables import AccuracyRow, BiasRow, GapRow, SurvivalRow
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.prompt_wordings import render_prompts
from nextset.scoring.score_requests import ScoringRequest, score_models, scores_recipe
from nextset.scoring.study_models import candidate_sources, model_of, rows_to_score
from nextset.study.item_tables import patterns_of_items, plain_items
from nextset.study.study_folder import Study, of_study

__all__ = ["filter_report_recipe", "report_filter"]


_SAMPLE = 3
"""The maximum number of kept candidates on the page for each stereotype or class."""


def filter_report_recipe(study: Study) -> Recipe:
    """Return the recipe that `report_filter` would use now; raises MissingStage before `filter` has run."""
    asked = _held_out(study)
    return _recipe(study, current_digest(study.out / asked.stage, scores_recipe(study, asked)))


def _recipe(study: Study, held_out: str) -> Recipe:
    inputs = {name: open_artifact(study.out / name).digest for name in ("generate", "filter", "score")}
    settings = study.filter.model_dump(mode="json", include={"rule", "candidates", "cascade"})
    settings |= study.filter.policy
    settings["models"] = [study.model_label(name) for name in study.filter.models]
    return Recipe(
        "filter_report",
        14,
        {**Candidates.digests(candidate_sources(study)), **inputs, "held_out": held_out},
        {**settings, "study": study.settings.name, **own_rule_identity(study)},
    )


def _held_out(study: Study) -> ScoringRequest:
    rows = rows_to_score(study)
    models = study.filter.held_out
    return ScoringRequest("score_held_out", rows.form, rows.chunks, rows.inputs, models, "held_out")


@of_study
def report_filter(study: Study, progress: Progress = SILENT) -> Artifact:
    """Ask the held-out models (out/score_held_out) and write out/filter_report.

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


def _plan(study: Study) -> list[Part | FilePart]:
    made = _Comparison(study)

    def table(name: str, record: type) -> Part:
        return Part(name, lambda: PartResult(table_of(getattr(made, name), record)))

    return [
        table("survival", SurvivalRow),
        table("overlap", OverlapRow),
        Part(made.form.shift_table, lambda: PartResult(table_of(made.shifts, made.form.shift_record))),
        table("held_out_gap", GapRow),
        table("fill_marks", MarkRow),
        table("controls", ControlRow),
        table("conclusions", ConclusionRow),
        *([table("unanswered", UnansweredRow)] if made.unanswered else []),
        FilePart("index.html", lambda: render(_data(made)).encode()),
    ]


@dataclass(frozen=True)
class _Comparison:
    """All answers, the kept candidates, and the tables by their names; each is computed once."""

    study: Study

    @property
    def form(self) -> FilterForm:
        return FILTERING_FORMS[self.study.filter.form]

    @cached_property
    def rule(self) -> Rule:
        return study_rule(self.study)

    @cached_property
    def candidates(self) -> Candidates:
        return Candidates.of(candidate_sources(self.study))

    @cached_property
    def keep(self) -> Bools:
        kept = open_artifact(self.study.out / "filter")
        ids = [kept.piece(shard, ["id"])["id"] for shard in kept.shards_of("kept")]
        kept_ids = pa.chunked_array([chunk for column in ids for chunk in column.chunks], pa.string())
        return np.asarray(pc.is_in(self.candidates.table(["id"])["id"], kept_ids))

    @cached_property
    def filters(self) -> Answers:
        return self._answers("score", self.study.filter.models)

    @cached_property
    def held_out(self) -> Answers:
        return self._answers("score_held_out", self.study.filter.held_out)

    def _answers(self, stage: str, models: Sequence[str]) -> Answers:
        scores = open_artifact(self.study.out / stage)
        rows = self.candidates.table(self.form.answer_columns)
        labels = tuple(map(self.study.model_label, models))
        probabilities, missing = self.rule.reads_probabilities, self.study.filter.missing
        return answers_of(self.form, rows, scores, labels, probabilities=probabilities, missing=missing)

    @cached_property
    def whole(self) -> tuple[Answers, Answers]:
        """The answers of the models that were asked about every candidate."""
        return complete_answers(self.filters), complete_answers(self.held_out)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(model for answers in self.whole for model in answers.models)

    @cached_property
    def clusters(self) -> Clusters:
        return self.form.clusters(self.candidates, lambda: patterns_of_items(self.study.out))

    @cached_property
    def survival(self) -> tuple[SurvivalRow, ...]:
        asked, _ = self.whole
        hard = hard_by_model(self.rule, asked)
        parts = self.form.survival_parts(self.candidates)
        return tuple(row for p in parts for row in survival(p, self.keep, hard, asked.answered, asked.models))

    @cached_property
    def overlap(self) -> tuple[OverlapRow, ...]:
        hard = np.concatenate([hard_by_model(self.rule, answers) for answers in self.whole])
        return tuple(overlap(self.keep, hard, self.models))

    @property
    def _roles(self) -> Sequence[tuple[Answers, str]]:
        return (self.filters, "filter"), (self.held_out, "held_out")

    @cached_property
    def shifts(self) -> tuple[AccuracyRow | BiasRow, ...]:
        return tuple(row for a, role in self._roles for row in self.form.shifts(a, self.keep, role))

    @cached_property
    def held_out_gap(self) -> tuple[GapRow, ...]:
        if not self.held_out.models:
            return ()
        return tuple(gap(self.filters, self.held_out, self.keep, self.clusters))

    @cached_property
    def fill_marks(self) -> tuple[MarkRow, ...]:
        return mark_rows(self.candidates, self.keep)

    @cached_property
    def test_answers(self) -> Mapping[str, RightAnswers]:
        """The answers of the models of each role to the test items."""
        if not self.form.right_answers:
            return {}
        return _test_answers(self.study, self.form, self.candidates)

    @cached_property
    def controls(self) -> tuple[ControlRow, ...]:
        return tuple(row for role, answers in self.test_answers.items() for row in controls(answers, role))

    @cached_property
    def unanswered(self) -> tuple[UnansweredRow, ...]:
        return tuple(
            row
            for answers, role in self._roles
            for row in unanswered_rows(answers, self.keep, role, self.test_answers.get(role))
        )

    @cached_property
    def templates(self) -> dict[str, str]:
        """The texts of each template, for the page."""
        generated = open_artifact(self.study.out / "generate")
        if "templates" not in generated.tables:  # questions have no such table
            return {}
        rows = generated.table("templates").to_pylist()
        return {r["template_id"]: f"“{r['hypothesis']}” after “{r['premise']}”" for r in rows}

    @cached_property
    def conclusions(self) -> tuple[ConclusionRow, ...]:
        settings = self.study.filter
        notes = (
            *unanswered_warnings(self.unanswered, settings.missing),
            *vote_warnings(settings.rule, self.filters, self._answers_per_input),
        )
        if not self.form.right_answers:
            return notes
        assert isinstance(self.held_out, RightAnswers)
        parts = [
            replace(p, names=tuple(self.templates.get(name, name) for name in p.names))
            for p in self.form.survival_parts(self.candidates)
            if p.by in self.form.carriers
        ]
        noun = self.form.tests.split(",")[0]
        conclusions = held_out_conclusions(
            self.held_out, self.keep, self.clusters, parts, self.controls, noun
        )
        failed = failed_controls(self.controls, self.form.tests, self.form.tests_remedy)
        return (*conclusions, *failed, *notes)

    def _answers_per_input(self, place: int) -> int:
        """Return the number of answers of a filter model to one input, which are its votes."""
        settings = self.study.filter
        asking = model_of(self.study, settings.models[place], settings.form).asking
        scored = SCORED_FORMS[settings.form]
        pieces = (self.candidates.piece(i, scored.columns) for i in range(len(self.candidates.pieces)))
        first = next(piece for piece in pieces if piece.num_rows)
        (prompts,) = render_prompts(asking, scored.inputs(first.slice(0, 1))[:1])
        return len(prompts) * asking.server.samples

    @cached_property
    def sample(self) -> tuple[SampledRow, ...]:
        """The first kept candidates of each part, by id, with the answers of all models."""
        columns = self.form.sampled
        kept = np.flatnonzero(self.keep)
        if not columns or not kept.size:
            return ()
        (parts,) = [p for p in self.form.survival_parts(self.candidates) if p.by == self.form.sampled_by]
        ids = self.candidates.table(["id"])["id"].take(kept)
        by_part = pa.table({"part": parts.codes[kept], "id": ids, "place": kept})
        by_part = by_part.sort_by([("part", "ascending"), ("id", "ascending")])
        starts = np.unique(np.asarray(by_part["part"]), return_index=True)[1]
        shown = [
            start + i for start, end in pairwise([*starts, kept.size]) for i in range(end - start)[:_SAMPLE]
        ]
        places: list[int] = np.asarray(by_part["place"])[shown[: MOST * _SAMPLE]].tolist()
        rows: dict[int, dict[str, Any]] = {}
        for i, (start, end) in enumerate(pairwise([*self.candidates.starts, self.candidates.rows])):
            if here := [place for place in places if start <= place < end]:
                texts = self.candidates.piece(i, list(columns)).take([place - start for place in here])
                rows |= dict(zip(here, texts.to_pylist(), strict=True))
        return tuple(
            SampledRow(
                parts.names[parts.codes[place]],
                self.form.sampled_texts(rows[place]),
                self._by_answer(place, rows[place]),
            )
            for place in places
        )

    def _by_answer(self, place: int, row: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
        by_answer: dict[str, list[tuple[str, str]]] = {}
        for answers, role in self._roles:
            for m, model in enumerate(answers.models):
                by_answer.setdefault(answers.answer(m, place, row), []).append((model, role))
        return by_answer


def _test_answers(study: Study, form: FilterForm, candidates: Candidates) -> dict[str, RightAnswers]:
    """Return the answers to the controls by role; they are scored with the candidates."""
    tests = form.control_rows(candidates, functools.partial(plain_items, study.out))
    roles = (("score", study.filter.models, "filter"), ("score_held_out", study.filter.held_out, "held_out"))
    by_role: dict[str, RightAnswers] = {}
    for stage, models, role in roles:
        if tests is not None and tests.num_rows and models:
            labels = tuple(map(study.model_label, models))
            answers = answers_of(form, tests, open_artifact(study.out / stage), labels)
            assert isinstance(answers, RightAnswers)
            by_role[role] = answers
    return by_role


def _data(made: _Comparison) -> FilterReport:
    study = made.study
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
        candidates=made.candidates.rows,
        kept=kept.rows("kept"),
        with_pair=with_pair,
        reasons=tuple(sorted(kept.counts.items(), key=lambda c: (-c[1], c[0]))),
        survival=tuple(
            replace(row, part=made.templates.get(row.part, row.part)) if row.by == "template" else row
            for row in made.survival
        ),
        overlap=made.overlap,
        models=made.models,
        shifts=made.shifts,
        gap=made.held_out_gap,
        balance=tuple(BalanceRow(**row) for row in kept.table("balance").to_pylist()),
        marks=made.fill_marks,
        conclusions=made.conclusions,
        controls=made.controls,
        unanswered={(row.model, row.role): row for row in made.unanswered},
        sample=made.sample,
    )
