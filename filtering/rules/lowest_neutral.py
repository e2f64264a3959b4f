"""The rule lowest_neutral: the models' mean probability of neutral is among the lowest."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from nextset.array_types import Floats
from nextset.errors import StudyError
from nextset.filtering.item_answers import ItemAnswers
from nextset.filtering.rules.rule_base import Decision, LabelRule
from nextset.records.nli_items import LABELS
from nextset.study.filter_rule_settings import Boundaries, FilteredForm, Share

__all__ = ["LowestNeutral"]


class LowestNeutral(LabelRule):
    """The models' mean probability of neutral is in the lowest share of this size."""

    name = "lowest_neutral"
    value_type = Share
    rank = 8

    @property
    def boundaries(self) -> Boundaries:
        return Boundaries(labels=True, neutral=True)

    def clause(self, form: FilteredForm) -> str:
        lowest = f"the lowest {100 * self.value:g} % of the candidates"
        return f"the models' mean probability of neutral is among {lowest}"

    def decide_items(self, answers: ItemAnswers) -> Decision:
        """Keep the lowest means of hundredths; all ties at the cut are kept, so the order does not matter.

        The mean is over the models that answered, and an item that no model answered is not kept. With the
        policy wrong, a model that did not answer counts with the probability 0.
        """
        others = np.flatnonzero(answers.right != LABELS.index("neutral"))
        if others.size:
            raise StudyError(
                "lowest_neutral needs candidates that are neutral by design; not neutral by design: "
                f"{others.size:,} of {answers.right.size:,}",
                remedy="choose a rule that counts wrong models, such as majority_wrong",
            )
        means = _means(answers)
        wanted = math.ceil(Fraction(str(self.value)) * means.size)
        keep = means <= np.partition(means, wanted - 1)[wanted - 1] if wanted else np.zeros(0, np.bool_)
        keep = keep & np.isfinite(means)
        lowest = f"the lowest {100 * self.value:g} % of the candidates"
        return Decision.of(keep, f"the models' mean probability of neutral is not among {lowest}")


def _means(answers: ItemAnswers) -> Floats:
    """Return the mean of the hundredths of each item, shape (items,); infinite without an answer.

    Each mean is one division of whole numbers, so equal means are equal to the last bit.
    """
    sums = np.where(answers.answered, answers.neutral, 0).sum(axis=0, dtype=np.int64)
    counted = (answers.answered | answers.silent_against).sum(axis=0)
    means: Floats = np.divide(sums, counted, out=np.full(sums.size, np.inf), where=counted > 0)
    return means
