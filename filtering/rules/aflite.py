"""The rule aflite: linear probes on a model's features predict the item's label too well."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import StudyError
from nextset.filtering.item_answers import ItemAnswers
from nextset.filtering.rules.aflite_algorithm import AfliteSettings, aflite, need_sklearn
from nextset.filtering.rules.rule_base import Decision, LabelRule, RuleInputs
from nextset.records.nli_items import LABELS
from nextset.scoring.models.sources import locate
from nextset.scoring.scorer_protocol import Pair
from nextset.study.filter_rule_settings import FilteredForm

__all__ = ["Aflite"]


class Aflite(LabelRule):
    """AFLite, which selects a set and cannot be combined with other rules."""

    name = "aflite"
    value_type = AfliteSettings
    rank = 14
    single = True

    def clause(self, form: FilteredForm) -> str:
        return "linear probes on a model's frozen features do not predict its label too well"

    def text(self, form: FilteredForm) -> str:
        a = self.value
        return (
            f"{form.row} is left out when linear probes on a model's frozen features predict its label too "
            f"well (AFLite, Le Bras et al. 2020: target {a.target}, {a.partitions} partitions, training size "
            f"{a.train}, slice {a.slice}, threshold {a.threshold:g}, seed {a.seed})"
        )

    def decide_items(self, answers: ItemAnswers) -> Decision:
        """Raise StudyError: answers are not enough."""
        raise StudyError("aflite needs a model's features, not its scores", remedy="see its report")

    def decide_in_study(self, inputs: RuleInputs) -> Decision:
        """Run AFLite over the candidates and the test items together; the first model gives the features.

        Raises StudyError if all items have the same label, because then a probe has nothing to learn, and if
        the target is not below the number of items.
        """
        from nextset.scoring.classifier_features import features

        need_sklearn()
        settings, file = self.value, inputs.file
        plain = inputs.plain_items()
        columns = ["premise", "hypothesis", "label"]
        tests = plain.filter(pc.equal(plain["stance_design"], "test")).select(columns)
        pool = pa.concat_tables([inputs.candidates.table(columns).select(columns), tests])
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
        source = locate(inputs.models[0], file.parent.resolve())
        keep = aflite(features(source, pairs), labels, settings)[: inputs.candidates.rows]
        return Decision.of(keep, "linear probes on a model's features predict the item's label")
