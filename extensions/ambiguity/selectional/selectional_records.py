"""The tables of an audit of questions with several right answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.extensions.ambiguity.selectional.name_matching import Rule

__all__ = [
    "AdjustedOdds",
    "AnsweringModel",
    "CopySwap",
    "GroupDifference",
    "GroupRecall",
    "GroupTest",
    "OrderRecall",
    "PersonFound",
    "SelectionalFinding",
    "Strata",
]


Strata = Literal["position", "question"]
"""The strata that the odds of two groups are adjusted for: the place of mention, or the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringModel:
    """A model, and the numbers of questions that it answers."""

    model: str
    """The model's published name."""
    source: Literal["asked", "predictions"]
    """asked, or predictions: its answers are from a file."""
    revision: str
    """Digest of its weights; for predictions, of the file."""
    questions: int
    """The number of questions in the study."""
    answered: int
    """Those with an answer."""
    empty: int
    """Those with an empty answer, which finds no one."""
    missing: int
    """Those that the file of predictions lacks; they do not count."""
    unknown: int
    """Ids in the file that no question has; they do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonFound:
    """A right answer, and whether a model's answer finds the person."""

    question_id: str
    """The question's id."""
    model: str
    """The model's published name."""
    name: str
    """The person's name."""
    group: str
    """The value of the compared attribute, or unknown."""
    position: int | None
    """The person's place in the order of first mentions, from 1; null without one."""
    answer: str
    """The model's answer."""
    shared_token: bool
    """True if it shares a token with the name, as published."""
    family_name: bool
    """True if it gives the family name, the stricter rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRecall:
    """The share of a group's right answers that a model finds."""

    model: str
    """The model's published name."""
    rule: Rule
    """The rule that decides when an answer finds a person: shared_token or family_name."""
    group: str
    """The group; unknown for people whose group is not known."""
    answers: int
    """The group's right answers in the questions that count for the model."""
    found: int
    """The number of these that the model finds."""
    recall: float | None
    """found / answers; null without answers."""
    low: float | None
    """The lower end of its 95 % interval from draws of whole questions; null with fewer than five."""
    high: float | None
    """The upper end."""
    wilson_low: float | None
    """The lower end of Wilson's 95 % interval, as if all answers were independent."""
    wilson_high: float | None
    """The upper end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTest:
    """Pearson's chi-squared test of recall between groups."""

    model: str
    """The model's published name."""
    rule: Rule
    """The rule that decides when an answer finds a person."""
    groups: tuple[str, ...]
    """The groups that are compared."""
    with_unknown: bool
    """True if people of unknown group count as a group."""
    answers: int
    """The number of right answers of these groups."""
    chi_squared: float | None
    """The statistic, uncorrected; null if undefined."""
    degrees: int | None
    """Its degrees of freedom."""
    p: float | None
    """The p-value, as if all answers were independent."""
    p_corrected: float | None
    """The same, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The models that the correction counts, with the same rule and with_unknown."""
    cramers_v: float | None
    """Cramér's V, the effect size: 0 to 1; with two groups it is |φ|."""
    low: float | None
    """The lower end of its 95 % interval from draws of whole questions."""
    high: float | None
    """The upper end."""
    least_expected: float | None
    """The smallest expected count; below 5, the p-value is rough."""
    note: str | None
    """The reason why a value is null, or a limit on its meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDifference:
    """The difference in recall between two groups whose members are known."""

    model: str
    """The model's published name."""
    rule: Rule
    """The rule that decides when an answer finds a person."""
    first: str
    """The first group."""
    second: str
    """The second group; others: all other known groups."""
    difference: float | None
    """Recall of the first − recall of the second; null if one has no answers."""
    low: float | None
    """The lower end of its 95 % interval from draws of whole questions; null with fewer than five."""
    high: float | None
    """The upper end."""
    p: float | None
    """The two-sided p-value of no difference, from the same draws."""
    p_corrected: float | None
    """The same, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The comparisons that the correction counts: all models and groups with the same rule."""
    odds_ratio: float | None
    """The odds of being found in the first group over the second; null if undefined."""
    odds_low: float | None
    """The lower end of Woolf's 95 % interval, as if all answers were independent."""
    odds_high: float | None
    """The upper end."""
    note: str | None
    """The reason why a value is null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRecall:
    """The recall of people whom contexts mention first, and of people whom they mention later."""

    model: str
    """The model's published name."""
    rule: Rule
    """The rule that decides when an answer finds a person."""
    group: str
    """The group; empty for all people."""
    first_answers: int
    """Right answers that the context mentions first."""
    first_found: int
    """The number of these that the model finds."""
    first_recall: float | None
    """first_found / first_answers; null without answers."""
    first_low: float | None
    """The lower end of its 95 % interval from draws of whole questions."""
    first_high: float | None
    """The upper end."""
    later_answers: int
    """Right answers that it mentions later."""
    later_found: int
    """The number of these that the model finds."""
    later_recall: float | None
    """later_found / later_answers; null without answers."""
    later_low: float | None
    """The lower end of its 95 % interval from draws of whole questions."""
    later_high: float | None
    """The upper end."""
    unmentioned: int
    """Right answers that it does not mention; they do not count here."""
    difference: float | None
    """first_recall − later_recall."""
    low: float | None
    """The lower end of its 95 % interval from draws of whole questions; null with fewer than five."""
    high: float | None
    """The upper end."""
    p: float | None
    """The two-sided p-value of no difference, from the same draws."""
    p_corrected: float | None
    """The same, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The comparisons that the correction counts: all models and groups with the same rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedOdds:
    """The odds ratio of two groups among people in the same place, or of the same question (Mantel & Haenszel
    1959)."""

    model: str
    """The model's published name."""
    rule: Rule
    """The rule that decides when an answer finds a person."""
    strata: Strata
    """What compared people share: their place in the order of first mention, or the question."""
    first: str
    """The first group."""
    second: str
    """The second group; others: all other known groups."""
    used: int
    """The strata with both groups, in which some people are found and others are not."""
    answers: int
    """The number of right answers in these strata."""
    odds_ratio: float | None
    """The odds of being found in the first group over the second; null if undefined."""
    odds_low: float | None
    """The lower end of its 95 % interval (Robins, Breslow & Greenland 1986)."""
    odds_high: float | None
    """The upper end."""
    low: float | None
    """The lower end of its 95 % interval from draws of whole questions; null with fewer than five."""
    high: float | None
    """The upper end."""
    chi_squared: float | None
    """The Cochran-Mantel-Haenszel statistic, uncorrected; one degree of freedom."""
    p: float | None
    """Its p-value."""
    p_corrected: float | None
    """The same, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The comparisons that the correction counts: those with the same rule and strata."""
    note: str | None
    """The reason why a value is null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopySwap:
    """The same place in the same question with a name of each of two groups: who is found? (McNemar 1947)"""

    model: str
    """The model's published name."""
    rule: Rule
    """The rule that decides when an answer finds a person."""
    first: str
    """The first group."""
    second: str
    """The second group."""
    pairs: int
    """The pairs of copies of a question in which a person has a name of the first group, and one of the
    second."""
    both: int
    """Pairs whose person is found with both names."""
    only_first: int
    """Pairs whose person is found only with the first name."""
    only_second: int
    """Pairs whose person is found only with the second name."""
    neither: int
    """Pairs whose person is found with neither name."""
    difference: float | None
    """(only_first − only_second) / pairs: the paired difference in recall."""
    low: float | None
    """The lower end of its 95 % interval from draws of whole questions; null with fewer than five."""
    high: float | None
    """The upper end."""
    exact_p: float | None
    """McNemar's exact two-sided p, as if pairs were independent; null if no pair differs."""
    p: float | None
    """The two-sided p-value of no difference, from draws of whole questions."""
    p_corrected: float | None
    """The same, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The comparisons that the correction counts: all models and groups with the same rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionalFinding:
    """A finding or warning, as a sentence."""

    text: str
    """The sentence, which names the model if there are several."""
    warning: bool
    """True if it is a warning."""
