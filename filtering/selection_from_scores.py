"""From a study's artifacts to the filter's choice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, open_artifact
from nextset.errors import StudyError
from nextset.filtering.aflite import aflite, need_sklearn
from nextset.filtering.balance import Parts, parts_by, subject_parts
from nextset.filtering.candidates import Candidates
from nextset.filtering.item_sets import Sets, sets_of
from nextset.filtering.model_answers import ITEM_COLUMNS, QUAD_COLUMNS, Answers, item_answers, quad_answers
from nextset.filtering.rules import Verdict
from nextset.filtering.selection import Choice, choose, decided
from nextset.records.nli_items import LABELS
from nextset.scoring.models.sources import locate
from nextset.scoring.scorer import Pair
from nextset.study.filter_rule_syntax import AfliteSettings
from nextset.study.item_tables import plain
from nextset.study.study_folder import Study

__all__ = ["answers_of", "chosen"]


def chosen(study: Study, candidates: Candidates) -> Choice:
    """What the study's filter makes of its candidates; raises MissingStage when a score is missing."""
    settings = study.filter
    answers = answers_of(study, candidates, open_artifact(study.out / "score"), settings.models)
    if settings.rule.aflite is None:
        verdict = decided(settings, answers, candidates.table(["id"])["id"])
    else:
        verdict = _by_aflite(study, candidates, settings.rule.aflite)
    return choose(settings, verdict, answers, _sets(study, candidates), _parts(study, candidates))


def answers_of(study: Study, candidates: Candidates, scores: Artifact, models: tuple[str, ...]) -> Answers:
    """What ``models`` answered, going by the table scores of an artifact; read shard by shard."""

    def pieces(columns: tuple[str, ...]) -> Iterator[pa.Table]:
        return (scores.piece(shard, columns) for shard in scores.shards_of("scores"))

    if study.filter.form != "nli":
        return quad_answers(candidates.table(["id"])["id"], pieces(QUAD_COLUMNS), models)
    asked = candidates.table(["id", "label"])
    return item_answers(asked["id"], asked["label"], pieces(ITEM_COLUMNS), models)


def _sets(study: Study, candidates: Candidates) -> Sets:
    """Which candidates belong together; quads are whole by themselves."""
    if study.filter.form != "nli":
        return np.arange(candidates.rows)
    return sets_of(candidates.table(["set_id"])["set_id"])


def _parts(study: Study, candidates: Candidates) -> Parts:
    if study.filter.form != "nli":
        return subject_parts(candidates.table(["cluster1", "cluster2", "subject_class"]))
    if study.filter.balance.by == "stance":
        return parts_by("stance", candidates.table(["stance_design"])["stance_design"])
    return parts_by("group", candidates.groups())


def _by_aflite(study: Study, candidates: Candidates, settings: AfliteSettings) -> Verdict:
    """AFLite over the candidates and the plain expansion's test items together.

    Raises StudyError when all of them have the same label: there is nothing that a probe could learn.
    """
    from nextset.scoring.features import features

    need_sklearn()
    columns = ["premise", "hypothesis", "label"]
    tests = plain(study)
    tests = tests.filter(pc.equal(tests["stance_design"], "test")).select(columns)
    pool = pa.concat_tables([candidates.table(columns).select(columns), tests])
    labels = np.asarray(pc.index_in(pool["label"], pa.array(LABELS))).astype(np.int8)
    if np.unique(labels).size < 2:
        raise StudyError(
            f"aflite needs items with more than one right label, and all {pool.num_rows:,} are "
            f"{pool['label'][0].as_py()}",
            file=study.file,
            remedy="add test hypotheses with other labels (generate.tests: true), or choose another rule",
        )
    if pool.num_rows <= settings.target:
        raise StudyError(
            f"aflite's target of {settings.target:,} leaves nothing to take from {pool.num_rows:,} items",
            file=study.file,
            remedy=f"set a target below {pool.num_rows:,}: it counts candidates and test items together",
        )
    pairs = [Pair(*row) for row in zip(*(pool[name].to_pylist() for name in columns[:2]), strict=True)]
    source = locate(study.filter.models[0], study.folder)
    stay = aflite(features(source, pairs), labels, settings)[: candidates.rows]
    reason = "linear probes on a model's features predict its label"
    return Verdict(stay, np.zeros(stay.size, np.int32), (reason,))
