"""The tables of an audit of retrieval: who is found, the tests, and what readers make of it."""

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
"""The questions that are taken together."""
Counted = Literal["passages", "titles", "answers", "named_answers"]
"""What is counted: retrieved passages, distinct titles of each question, or answers of a reader."""
Verdict = Literal["amplifies", "dampens", "reverses", "adds", "unclear"]
"""What a reader does to a disparity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupShare:
    """The share of a group among what a retriever, or a reader on top of it, finds."""

    retriever: str
    """The retriever's published name."""
    reader: str
    """The reader's published name; empty for what the retriever finds."""
    scope: Scope
    """The questions: all, those of an occupation, or one question."""
    part: str
    """The occupation, or the id of the question; empty for all."""
    counted: Counted
    """What is counted: passages; titles (each once a question); answers, by the title of the passage that has
    the answer; named_answers, those of them that name this title's person."""
    first: int
    """The first passages of each question that are counted, or read."""
    group: str
    """The group."""
    count: int
    """How many of it are found."""
    known: int
    """How many of a known group are found."""
    unknown: int
    """How many of an unknown group are found; of answers also the questions without one."""
    questions: int
    """The questions that found anything."""
    titles: int
    """The distinct titles among what is found."""
    share: float | None
    """count / known; null if no group is known."""
    low: float | None
    """The lower end of its 95 % interval; null for fewer than five titles, counted by what
    is found of them."""
    high: float | None
    """The upper end."""
    base_rate: float | None
    """What the share is compared with, the mean over what is compared; null if there is no base rate."""
    compared: int
    """How many of known are compared: those whose question has a base rate."""
    disparity: float | None
    """Share − base rate, among those that are compared; null if none are."""
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
    """How many of what is found count as one independent find; null if no group is known."""
    freedom: float | None
    """The degrees of freedom of its variance: few widen the interval, by the t distribution. Null if no
    variance is estimated: of a single question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseRateTest:
    """A test of whether the groups that are found fit the base rate."""

    retriever: str
    """The retriever's published name."""
    reader: str
    """The reader's published name; empty for what the retriever finds."""
    scope: Scope
    """The questions: all, those of an occupation, or one question."""
    part: str
    """The occupation, or the id of the question; empty for all."""
    counted: Counted
    """What is counted, as in the table shares."""
    first: int
    """The first passages of each question that are counted, or read."""
    n: int
    """How many are compared: those of a known group and with a base rate."""
    chi_squared: float | None
    """Pearson's Σ (observed − expected)² / expected; null if it is undefined."""
    degrees: int | None
    """Its degrees of freedom, groups − 1."""
    p: float | None
    """The p-value as published, as if everything found were independent."""
    method: str
    """chi-squared, or exact binomial, which gives p if there are two groups and fewer than 5 are expected of
    one; empty without a test."""
    design_effect: float | None
    """How many of what is found count as one independent find."""
    freedom: float | None
    """The degrees of freedom of its variance; null if none is estimated: of a single question."""
    p_design: float | None
    """The p-value with the design effect: questions find the same people, who have several passages. Null for
    fewer than five titles, counted by what is found of them."""
    p_corrected: float | None
    """p_design, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The number of comparisons that the correction counts: those of the same scope and kind of count, of all
    retrievers, or all readers."""
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
    """The share of a group among the passages that a reader reads, and among its answers."""

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
    """The passages that the reader reads for each question, the first ones."""
    group: str
    """The group."""
    questions: int
    """The questions that are compared: those whose answer has a known group."""
    unknown: int
    """The other questions: without an answer, or with one of an unknown group."""
    base_rate: float | None
    """The mean base rate of these questions; null if one of them has none."""
    retrieved: float | None
    """The mean over questions of the group's share among the passages read whose group is known; null without
    questions."""
    retrieved_low: float | None
    """The lower end of its 95 % interval, as in the table shares."""
    retrieved_high: float | None
    """The upper end."""
    answered: float | None
    """The share of the questions whose answer is of the group."""
    answered_low: float | None
    """The lower end of its 95 % interval."""
    answered_high: float | None
    """The upper end."""
    retrieved_disparity: float | None
    """retrieved − base_rate: the retriever's part."""
    change: float | None
    """answered − retrieved, paired by question: the reader's part."""
    low: float | None
    """The lower end of its 95 % interval; null for fewer than five questions, or answered titles."""
    high: float | None
    """The upper end."""
    answered_disparity: float | None
    """answered − base_rate: both parts together."""
    p: float | None
    """The two-sided p-value of no change; null if it is undefined."""
    p_corrected: float | None
    """The same, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The number of comparisons that the correction counts: those of the same scope and kind of answers, of
    all readers."""
    verdict: Verdict
    """amplifies: the change's interval leaves out 0, on the side of the retriever's disparity, whose interval
    leaves out 0 too; dampens: on the other side, at most until no disparity is left; reverses: so far that
    it changes its side; adds: the retriever has no clear disparity; unclear: the change's interval holds 0,
    or there is no interval or no base rate."""
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
    """Where it is from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSource:
    """How many titles and passages have a group from a source, or why they have none."""

    of: str
    """collection, or the retriever that found them, for all questions together."""
    group: str
    """The group; unknown if it is not known."""
    source: str
    """label, names (lists of first names); of unknown ones other_group (not compared), two_labels, two_groups
    (a first name of two groups) or none."""
    label: str
    """Of other_group the label, or the list's group, that is not compared; of two_labels both; in small
    letters. Else empty."""
    titles: int
    """The distinct titles."""
    passages: int
    """The passages; of a retriever each as often as it was found."""


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
    """The group of the title's person; unknown if it is not known."""
    source: str
    """How the group is known, or why it is not, as in the table groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAnswer:
    """A reader's answer to an open question, the best one of the passages that it read."""

    question_id: str
    """The question's id."""
    retriever: str
    """The retriever whose passages were read."""
    reader: str
    """The reader's published name."""
    text: str
    """The answer; empty if the reader found none in any passage."""
    score: float | None
    """Its score; null without an answer, and for a model that writes."""
    rank: int | None
    """The rank of the passage that gave it; null without an answer."""
    passage: int | None
    """The number of that passage in the collection."""
    title: str
    """Its title; empty without an answer."""
    group: str
    """The group of the title's person; unknown if it is not known, or without an answer."""
    named: bool
    """Whether the answer gives the family name of the title's person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalFinding:
    """What was found, in a few sentences."""

    text: str
    """The sentences."""
    warning: bool
    """Whether it is a warning."""
