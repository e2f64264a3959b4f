"""The stage audit: measures of every model on the plain expansion and the released dataset."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, is_current, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.labels_by_model import without_score
from nextset.auditing.measure_table import PROPERTIES, measure
from nextset.auditing.score_pieces import ScorePieces
from nextset.scoring.score_tables import form_rows
from nextset.scoring.stage import ScoringRequest, ask_items, score_models, scores_recipe
from nextset.study.item_tables import distinct, plain_items
from nextset.study.study_folder import Study, of_study

__all__ = ["audit", "audit_recipe", "audit_scores"]


@of_study
def audit(study: Study, progress: Progress = SILENT) -> Artifact:
    """Score items without scores and compute tables plain, new, new_by_domain, new_by_stereotype.

    The filter's and the held-out models are asked about items that the release added (out/score_release,
    out/score_release_held_out); models that only the audit names are asked about all items
    (out/score_audit). Raises MissingStage before `release` has run.
    """
    with study.held("audit"):
        asked = [score_models(study, a, progress) for a in _asked(study)]
        released = open_artifact(study.out / "release")

        scores = ScorePieces((*_known_scores(study), *asked))

        @functools.cache
        def dataset() -> pa.Table:
            return released.table("items")

        made = build(
            study.out / "audit",
            _recipe(study, released, [a.digest for a in asked]),
            lambda: [
                Part("plain", lambda: PartResult(measure(plain_items(study.out, PROPERTIES), scores))),
                Part("new", lambda: PartResult(measure(dataset(), scores))),
                Part("new_by_domain", lambda: PartResult(measure(dataset(), scores, "domain"))),
                Part("new_by_stereotype", lambda: PartResult(measure(dataset(), scores, "stereotype"))),
            ],
            progress=progress("audit"),
        )
        this_run = Counter[str]()
        for scored in asked:
            this_run.update(scored.this_run)
        return replace(made, this_run=dict(this_run))


def audit_recipe(study: Study) -> Recipe:
    """Return the recipe of what `audit` would make now; raises MissingStage before `release` has run."""
    digests = []
    for a in _asked(study):
        folder = study.out / a.stage
        current = is_current(folder, scores_recipe(study, a))
        digests.append(open_artifact(folder).digest if current else "stale")
    return _recipe(study, open_artifact(study.out / "release"), digests)


def audit_scores(study: Study) -> ScorePieces:
    """Return all scores that the audit measured; raises MissingStage before it has run."""
    asked = [open_artifact(study.out / a.stage) for a in _asked(study)]
    return ScorePieces((*_known_scores(study), *asked))


def _known_scores(study: Study) -> list[Artifact]:
    """Return the scores of the filter and of its report."""
    return [open_artifact(study.out / stage) for stage in ("score", "score_held_out")]


def _asked(study: Study) -> list[ScoringRequest]:
    settings, columns = study.settings, form_rows("nli").columns
    dataset = open_artifact(study.out / "release").table("items", columns)
    everything = dataset.slice(0, 0)
    if study.filter.cascade or settings.audit.models:
        everything = distinct(pa.concat_tables([plain_items(study.out, columns), dataset]))
    added = everything  # in a cascade no model was asked about all items
    if not study.filter.cascade:
        added = without_score(dataset, ScorePieces((open_artifact(study.out / "score"),)))
    return [
        ask_items("score_release", added, study.filter.models, "filter"),
        ask_items("score_release_held_out", added, study.filter.held_out, "held_out"),
        ask_items("score_audit", everything, settings.audit.models, "audit"),
    ]


def _recipe(study: Study, released: Artifact, scores: Sequence[str]) -> Recipe:
    return Recipe(
        "audit",
        3,
        {
            "generate": open_artifact(study.out / "generate").digest,
            "release": released.digest,
            "score": open_artifact(study.out / "score").digest,
            "score_held_out": open_artifact(study.out / "score_held_out").digest,
            **dict(zip(("score_release", "score_release_held_out", "score_audit"), scores, strict=True)),
        },
    )
