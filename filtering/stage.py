"""The stage filter: what the models find hard stays."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from dataclasses import dataclass

import pyarrow as pa

from filtering.filter import Filtered, SurvivalRow, filter_items
from filtering.rules import RULES
from nextset.artifact import Artifact, Recipe, open_artifact
from nextset.build import Made, Part, build
from nextset.items import Label, table_of
from nextset.progress import SILENT, Progress
from nextset.study import Study
from nextset.tables import candidates, table_digest
from scoring.predictions import predicted
from scoring.sources import locate

__all__ = ["DeclaredModel", "DeclaredRule", "filter_candidates", "filter_recipe"]


@dataclass(frozen=True)
class DeclaredModel:
    """A model that the study declares for the filter, or holds out of it."""

    model: str
    """The model as the study names it."""
    role: str
    """filter or held_out."""
    revision: str
    """Digest of the model's weights."""


@dataclass(frozen=True)
class DeclaredRule:
    """The rule that the study declares."""

    rule: str
    """Its name in study.yaml."""
    words: str
    """What it says."""


def filter_recipe(study: Study) -> Recipe:
    """What `filter_candidates` would make now; raises MissingStage before `score` has run."""
    return _recipe(study, candidates(study), open_artifact(study.out / "score"))


def _recipe(study: Study, items: pa.Table, scores: Artifact) -> Recipe:
    settings = study.filter
    return Recipe(
        "filter",
        1,
        {"candidates": table_digest(items), "score": scores.digest},
        {"rule": settings.rule, "models": list(settings.models), "held_out": list(settings.held_out)},
        {m.model: m.revision for m in _declared(study)},
    )


def _declared(study: Study) -> list[DeclaredModel]:
    settings = study.filter
    return [
        *(DeclaredModel(name, "filter", locate(name, study.folder).digest) for name in settings.models),
        *(DeclaredModel(name, "held_out", locate(name, study.folder).digest) for name in settings.held_out),
    ]


def filter_candidates(study: Study, progress: Progress = SILENT) -> Artifact:
    """Apply the study's rule to the candidates: out/filter with kept, rejected and survival.

    Its tables models and rule keep what the study declared, for the card.
    """
    with study.held("filter"):
        settings = study.filter
        scores = open_artifact(study.out / "score")
        items = candidates(study)
        words = RULES[settings.rule].words

        @functools.cache
        def filtered() -> Filtered:
            labels = _labels_by_model(scores.table("scores"))
            return filter_items(items, labels, settings.models, RULES[settings.rule])

        def rejected() -> Made:
            table = filtered().rejected
            return Made(table, Counter(table["reason"].to_pylist()))

        return build(
            study.out / "filter",
            _recipe(study, items, scores),
            lambda: [
                Part("kept", lambda: Made(filtered().kept)),
                Part("rejected", rejected),
                Part("survival", lambda: Made(table_of(filtered().survival, SurvivalRow))),
                Part("models", lambda: Made(table_of(_declared(study), DeclaredModel))),
                Part("rule", lambda: Made(table_of([DeclaredRule(settings.rule, words)], DeclaredRule))),
            ],
            progress=progress("filter"),
        )


def _labels_by_model(scores: pa.Table) -> dict[str, dict[str, Label]]:
    """Each model's predicted label by item id."""
    labels: dict[str, dict[str, Label]] = defaultdict(dict)
    columns = (scores["model"].to_pylist(), scores["item_id"].to_pylist(), predicted(scores).tolist())
    for model, item_id, label in zip(*columns, strict=True):
        labels[model][item_id] = label
    return labels
