"""The comparison of rules, from a study's existing scores; no model is asked."""

from __future__ import annotations

import functools

import numpy as np

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import MissingStage, StudyError, examples
from nextset.filtering.candidates import Candidates
from nextset.filtering.forms.filter_form import FILTERING_FORMS
from nextset.filtering.model_answers import RightAnswers
from nextset.filtering.rule_comparison import HeldOutDropRow, RuleRow, compare
from nextset.filtering.rule_comparison_page import RuleComparison, render
from nextset.filtering.selection_inputs import answers_of
from nextset.filtering.stage import own_rule_identity, study_rule
from nextset.forms import FORMS
from nextset.records.arrow_schema import table_of
from nextset.scoring.study_models import candidate_sources
from nextset.study.item_tables import patterns_of_items
from nextset.study.study_folder import Study, of_study

__all__ = ["compare_rules", "filter_comparison_recipe"]


def filter_comparison_recipe(study: Study) -> Recipe:
    """Return the recipe that `compare_rules` would use now; raises MissingStage before `filter` has run."""
    scores = {name: open_artifact(study.out / name).digest for name in _stages(study)}
    settings = study.filter.model_dump(mode="json", include={"rule", "pairs", "candidates", "cascade"})
    settings |= study.filter.policy
    return Recipe(
        "filter_comparison",
        5,
        {**Candidates.digests(candidate_sources(study)), **scores},
        {**settings, "models": _models(study), "study": study.settings.name, **own_rule_identity(study)},
    )


@of_study
def compare_rules(study: Study, progress: Progress = SILENT) -> Artifact:
    """Compare filter rules: out/filter_comparison with the tables rules and held_out, and index.html.

    Each filter or held-out model is held out once while the others filter. Raises StudyError for questions
    and statements, in a cascade, and for a single model.
    """
    _check(study)
    with study.held("filter"):
        return build(
            study.out / "filter_comparison",
            filter_comparison_recipe(study),
            lambda: _plan(study),
            progress=progress("filter_comparison"),
        )


def _stages(study: Study) -> tuple[str, ...]:
    return ("score", "score_held_out") if study.filter.held_out else ("score",)


def _models(study: Study) -> list[str]:
    return [study.model_label(name) for name in (*study.filter.models, *study.filter.held_out)]


def _check(study: Study) -> None:
    settings = study.filter
    if not FILTERING_FORMS[settings.form].right_answers:
        raise StudyError(
            f"the comparison counts wrong answers, and {FORMS[settings.form].noun} have no right answer",
            file=study.file,
            remedy="read mean |C| before and after the filter in the filter's report",
        )
    if len(_models(study)) < 2:
        raise StudyError(
            f"the comparison needs at least two models, and the study names only {_models(study)[0]}",
            file=study.file,
            remedy="add a model under filter.held_out and run `nextset filter STUDY`",
        )


def _plan(study: Study) -> list[Part | FilePart]:
    @functools.cache
    def compared() -> tuple[list[RuleRow], list[HeldOutDropRow]]:
        candidates = Candidates.of(candidate_sources(study))
        answers = _answers(study, candidates)
        form = FILTERING_FORMS[study.filter.form]
        sets = form.sets(candidates) if study.filter.pairs == "whole" else None
        clusters = form.clusters(candidates, lambda: patterns_of_items(study.out))
        return compare(study.filter.rule, answers, sets, clusters, study_rule(study), study.filter.form)

    def page() -> bytes:
        rules, cases = compared()
        return render(
            RuleComparison(study.settings.name, study.filter.pairs, rules, cases, study.filter.form)
        ).encode()

    return [
        Part("rules", lambda: PartResult(table_of(compared()[0], RuleRow))),
        Part("held_out", lambda: PartResult(table_of(compared()[1], HeldOutDropRow))),
        FilePart("index.html", page),
    ]


def _answers(study: Study, candidates: Candidates) -> RightAnswers:
    """Return the answers of all models; raises an error that names the missing scores."""
    named = (study.filter.models, study.filter.held_out)
    form, probabilities = FILTERING_FORMS[study.filter.form], study_rule(study).reads_probabilities
    rows = candidates.table(form.answer_columns)
    by_stage = [
        answers_of(
            form,
            rows,
            open_artifact(study.out / stage),
            tuple(map(study.model_label, models)),
            probabilities=probabilities,
            missing=study.filter.missing,
        )
        for stage, models in zip(_stages(study), named, strict=False)
    ]
    answers = functools.reduce(lambda first, second: first.joined_to(second), by_stage)
    assert isinstance(answers, RightAnswers)
    asked = answers.asked.sum(axis=1)
    short = [
        f"{answers.models[m]} has {asked[m]:,} of {candidates.rows:,} scores"
        for m in np.flatnonzero(asked < candidates.rows)
    ]
    if short and study.filter.cascade:
        raise StudyError(
            "the comparison needs every model's score of every candidate, and in a cascade later models score"
            f" only the items that earlier models left undecided: {examples(short)}",
            file=study.file,
            remedy="set filter.cascade: false, then run `nextset score STUDY` and `nextset filter STUDY`; "
            "scores in the cache are used again",
        )
    if short:
        remedy = "run `nextset score STUDY`, then `nextset filter STUDY`"
        raise MissingStage(f"scores are missing: {examples(short)}", remedy=remedy)
    return answers
