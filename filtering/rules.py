"""The decisions of filter rules: the candidates that a rule keeps, and why it rejects the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from nextset.errors import StudyError
from nextset.filtering.model_answers import Answers, Bools, ItemAnswers, QuadAnswers
from nextset.records.nli_items import LABELS
from nextset.study.filter_rule_settings import FilterRule, votes_needed

__all__ = ["Decision", "decide", "hard_by_model", "undecided"]


@dataclass(frozen=True)
class Decision:
    """A rule's decision on each candidate."""

    keep: Bools
    """True if the rule keeps the candidate."""
    why: npt.NDArray[np.int32]
    """For each rejected candidate, the position of its reason; meaningless for a kept one."""
    reasons: tuple[str, ...]
    """The reasons for rejecting a candidate, as text."""


def decide(rule: FilterRule, answers: Answers) -> Decision:
    """Apply ``rule``; scores are compared as they are stored.

    Raises StudyError if the rule does not fit the candidates' right labels.
    """
    if rule.parts:
        decisions = [decide(part, answers) for part in rule.parts]
        return _all_of(decisions) if rule.name == "all_of" else _any_of(decisions)
    if votes_needed(rule, len(answers.models)) is not None:
        assert isinstance(answers, ItemAnswers)
        return _by_votes(rule, answers)
    keep, reason = _RULES[rule.name](rule, answers)
    return Decision(keep, np.zeros(keep.size, np.int32), (reason,))


def hard_by_model(rule: FilterRule, answers: Answers) -> Bools:
    """Return True for each model and candidate that the model finds hard, shape (models, candidates).

    A model finds an NLI item hard if its label is wrong. It finds a quad or statement hard if the rule would
    keep it with this model only.
    """
    if isinstance(answers, ItemAnswers):
        return answers.wrong
    hard = answers.asked.copy()
    for m in range(len(answers.models)):
        hard[m] &= decide(rule, answers.only([m])).keep
    return hard


def undecided(rule: FilterRule, answers: Answers, *, cascade: bool) -> Bools:
    """Return True for each candidate that lacks an answer that the rule needs.

    In a cascade, an answer is needed only if the vote is still open: too few models are wrong so far, but
    enough models could be wrong once the remaining ones are asked.
    """
    missing = (~answers.asked).sum(axis=0)
    if not cascade or not isinstance(answers, ItemAnswers):
        return np.asarray(missing > 0)
    needed = votes_needed(rule, len(answers.models))
    assert needed is not None
    wrong = answers.wrong.sum(axis=0)
    return np.asarray((missing > 0) & (wrong < needed) & (wrong + missing >= needed))


def _by_votes(rule: FilterRule, answers: ItemAnswers) -> Decision:
    needed = votes_needed(rule, len(answers.models))
    assert needed is not None
    keep = np.asarray(answers.wrong.sum(axis=0) >= needed)
    if rule.name == "any_wrong" and not answers.two_labels.any():
        return Decision(
            keep, answers.right.astype(np.int32), tuple(f"every model says {label}" for label in LABELS)
        )
    reason = {
        "any_wrong": "no model gets it wrong",
        "majority_wrong": "no more than half of the models get it wrong",
        "all_wrong": "not every model gets it wrong",
        "at_least_wrong": f"fewer than {needed} of the models get it wrong",
    }[rule.name]
    return Decision(keep, np.zeros(keep.size, np.int32), (reason,))


def _margin_below(rule: FilterRule, answers: Answers) -> tuple[Bools, str]:
    assert isinstance(answers, ItemAnswers)
    assert rule.margin_below is not None
    keep = (answers.margins < rule.margin_below).any(axis=0)
    reason = f"every model's two highest probabilities differ by {rule.margin_below:g} or more"
    return np.asarray(keep), reason


def _disagreement(rule: FilterRule, answers: Answers) -> tuple[Bools, str]:
    """Keep items with different answers: by label among models with three labels, else by entailment only."""
    assert isinstance(answers, ItemAnswers)
    three = answers.labels[~answers.two_labels]
    keep = _differ(answers.labels == 0) | _differ(three)
    return keep, "every model gives it the same label"


def _differ(rows: npt.NDArray[np.generic]) -> Bools:
    return np.asarray((rows[1:] != rows[:1]).any(axis=0))


def _same_wrong(rule: FilterRule, answers: Answers) -> tuple[Bools, str]:
    """Keep items with one wrong label from several models.

    A wrong "not entailment" of a model with two labels counts for neutral and for contradiction.
    """
    assert isinstance(answers, ItemAnswers)
    assert rule.same_wrong is not None
    wrong = answers.wrong
    keep = np.zeros(answers.right.size, np.bool_)
    for label in range(len(LABELS)):
        same = (answers.labels == label) | ((answers.labels == len(LABELS)) & (label > 0))
        keep |= (wrong & same).sum(axis=0) >= rule.same_wrong
    return keep, f"fewer than {rule.same_wrong} of the models give it the same wrong label"


def _lowest_neutral(rule: FilterRule, answers: Answers) -> tuple[Bools, str]:
    """Keep the lowest sums of hundredths; all ties at the cut are kept, so that the order does not matter."""
    assert isinstance(answers, ItemAnswers)
    assert rule.lowest_neutral is not None
    others = np.flatnonzero(answers.right != LABELS.index("neutral"))
    if others.size:
        raise StudyError(
            "lowest_neutral needs candidates that are neutral by design; not neutral by design: "
            f"{others.size:,} of {answers.right.size:,}",
            remedy="choose a rule that counts wrong models, such as majority_wrong",
        )
    sums = answers.neutral.sum(axis=0, dtype=np.int64)
    wanted = math.ceil(Fraction(str(rule.lowest_neutral)) * sums.size)
    keep = sums <= np.partition(sums, wanted - 1)[wanted - 1] if wanted else np.zeros(0, np.bool_)
    lowest = f"the lowest {100 * rule.lowest_neutral:g} % of the candidates"
    return keep, f"the models' mean probability of neutral is not among {lowest}"


def _c_at_least(rule: FilterRule, answers: Answers) -> tuple[Bools, str]:
    assert isinstance(answers, QuadAnswers)
    assert rule.c_at_least is not None
    keep = (np.abs(answers.c) >= rule.c_at_least).any(axis=0)
    return np.asarray(keep), f"|C| is below {rule.c_at_least:g} for every model"


def _sign_consistent(rule: FilterRule, answers: Answers) -> tuple[Bools, str]:
    assert isinstance(answers, QuadAnswers)
    keep = (answers.c > 0).all(axis=0) | (answers.c < 0).all(axis=0)
    return np.asarray(keep), "the models do not all prefer the same subject"


def _answer_differs(rule: FilterRule, answers: Answers) -> tuple[Bools, str]:
    assert isinstance(answers, QuadAnswers)
    return np.asarray(answers.differs.any(axis=0)), "no model's answer depends on the order of the subjects"


_RULES: dict[str, Callable[[FilterRule, Answers], tuple[Bools, str]]] = {
    "margin_below": _margin_below,
    "disagreement": _disagreement,
    "same_wrong": _same_wrong,
    "lowest_neutral": _lowest_neutral,
    "c_at_least": _c_at_least,
    "sign_consistent": _sign_consistent,
    "answer_differs": _answer_differs,
}


def _all_of(decisions: Sequence[Decision]) -> Decision:
    """Keep the candidates that every rule keeps; the reason is that of the first rule that rejects."""
    keep = np.logical_and.reduce([d.keep for d in decisions])
    why = np.zeros(keep.size, np.int32)
    offset = sum(len(d.reasons) for d in decisions)
    for decision in reversed(decisions):
        offset -= len(decision.reasons)
        why = np.where(decision.keep, why, decision.why + offset).astype(np.int32)
    return Decision(keep, why, tuple(reason for d in decisions for reason in d.reasons))


def _any_of(decisions: Sequence[Decision]) -> Decision:
    """Keep the candidates that at least one rule keeps; a reason joins those of all rules."""
    keep = np.logical_or.reduce([d.keep for d in decisions])
    joined = decisions[0]
    for decision in decisions[1:]:
        n = len(decision.reasons)
        # only the combinations that occur: the product of all reasons would be large
        pairs, why = np.unique(joined.why * n + decision.why, return_inverse=True)
        reasons = tuple(f"{joined.reasons[p // n]}; {decision.reasons[p % n]}" for p in pairs.tolist())
        joined = Decision(keep, why.astype(np.int32), reasons)
    return Decision(keep, joined.why, joined.reasons)
