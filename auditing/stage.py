"""The stages audit and report: every model on the plain and the new set, the measures, and the page."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from auditing.tables import measure
from nextset.artifact import Artifact, Recipe, is_current, open_artifact
from nextset.build import Made, Part, build
from nextset.progress import SILENT, Progress
from nextset.study import Study
from nextset.tables import distinct, plain
from scoring.stage import Asked, ask_items, score_models, scores_recipe

__all__ = ["audit", "audit_recipe", "audit_scores"]

_ASKED_BEFORE = ("score", "score_held_out")


def audit(study: Study, progress: Progress = SILENT) -> Artifact:
    """Score what has no scores yet and measure: tables plain, new, new_by_domain, new_by_stereotype.

    The models of the filter and those held out of it are asked about what they have no scores of, such as
    what the release added (out/score_release); models that only the audit knows are asked about everything
    (out/score_audit). Raises MissingStage before `release` has run.
    """
    with study.held("audit"):
        asked = [score_models(study, a, progress) for a in _asked(study)]
        released = open_artifact(study.out / "release")

        @functools.cache
        def scores() -> pa.Table:
            return pa.concat_tables([_filter_scores(study), *(a.table("scores") for a in asked)])

        @functools.cache
        def dataset() -> pa.Table:
            return released.table("dataset")

        return build(
            study.out / "audit",
            _recipe(study, released, [a.digest for a in asked]),
            lambda: [
                Part("plain", lambda: Made(measure(plain(study), scores()))),
                Part("new", lambda: Made(measure(dataset(), scores()))),
                Part("new_by_domain", lambda: Made(measure(dataset(), scores(), "domain"))),
                Part("new_by_stereotype", lambda: Made(measure(dataset(), scores(), "stereotype"))),
            ],
            progress=progress("audit"),
        )


def audit_recipe(study: Study) -> Recipe:
    """What `audit` would make now; raises MissingStage before the stages before it have run."""
    digests = []
    for a in _asked(study):
        folder = study.out / a.stage
        current = is_current(folder, scores_recipe(study, a))
        digests.append(open_artifact(folder).digest if current else "stale")
    return _recipe(study, open_artifact(study.out / "release"), digests)


def audit_scores(study: Study) -> pa.Table:
    """All scores that the audit measured; raises MissingStage before it has run."""
    asked = [open_artifact(study.out / a.stage).table("scores") for a in _asked(study)]
    return pa.concat_tables([_filter_scores(study), *asked])


def _filter_scores(study: Study) -> pa.Table:
    """What the filter's models and the held-out ones were asked for the filter and its report."""
    return pa.concat_tables(open_artifact(study.out / s).table("scores") for s in _ASKED_BEFORE)


def _asked(study: Study) -> list[Asked]:
    settings = study.settings
    dataset = open_artifact(study.out / "release").table("dataset")
    everything = distinct(pa.concat_tables([plain(study), dataset], promote_options="default"))
    models = (*study.filter.models, *study.filter.held_out)
    # in a cascade a candidate may have been put to some of the models only
    asked = _filter_scores(study).group_by("item_id").aggregate([("model", "count_distinct")])
    known = asked.filter(pc.equal(asked["model_count_distinct"], len(models)))["item_id"]
    added = everything.filter(pc.invert(pc.is_in(everything["id"], known)))
    return [
        ask_items("score_release", added, models, "audit"),
        ask_items("score_audit", everything, settings.audit.models, "audit"),
    ]


def _recipe(study: Study, released: Artifact, scores: Sequence[str]) -> Recipe:
    return Recipe(
        "audit",
        1,
        {
            "generate": open_artifact(study.out / "generate").digest,
            "release": released.digest,
            **{stage: open_artifact(study.out / stage).digest for stage in _ASKED_BEFORE},
            **dict(zip(("release_scores", "audit"), scores, strict=True)),
        },
    )
