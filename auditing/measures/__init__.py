"""The measures of an audit, one per file; each is a pure function of arrays of predicted labels."""

from __future__ import annotations

from nextset.auditing.measures.accuracy import Accuracy, accuracy
from nextset.auditing.measures.aggregate import Aggregate, aggregate
from nextset.auditing.measures.counterfactual_bias import Counterfactual, counterfactual
from nextset.auditing.measures.pro_anti import ProAnti, pro_anti

__all__ = [
    "Accuracy",
    "Aggregate",
    "Counterfactual",
    "ProAnti",
    "accuracy",
    "aggregate",
    "counterfactual",
    "pro_anti",
]
