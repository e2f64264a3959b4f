"""The stage filter: keep the candidates that the models find hard."""

from __future__ import annotations

import functools
import json

import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.filtering.aflite_decision import decide_by_aflite
from nextset.filtering.balance import BalanceRow, Outcome
from nextset.filtering.candidates import Candidates
from nextset.filtering.selection import Selection, decide_by_rule, select
from nextset.filtering.selection_inputs import answers_of, balance_parts, candidate_sets
from nextset.records.arrow_schema import table_of
from nextset.records.filter_tables import DeclaredModel, DeclaredRule
from nextset.scoring.study_models import candidate_sources, source_of
from nextset.study.filter_rule_settings import rule_text
from nextset.study.filter_settings import FilterSettings
from nextset.study.item_tables import plain_items
from nextset.study.scoring_settings import ScoringSettings
from nextset.study.study_folder import Study, of_study

__all__ = ["filter_candidates", "filter_recipe"]


def filter_recipe(study: Study) -> Recipe:
    """Return the recipe that `filter_candidates` would use now; raises MissingStage if `score` is missing."""
    settings = study.filter
    shown = settings.model_dump(mode="json", include={"rule", "pairs", "balance", "candidates", "cascade"})
    return Recipe(
        "filter",
        7,
        {**Candidates.digests(candidate_sources(study)), "score": open_artifact(study.out / "score").digest},
        {
            **shown,
            "models": [study.model_label(name) for name in settings.models],
            "held_out": [study.model_label(name) for name in settings.held_out],
        },
        {m.model: m.revision for m in _declared(study)},
    )


def _declared(study: Study) -> list[DeclaredModel]:
    roles = (("filter", study.filter.models), ("held_out", study.filter.held_out))
    return [
        DeclaredModel(study.model_label(name), role, source_of(study, name).digest)
        for role, names in roles
        for name in names
    ]


@of_study
def filter_candidates(study: Study, progress: Progress = SILENT) -> Artifact:
    """Apply the study's rule to the candidates: out/filter with the tables kept, rejected and balance.

    The candidates are read and written piece by piece. The tables models and rule store what the study
    declared, for the card.
    """
    with study.held("filter"):
        return build(
            study.out / "filter",
            filter_recipe(study),
            lambda: _plan(study),
            progress=progress("filter"),
        )


def _plan(study: Study) -> list[Part]:
    candidates = Candidates.of(candidate_sources(study))
    finder = "missed_by" if study.filter.form == "nli" else "found_by"
    piece = functools.lru_cache(maxsize=1)(candidates.piece)
    starts = candidates.starts

    @functools.cache
    def selection() -> Selection:
        return _selection(study, candidates)

    def kept(i: int) -> PartResult:
        return PartResult(selection().kept(piece(i), starts[i], finder))

    def rejected(i: int) -> PartResult:
        table = selection().rejected(piece(i), starts[i])
        counts = pc.value_counts(table["reason"]).to_pylist()
        return PartResult(table, {c["values"]: c["counts"] for c in counts})

    return [
        *(
            Part(name, functools.partial(make, i))
            for i in range(len(starts))
            for name, make in (("kept", kept), ("rejected", rejected))
        ),
        Part("balance", lambda: PartResult(table_of(selection().balance, BalanceRow))),
        Part("models", lambda: PartResult(table_of(_declared(study), DeclaredModel))),
        Part("rule", lambda: PartResult(table_of([_rule(study, selection().mended)], DeclaredRule))),
    ]


def _selection(study: Study, candidates: Candidates) -> Selection:
    """Return the selection from ``candidates``; raises MissingStage if a score is missing."""
    settings = study.filter
    models = tuple(map(study.model_label, settings.models))
    answers = answers_of(settings.form, candidates, open_artifact(study.out / "score"), models)
    if settings.rule.aflite is None:
        decision = decide_by_rule(settings, answers, candidates.table(["id"])["id"])
    else:
        plain = plain_items(study.out)
        decision = decide_by_aflite(settings.rule.aflite, candidates, plain, settings.models[0], study.file)
    sets = candidate_sets(settings.form, candidates)
    return select(settings, decision, answers, sets, balance_parts(settings, candidates))


# These sentences are rows of the table rule: if you edit them, raise the version of the recipe.
def _rule(study: Study, mended: Outcome | None) -> DeclaredRule:
    settings = study.filter
    done = _balance_sentence(settings, mended) if mended else "nothing is rejected"
    written = json.dumps(settings.rule.written(), sort_keys=True)
    scored = _scoring_sentence(study.settings.scoring, open_artifact(study.out / "score"))
    return DeclaredRule(written, rule_text(settings.rule, settings.form), settings.pairs, done, scored)


def _balance_sentence(settings: FilterSettings, mended: Outcome) -> str:
    """Return a sentence without its full stop."""
    balance = settings.balance
    by = balance.by if settings.form == "nli" else "group"
    goal = (
        f"no {by}'s share differs by more than {100 * balance.warn_above:g} percentage points from its share "
        "of the candidates"
    )
    sentences: dict[Outcome, str] = {
        "fewest": f"as few items as possible are rejected at random so that {goal}",
        "balanced": f"items are rejected at random so that {goal}; fewer might do, but the search stopped",
        "stopped": f"items of over-represented {by}s are rejected at random, but the search stopped before "
        f"it reached its goal that {goal}",
        "impossible": f"nothing is rejected, because no choice of items ensures that {goal}",
    }
    seed = "" if mended == "impossible" else f" (seed {balance.seed})"
    return f"{sentences[mended]}{seed}"


def _scoring_sentence(scoring: ScoringSettings, scores: Artifact) -> str:
    """Return a sentence without its full stop; in fast mode it has the measured share of decision flips."""
    if scoring.mode == "canonical":
        return (
            f"computed in {scoring.precision}, and again one by one in float32 if near a decision, so that "
            "no decision depends on batches"
        )
    flips = [
        f"{row['model']} {row['flipped']:,} of {row['asked']:,}"
        for row in scores.table("flips").to_pylist()
        if row["asked"]
    ]
    return (
        f"computed in {scoring.precision} in fast mode; decisions that changed in a sample scored again one "
        f"by one in float32: {', '.join(flips) or 'none, because the sample is empty'}"
    )
