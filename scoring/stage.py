"""The stage score: models × items, a shard a model and chunk of items."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from nextset.artifact import Artifact, Recipe
from nextset.build import Made, Part, build
from nextset.errors import ModelError
from nextset.items import NliScore, arrow_schema, content_id
from nextset.progress import SILENT, Progress
from nextset.study import Study
from nextset.tables import candidates, distinct, plain
from scoring.sources import ModelSource, locate

if TYPE_CHECKING:
    from scoring.nli import NliClassifier

__all__ = ["Asked", "Role", "check_held_out", "score", "score_models", "score_recipe", "scores_recipe"]

CHUNK = 512
"""Items a shard: what a killed run does again at most."""


Role = Literal["filter", "held_out", "audit"]


@dataclass(frozen=True)
class Asked:
    """Models, and what they are asked about."""

    stage: str
    """The artifact that their scores lie in."""
    items: pa.Table
    """NLI items."""
    models: tuple[str, ...]
    """The models as the study names them."""
    role: Role
    """Why they are asked."""


def score_recipe(study: Study) -> Recipe:
    """What `score` would make now; raises MissingStage before `generate` and `fill` have run."""
    return scores_recipe(study, _asked(study))


def score(study: Study, progress: Progress = SILENT) -> Artifact:
    """Ask the filter's models about the plain expansion and the candidates: out/score.

    Raises ModelError when a model cannot be used, or one of them is a held-out model as well.
    """
    with study.held("score"):
        check_held_out(study)
        return score_models(study, _asked(study), progress)


def _asked(study: Study) -> Asked:
    items = distinct(pa.concat_tables([plain(study), candidates(study)], promote_options="default"))
    return Asked("score", items, study.filter.models, "filter")


def scores_recipe(study: Study, asked: Asked) -> Recipe:
    """The recipe of the scores ``asked`` for: an item's id stands for its texts."""
    return Recipe(
        asked.stage,
        1,
        {"items": content_id("items", *asked.items["id"].to_pylist())},
        {"role": asked.role, "precision": "float32", "chunk": CHUNK, "order": list(asked.models)},
        {name: locate(name, study.folder).identity for name in asked.models},
    )


def score_models(study: Study, asked: Asked, progress: Progress) -> Artifact:
    """The artifact of the scores ``asked`` for, with table scores (NliScores).

    Shards follow the order of models and items; a model is loaded when its first shard is made.
    """
    starts = range(0, asked.items.num_rows, CHUNK)
    parts = [
        Part("scores", functools.partial(_make, source, asked.items.slice(start, CHUNK), asked.role))
        for source in (locate(name, study.folder) for name in asked.models)
        for start in starts
    ]
    return build(
        study.out / asked.stage,
        scores_recipe(study, asked),
        lambda: parts or [Part("scores", _nothing)],
        progress=progress(asked.stage),
    )


def check_held_out(study: Study) -> None:
    """Raise ModelError when a held-out model has the weights of a filter model, whatever its name."""
    settings = study.filter
    by_digest = {locate(name, study.folder).digest: name for name in settings.models}
    for name in settings.held_out:
        twin = by_digest.get(locate(name, study.folder).digest)
        if twin is not None:
            raise ModelError(
                f"the held-out model {name} has the same weights as the filter's {twin}",
                remedy="hold out a model that does not filter",
            )


@functools.lru_cache(maxsize=1)
def _classifier(source: ModelSource) -> NliClassifier:
    from scoring.nli import NliClassifier

    return NliClassifier.load(source)


def _make(source: ModelSource, items: pa.Table, role: Role) -> Made:
    from scoring.nli import score_items

    return Made(score_items(items, _classifier(source), source, role))


def _nothing() -> Made:
    return Made(arrow_schema(NliScore).empty_table())
