"""The tables of an audit of retrieval: who is found, the tests, and the changes that readers make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Amplification",
    "BaseRate",
    "BaseRateTest",
    "Counted",
    "FoundPassage",
    "GroupShare",
    "GroupSource",
    "OpenAnswer",
    "RetrievalFinding",
    "Scope",
    "Verdict",
]

Scope = Literal["all", "occupation", "question"]
"""The questions that are measured together."""
Counted = Literal["passages", "titles", "answers", "named_answers"]
"""The things that are counted: retrieved passages, distinct titles of each question, or answers of a
reader."""
Verdict = Literal["amplifies", "dampens", "reverses", "adds", "unclear"]
"""The effect of a reader on a disparity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupShare:
    """The share of a group among the passages or answers that a retriever, or a reader on top of it,
    finds."""

    retriever: str
    """The retriever's published name."""
    reader: str
    """The reader's published name; empty for what the retriever finds."""
    scope: Scope
    """The questions: all, those of an occupation, or one question."""
    part: str
    """The occupation, or the id of the question; empty for all."""
    counted: Counted
    """passages; titles (each once per question); answers, by their passage's title; named_answers, those
    that name the title's person."""
    first: int
    """The first passages of each question that are counted, or read."""
    group: str
    """The group."""
    count: int
    """The number found of this group."""
    known: int
    """The number found of a known group."""
    unknown: int
    """The number of an unknown group, including questions without an answer."""
    questions: int
    """The number of questions with anything found."""
    titles: int
    """The number of distinct titles among the passages or answers."""
    share: float | None
    """count / known; null if no group is known."""
    low: float | None
    """The lower end of its 95 % interval; null for fewer than five titles, counted by their passages or
    answers."""
    high: float | None
    """The upper end."""
    base_rate: float | None
    """The mean base rate of what is compared; null if there is none."""
    compared: int
    """The known ones whose question has a base rate."""
    disparity: float | None
    """Share − base rate of what is compared; null without."""
    disparity_low: float | None
    """The lower end of its 95 % interval; the base rate is taken as known."""
    disparity_high: float | None
    """The upper end."""
    ratio: float | None
    """Share / base rate; null if the base rate is 0 or missing."""
    ratio_low: float | None
    """The lower end of its 95 % interval."""
    ratio_high: float | None
    """The upper end."""
    design_effect: float | None
    """How many passages or answers count as one independent find; null if no group is known."""
    freedom: float | None
    """The degrees of freedom of its variance, for the interval's t distribution; null for a single
    question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseRateTest:
    """A test of whether the groups that are found match the base rate."""

    retriever: str
    """The retriever's published name."""
    reader: str
    """The reader's published name; empty for what the retriever finds."""
    scope: Scope
    """The questions: all, those of an occupation, or one question."""
    part: str
    """The occupation, or the id of the question; empty for all."""
    counted: Counted
    """The things that are counted, as in the table shares."""
    first: int
    """The first passages of each question that are counted, or read."""
    n: int
    """The number of a known group and with a base rate."""
    chi_squared: float | None
    """Pearson's Σ (observed − expected)² / expected; null if it is undefined."""
    degrees: int | None
    """Its degrees of freedom, groups − 1."""
    p: float | None
    """The p-value as published, as if finds were independent."""
    method: str
    """chi-squared, or exact binomial for two groups with an expected count below 5; empty without a
    test."""
    design_effect: float | None
    """The number of passages or answers that count as one independent find."""
    freedom: float | None
    """The degrees of freedom of its variance; null if none is estimated."""
    p_design: float | None
    """The p-value with the design effect; null if the effective number of titles is below five."""
    p_corrected: float | None
    """p_design, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The comparisons that the correction counts: of the same scope and kind of count."""
    effect: float | None
    """Cohen's w; 0.1 is called small, 0.3 medium, 0.5 large."""
    effect_low: float | None
    """The lower end of its 95 % interval, with the design effect."""
    effect_high: float | None
    """The upper end."""
    note: str | None
    """Why a value is null, or what it cannot say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amplification:
    """The share of a group among the passages that a reader reads, and its share among the reader's
    answers."""

    retriever: str
    """The retriever's published name."""
    reader: str
    """The reader's published name."""
    scope: Scope
    """The questions: all, or those of an occupation."""
    part: str
    """The occupation; empty for all."""
    counted: Counted
    """answers, or named_answers, as in the table shares."""
    read: int
    """The passages that the reader reads for each question."""
    group: str
    """The group."""
    questions: int
    """The number of questions whose answer has a known group."""
    unknown: int
    """The number of other questions."""
    base_rate: float | None
    """The mean base rate of these questions; null if one of them has none."""
    retrieved: float | None
    """The group's mean share of the read passages with a known group; null without questions."""
    retrieved_low: float | None
    """The lower end of its 95 % interval, as in the table shares."""
    retrieved_high: float | None
    """The upper end."""
    answered: float | None
    """The share of questions whose answer is of the group."""
    answered_low: float | None
    """The lower end of its 95 % interval."""
    answered_high: float | None
    """The upper end."""
    retrieved_disparity: float | None
    """retrieved − base_rate: the retriever's part."""
    change: float | None
    """answered − retrieved, paired by question: the reader's part."""
    low: float | None
    """The lower end of its 95 % interval; null for fewer than five questions, or fewer than five titles among
    the answers."""
    high: float | None
    """The upper end."""
    answered_disparity: float | None
    """answered − base_rate: both parts together."""
    p: float | None
    """The two-sided p-value of no change; null if it is undefined."""
    p_corrected: float | None
    """The same, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The comparisons that the correction counts: of the same scope and kind of answers."""
    verdict: Verdict
    """amplifies: the intervals of the change and of the retriever's disparity are on the same side of 0;
    dampens: on different sides, and the disparity at most disappears; reverses: on different sides, and the
    disparity changes its side; adds: only the interval of the disparity contains 0; unclear: that of the
    change contains 0, or there is no interval or no base rate."""
    note: str | None
    """Why a value is null, or what it cannot say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseRate:
    """A base rate."""

    occupation: str
    """The occupation that it is for; empty for all questions."""
    group: str
    """The group."""
    share: float
    """Its share."""
    source: str
    """The source of the share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSource:
    """The numbers of titles and passages that have a group from a source, or have none for a reason."""

    of: str
    """collection, or the retriever that found them, for all questions together."""
    group: str
    """The group; unknown if it is not known."""
    source: str
    """label or names (lists of first names); for unknown groups, other_group (a group that is not compared),
    two_labels, two_groups (a first name of two groups) or none."""
    label: str
    """For other_group, the label or group that is not compared; for two_labels, both; in lower case."""
    titles: int
    """The number of distinct titles."""
    passages: int
    """The number of passages, each as often as it was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    """A retrieved passage with the group of its title's person."""

    question_id: str
    """The question's id."""
    retriever: str
    """The retriever's published name."""
    rank: int
    """Its rank for this question, from 1."""
    passage: int
    """Its number in the collection, from 0."""
    title: str
    """Its title."""
    group: str
    """The group of the title's person, or unknown."""
    source: str
    """The source, as in the table groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAnswer:
    """A reader's answer to an open question: the best one from the passages that it read."""

    question_id: str
    """The question's id."""
    retriever: str
    """The retriever whose passages were read."""
    reader: str
    """The reader's published name."""
    text: str
    """The answer; empty if there is none."""
    score: float | None
    """Its score; null without an answer, and for a model that writes."""
    rank: int | None
    """The rank of its passage; null without an answer."""
    passage: int | None
    """The number of that passage in the collection."""
    title: str
    """Its title; empty without an answer."""
    group: str
    """The group of the title's person, or unknown."""
    named: bool
    """True if the answer gives the family name of the title's person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalFinding:
    """A finding or warning, in a few sentences."""

    text: str
    """The sentences."""
    warning: bool
    """True if it is a warning."""
