"""The comparison of rules by the fall of a held-out model's accuracy: leave-one-out over the models."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import yaml
from pydantic import ValidationError

from nextset.array_types import Bools, Floats
from nextset.bootstrap_intervals import Ends, intervals
from nextset.cluster_bootstrap import Clusters, Support
from nextset.errors import InputError
from nextset.filtering.forms.filter_form import FILTERING_FORMS
from nextset.filtering.item_sets import Sets, with_their_pairs
from nextset.filtering.model_answers import RightAnswers
from nextset.filtering.rules.rule_base import Rule, rule_of
from nextset.filtering.rules.rule_base import decided as decided_by
from nextset.forms import NLI, FormName
from nextset.study.filter_rule_settings import FilterRule, check_rule

__all__ = ["HeldOutDropRow", "RuleRow", "compare", "compared_rules", "written_rule"]


@dataclass(frozen=True)
class HeldOutDropRow:
    """A rule's result if all models but one filter: the number kept, and the accuracy drops."""

    rule: str
    """The rule as in study.yaml."""
    held_out: str
    """The held-out model."""
    candidates: int
    """The number of candidates."""
    kept: int
    """The number of them that are kept."""
    chooser_drop: float | None
    """Mean fall of the filter models' accuracy: candidates − kept; null if nothing is kept."""
    drop: float | None
    """Fall of the held-out model's accuracy, in [−1, 1]; null if nothing is kept."""
    low: float | None
    """Lower end of the drop's 95 % bootstrap interval; null if there is too little data for an interval."""
    high: float | None
    """Upper end of the interval."""
    drawn: str
    """The clusters that the bootstrap drew: templates."""
    n: int
    """The number of these clusters."""


@dataclass(frozen=True)
class RuleRow:
    """A rule's means over all held-out models, and the model that it fools least."""

    rule: str
    """The rule as in study.yaml."""
    own: bool
    """True for the study's own rule."""
    kept: float | None = None
    """Mean share of the candidates that is kept; null if the rule could not be compared."""
    chooser_drop: float | None = None
    """Mean fall of the filter models' accuracy; null if a case keeps nothing."""
    drop: float | None = None
    """Mean fall of the held-out models' accuracy."""
    low: float | None = None
    """Lower end of its 95 % bootstrap interval."""
    high: float | None = None
    """Upper end of the interval."""
    hardest: str | None = None
    """The held-out model whose accuracy falls least."""
    hardest_drop: float | None = None
    """The fall of that model's accuracy."""
    hardest_low: float | None = None
    """Lower end of its 95 % bootstrap interval."""
    hardest_high: float | None = None
    """Upper end of the interval."""
    note: str | None = None
    """The reason why the rule could not be compared; null if it was compared."""


def written_rule(rule: FilterRule) -> str:
    """Return ``rule`` as in study.yaml, on one line."""
    written = rule.written()
    if isinstance(written, str):
        return written
    return str(yaml.safe_dump(written, default_flow_style=True, sort_keys=False, width=10_000)).strip()


def compared_rules(own: FilterRule, form: FormName = NLI.name) -> list[FilterRule]:
    """Return the rules of every comparison in ``form``, then ``own`` if it is not among them."""
    rules = [FilterRule.model_validate(written) for written in FILTERING_FORMS[form].compared_rules]
    return rules if own in rules else [*rules, own]


def compare(
    own: FilterRule,
    answers: RightAnswers,
    sets: Sets | None,
    clusters: Clusters,
    own_rule: Rule | None = None,
    form: FormName = NLI.name,
) -> tuple[list[RuleRow], list[HeldOutDropRow]]:
    """Hold each model of ``answers`` out once, and let the others filter by each of `compared_rules`.

    Every model must have been asked about every candidate. ``sets`` are kept together; if it is None, each
    item is kept or rejected individually. ``clusters`` are those of the candidates. The balance is not
    restored. ``own_rule`` is ``own`` with its function, for a rule that has one; ``form`` is that of the
    candidates.
    """
    comparison = _Comparison.of(answers, sets, clusters, form)
    rows: list[RuleRow] = []
    cases: list[HeldOutDropRow] = []
    for rule in compared_rules(own, form):
        decided = own_rule if rule == own and own_rule else rule_of(rule)
        try:
            row, drops = comparison.rule(rule, decided, rule == own)
        except (InputError, ValidationError) as e:
            row, drops = _not_compared(rule, rule == own, e), []
        rows.append(row)
        cases += drops
    return rows, cases


def _not_compared(rule: FilterRule, own: bool, e: InputError | ValidationError) -> RuleRow:
    why = str(e) if isinstance(e, InputError) else e.errors()[0]["msg"]
    return RuleRow(written_rule(rule), own, note=why)


@dataclass(frozen=True)
class _Drop:
    """The drop of a model's accuracy."""

    draws: Floats
    """The drop, and that of each draw of the clusters; NaN if the draw has no kept items."""
    alone: Floats
    """The drop in each cluster by itself; without kept items, as if none of them were right."""


@dataclass(frozen=True)
class _Comparison:
    answers: RightAnswers
    sets: Sets | None
    clusters: Clusters
    right: Bools
    """True if the model answered and is right, shape (models, candidates)."""
    form: FormName
    """The form of the candidates."""

    @classmethod
    def of(cls, answers: RightAnswers, sets: Sets | None, clusters: Clusters, form: FormName) -> _Comparison:
        return cls(answers, sets, clusters, answers.answered & ~answers.wrong, form)

    def rule(self, rule: FilterRule, decided: Rule, own: bool) -> tuple[RuleRow, list[HeldOutDropRow]]:
        models = range(len(self.answers.models))
        kept = [self._kept(rule, decided, m) for m in models]
        drawn = [self._drawn_drop(m, keep) for m, keep in zip(models, kept, strict=True)]
        cases = [self._case(rule, m, keep, drop) for m, keep, drop in zip(models, kept, drawn, strict=True)]
        row = RuleRow(written_rule(rule), own, float(np.mean([c.kept / c.candidates for c in cases])))
        drops = np.array([c.drop for c in cases if c.drop is not None])
        if drops.size < len(cases):
            return replace(row, note="the rule keeps nothing in at least one case"), cases
        mean_drop = _Drop(
            *(np.mean([getattr(d, name) for d in drawn], axis=0) for name in ("draws", "alone"))
        )
        low, high = self._ends(mean_drop, np.logical_and.reduce(kept))
        least = cases[int(drops.argmin())]
        row = replace(
            row,
            chooser_drop=float(np.mean([c.chooser_drop for c in cases if c.chooser_drop is not None])),
            drop=float(drops.mean()),
            low=low,
            high=high,
            hardest=least.held_out,
            hardest_drop=least.drop,
            hardest_low=least.low,
            hardest_high=least.high,
        )
        return row, cases

    def _kept(self, rule: FilterRule, decided: Rule, held_out: int) -> Bools:
        choosers = [m for m in range(len(self.answers.models)) if m != held_out]
        check_rule(rule, self.form, len(choosers), cascade=False)
        keep = decided_by(decided, self.answers.only(choosers)).keep
        return keep if self.sets is None else with_their_pairs(keep, self.sets)

    def _case(self, rule: FilterRule, held_out: int, keep: Bools, drop: _Drop) -> HeldOutDropRow:
        kept = int(keep.sum())
        falls = self._accuracies(np.ones_like(keep)) - self._accuracies(keep)
        fall = None if np.isnan(falls[held_out]) else float(falls[held_out])
        choosers = np.delete(falls, held_out)
        low, high = (None, None) if fall is None else self._ends(drop, keep)
        return HeldOutDropRow(
            written_rule(rule),
            self.answers.models[held_out],
            keep.size,
            kept,
            None if np.isnan(choosers).any() else float(choosers.mean()),
            fall,
            low,
            high,
            self.clusters.drawn,
            self.clusters.units,
        )

    def _accuracies(self, rows: Bools) -> Floats:
        """Return each model's share of right labels among those of ``rows`` that it answered, or NaN."""
        with np.errstate(invalid="ignore"):
            shares: Floats = self.right[:, rows].sum(axis=1) / self.answers.answered[:, rows].sum(axis=1)
        return shares

    def _drawn_drop(self, model: int, keep: Bools) -> _Drop:
        right, codes, n = self.right[model], self.clusters.codes, self.clusters.n
        there = self.answers.answered[model]
        counted = [
            np.bincount(codes[rows], minlength=n).astype(np.float64)
            for rows in (right, there, right & keep, there & keep)
        ]
        sums = self.clusters.sums(np.array(counted)).T
        with np.errstate(invalid="ignore", divide="ignore"):
            draws = sums[0] / sums[1] - sums[2] / sums[3]
        alone = counted[0] / np.maximum(counted[1], 1) - counted[2] / np.maximum(counted[3], 1)
        return _Drop(draws, alone)

    def _ends(self, drop: _Drop, keep: Bools) -> Ends:
        rows = np.bincount(self.clusters.codes[keep], minlength=self.clusters.n).astype(np.float64)
        return intervals(drop.draws, self.clusters.sizes, support=Support.of(rows, drop.alone)).ends()
