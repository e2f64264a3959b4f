"""AFLite as a filter rule: its decision on each candidate, from the features of one of the study's models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import StudyError
from nextset.filtering.aflite import aflite, need_sklearn
from nextset.filtering.candidates import Candidates
from nextset.filtering.rules import Decision
from nextset.records.nli_items import LABELS
from nextset.scoring.models.sources import locate
from nextset.scoring.scorer_protocol import Pair
from nextset.study.filter_rule_settings import AfliteSettings

__all__ = ["decide_by_aflite"]


def decide_by_aflite(
    settings: AfliteSettings, candidates: Candidates, plain: pa.Table, model: str, file: Path
) -> Decision:
    """Run AFLite over the candidates and the test items in ``plain`` together.

    ``model`` gives the features. A relative path to it starts at the folder of ``file``, the study.yaml.
    Raises StudyError if all items have the same label, because then a probe has nothing to learn, and if the
    target is not below the number of items.
    """
    from nextset.scoring.classifier_features import features

    need_sklearn()
    columns = ["premise", "hypothesis", "label"]
    tests = plain.filter(pc.equal(plain["stance_design"], "test")).select(columns)
    pool = pa.concat_tables([candidates.table(columns).select(columns), tests])
    labels = np.asarray(pc.index_in(pool["label"], pa.array(LABELS))).astype(np.int8)
    if np.unique(labels).size < 2:
        raise StudyError(
            f"aflite needs items with more than one right label, and all {pool.num_rows:,} are "
            f"{pool['label'][0].as_py()}",
            file=file,
            remedy="add test hypotheses with other labels (generate.tests: true), or choose another rule",
        )
    if pool.num_rows <= settings.target:
        raise StudyError(
            f"aflite's target of {settings.target:,} is not below the number of items, {pool.num_rows:,}",
            file=file,
            remedy=f"set a target below {pool.num_rows:,}; it counts candidates and test items together",
        )
    pairs = [Pair(*row) for row in zip(*(pool[name].to_pylist() for name in columns[:2]), strict=True)]
    keep = aflite(features(locate(model, file.parent.resolve()), pairs), labels, settings)[: candidates.rows]
    reason = "linear probes on a model's features predict the item's label"
    return Decision(keep, np.zeros(keep.size, np.int32), (reason,))
