"""The inputs of a selection: the models' answers, the sets and the balance parts of the candidates."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.filtering.balance import Parts, parts_by, subject_parts
from nextset.filtering.candidates import Candidates
from nextset.filtering.item_sets import Sets, sets_of
from nextset.filtering.model_answers import (
    ITEM_COLUMNS,
    QUAD_COLUMNS,
    Answers,
    ItemAnswers,
    item_answers,
    quad_answers,
)
from nextset.study.filter_rule_settings import Form
from nextset.study.filter_settings import FilterSettings

__all__ = ["answers_of", "answers_to", "balance_parts", "candidate_sets"]


def answers_of(form: Form, candidates: Candidates, scores: Artifact, models: tuple[str, ...]) -> Answers:
    """Return the answers of ``models`` to the candidates, read by shard from the table scores."""
    if form != "nli":
        return quad_answers(candidates.table(["id"])["id"], _pieces(scores, QUAD_COLUMNS), models)
    return answers_to(candidates.table(["id", "label"]), scores, models)


def answers_to(items: pa.Table, scores: Artifact, models: tuple[str, ...]) -> ItemAnswers:
    """Return the answers of ``models`` to NLI items with the columns id and label; read by shard."""
    return item_answers(items["id"], items["label"], _pieces(scores, ITEM_COLUMNS), models)


def _pieces(scores: Artifact, columns: tuple[str, ...]) -> Iterator[pa.Table]:
    return (scores.piece(shard, columns) for shard in scores.shards_of("scores"))


def candidate_sets(form: Form, candidates: Candidates) -> Sets:
    """Return the sets of candidates that belong together; each quad is a set by itself."""
    if form != "nli":
        return np.arange(candidates.rows)
    return sets_of(candidates.table(["set_id"])["set_id"])


def balance_parts(settings: FilterSettings, candidates: Candidates) -> Parts:
    """Return the stance or group of each candidate, according to the balance that ``settings`` ask for."""
    if settings.form != "nli":
        return subject_parts(candidates.table(["cluster1", "cluster2", "subject_class"]))
    if settings.balance.by == "stance":
        return parts_by("stance", candidates.table(["stance_design"])["stance_design"])
    return parts_by("group", candidates.groups())
