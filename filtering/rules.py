"""What a rule decides: which candidates it keeps, and why it rejects the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.filtering.model_answers import Answers, Bools, ItemAnswers, QuadAnswers
from nextset.records.nli_items import LABELS
from nextset.study.filter_rule_syntax import FilterRule, votes_needed

__all__ = ["Verdict", "decide", "hard_by_model", "undecided"]


@dataclass(frozen=True)
class Verdict:
    """What a rule makes of each candidate."""

    keep: Bools
    """Whether it stays."""
    why: npt.NDArray[np.int32]
    """For the others, the place of their reason; of no meaning where an item stays."""
    reasons: tuple[str, ...]
    """Reasons for going, in words."""


def decide(rule: FilterRule, answers: Answers) -> Verdict:
    """Apply ``rule``; scores are compared as they are stored."""
    if rule.parts:
        verdicts = [decide(part, answers) for part in rule.parts]
        return _all_of(verdicts) if rule.name == "all_of" else _any_of(verdicts)
    if votes_needed(rule, len(answers.models)) is not None:
        assert isinstance(answers, ItemAnswers)
        return _by_votes(rule, answers)
    keep, reason = _RULES[rule.name](rule, answers)
    return Verdict(keep, np.zeros(keep.size, np.int32), (reason,))


def hard_by_model(rule: FilterRule, answers: Answers) -> Bools:
    """What each model finds hard, shape (models, candidates).

    NLI items that it gets wrong; quads and statements that the rule would keep if it were the only model.
    """
    if isinstance(answers, ItemAnswers):
        return answers.wrong
    hard = answers.asked.copy()
    for m in range(len(answers.models)):
        hard[m] &= decide(rule, answers.only([m])).keep
    return hard


def undecided(rule: FilterRule, answers: Answers, *, cascade: bool) -> Bools:
    """Candidates for which an answer is missing that the rule needs.

    In a cascade that is one whose vote is still open: as many wrong models as it takes have not been
    found, and the models that were not asked could still make them up.
    """
    missing = (~answers.asked).sum(axis=0)
    if not cascade or not isinstance(answers, ItemAnswers):
        return np.asarray(missing > 0)
    needed = votes_needed(rule, len(answers.models))
    assert needed is not None
    wrong = answers.wrong.sum(axis=0)
    return np.asarray((missing > 0) & (wrong < needed) & (wrong + missing >= needed))


def _by_votes(rule: FilterRule, answers: ItemAnswers) -> Verdict:
    needed = votes_needed(rule, len(answers.models))
    assert needed is not None
    keep = np.asarray(answers.wrong.sum(axis=0) >= needed)
    if rule.name == "any_wrong" and not answers.two_labels.any():
        return Verdict(
            keep, answers.right.astype(np.int32), tuple(f"every model says {label}" for label in LABELS)
        )
    reason = {
        "any_wrong": "no model gets it wrong",
        "majority_wrong": "no more than half of the models get it wrong",
        "all_wrong": "not every model gets it wrong",
        "at_least_wrong": f"fewer than {needed} of the models get it wrong",
    }[rule.name]
    return Verdict(keep, np.zeros(keep.size, np.int32), (reason,))


def _margin_below(rule: FilterRule, answers: Answers) -> tuple[Bools, str]:
    assert isinstance(answers, ItemAnswers)
    assert rule.margin_below is not None
    keep = (answers.margins < rule.margin_below).any(axis=0)
    return np.asarray(keep), f"every model's two most probable labels are {rule.margin_below:g} or more apart"


def _disagreement(rule: FilterRule, answers: Answers) -> tuple[Bools, str]:
    """Models with three labels are compared by label, with models with two by entailment alone."""
    assert isinstance(answers, ItemAnswers)
    three = answers.labels[~answers.two_labels]
    keep = _differ(answers.labels == 0) | _differ(three)
    return keep, "every model gives it the same label"


def _differ(rows: npt.NDArray[np.generic]) -> Bools:
    return np.asarray((rows[1:] != rows[:1]).any(axis=0))


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
    return np.asarray(answers.differs.any(axis=0)), "no model's answer differs between the subjects' orders"


_RULES: dict[str, Callable[[FilterRule, Answers], tuple[Bools, str]]] = {
    "margin_below": _margin_below,
    "disagreement": _disagreement,
    "c_at_least": _c_at_least,
    "sign_consistent": _sign_consistent,
    "answer_differs": _answer_differs,
}


def _all_of(verdicts: Sequence[Verdict]) -> Verdict:
    """What every rule keeps; the reason is that of the first rule that does not."""
    keep = np.logical_and.reduce([v.keep for v in verdicts])
    why = np.zeros(keep.size, np.int32)
    offset = sum(len(v.reasons) for v in verdicts)
    for verdict in reversed(verdicts):
        offset -= len(verdict.reasons)
        why = np.where(verdict.keep, why, verdict.why + offset).astype(np.int32)
    return Verdict(keep, why, tuple(reason for v in verdicts for reason in v.reasons))


def _any_of(verdicts: Sequence[Verdict]) -> Verdict:
    """What one of the rules keeps; the reason is that of every rule."""
    keep = np.logical_or.reduce([v.keep for v in verdicts])
    joined = verdicts[0]
    for verdict in verdicts[1:]:
        n = len(verdict.reasons)
        # only those that occur together: all that could would be a product of many
        pairs, why = np.unique(joined.why * n + verdict.why, return_inverse=True)
        reasons = tuple(f"{joined.reasons[p // n]}; {verdict.reasons[p % n]}" for p in pairs.tolist())
        joined = Verdict(keep, why.astype(np.int32), reasons)
    return Verdict(keep, joined.why, joined.reasons)
