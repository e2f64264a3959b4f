"""The stage filter: keep the candidates that the models find hard."""

from __future__ import annotations

import functools
import json
from typing import Any

import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.filtering.balance import BalanceRow, Outcome
from nextset.filtering.candidates import Candidates
from nextset.filtering.forms.filter_form import FILTERING_FORMS
from nextset.filtering.rules.own_rule import own_rule_files, own_rules
from nextset.filtering.rules.rule_base import Rule, RuleInputs, rule_of
from nextset.filtering.selection import Selection, select
from nextset.filtering.selection_inputs import answers_of
from nextset.own_code import own_file_content
from nextset.records.arrow_schema import table_of
from nextset.records.filter_tables import DeclaredModel, DeclaredRule, OwnRuleRow
from nextset.scoring.study_models import candidate_sources, source_of
from nextset.study.filter_rule_settings import RULES, rule_text
from nextset.study.filter_settings import FilterSettings
from nextset.study.item_tables import plain_items
from nextset.study.scoring_settings import ScoringSettings
from nextset.study.study_folder import Study, of_study

__all__ = ["filter_candidates", "filter_recipe", "own_rule_identity", "study_rule"]


def filter_recipe(study: Study) -> Recipe:
    """Return the recipe that `filter_candidates` would use now; raises MissingStage if `score` is missing."""
    settings = study.filter
    included = {"rule", "pairs", "balance", "candidates", "cascade"}
    shown = settings.model_dump(mode="json", include=included, by_alias=True)
    return Recipe(
        "filter",
        7,
        {**Candidates.digests(candidate_sources(study)), "score": open_artifact(study.out / "score").digest},
        {
            **shown,
            **settings.policy,
            "models": [study.model_label(name) for name in settings.models],
            "held_out": [study.model_label(name) for name in settings.held_out],
            **own_rule_identity(study),
        },
        {m.model: m.revision for m in _declared(study)},
    )


def _own_rules(study: Study) -> list[OwnRuleRow]:
    return own_rules(study.filter.rule, functools.partial(_source, study))


def _source(study: Study, written: str) -> bytes:
    return own_file_content(written, study.path, study.file)


def own_rule_identity(study: Study) -> dict[str, Any]:
    """Return the settings for a recipe that identify own rules by file or package; none without own rules."""
    rows = _own_rules(study)
    return {"own_rules": [[row.rule, row.sha256 or _package_identity(row)] for row in rows]} if rows else {}


def _package_identity(row: OwnRuleRow) -> str:
    """Return the version of the package of a rule, and the hash of the rule's module if it has a file."""
    return " ".join(filter(None, (row.package, RULES.module_digest(row.rule))))


def study_rule(study: Study) -> Rule:
    """Return the study's rule; raises StudyError if it is a function in a file that is not trusted."""
    return rule_of(study.filter.rule).trusted(study.own_code)


def _declared(study: Study) -> list[DeclaredModel]:
    roles = (("filter", study.filter.models), ("held_out", study.filter.held_out))
    return [
        DeclaredModel(study.model_label(name), role, source_of(study, name).digest)
        for role, names in roles
        for name in names
    ]


@of_study
def filter_candidates(study: Study, progress: Progress = SILENT) -> Artifact:
    """Apply the study's rule to the candidates: out/filter with the tables kept, rejected and balance."""
    with study.held("filter"):
        return build(
            study.out / "filter",
            filter_recipe(study),
            lambda: _plan(study),
            snapshots=own_rule_files(study.filter.rule, functools.partial(_source, study)),
            progress=progress("filter"),
        )


def _plan(study: Study) -> list[Part]:
    candidates = Candidates.of(candidate_sources(study))
    finder = FILTERING_FORMS[study.filter.form].finder
    piece = functools.lru_cache(maxsize=1)(candidates.piece)
    starts = candidates.starts
    own = _own_rules(study)

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
        *([Part("own_rules", lambda: PartResult(table_of(own, OwnRuleRow)))] if own else []),
    ]


def _selection(study: Study, candidates: Candidates) -> Selection:
    """Return the selection from ``candidates``; raises MissingStage if a score is missing."""
    settings = study.filter
    form, rule = FILTERING_FORMS[settings.form], study_rule(study)
    rows, scores = candidates.table(form.answer_columns), open_artifact(study.out / "score")
    models = tuple(map(study.model_label, settings.models))
    answers = answers_of(
        form, rows, scores, models, probabilities=rule.reads_probabilities, missing=settings.missing
    )
    inputs = RuleInputs(
        answers,
        candidates,
        settings.cascade,
        settings.models,
        study.file,
        lambda: plain_items(study.out),
    )
    parts = form.balance_parts(settings.balance.by, candidates)
    return select(settings, rule, rule.decide_in_study(inputs), answers, form.sets(candidates), parts)


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
    by = FILTERING_FORMS[settings.form].balance_by(balance.by)
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
