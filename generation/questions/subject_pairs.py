"""Numbered pairs of subjects, computed from the number instead of stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import numpy as np

from nextset.array_types import Ints
from nextset.errors import WordListError
from nextset.generation.questions.question_set import QuestionSet, Subject

__all__ = ["balanced_pairs", "overlapping_pairs", "pair_numbers", "pairs_at"]


def pairs_at(numbers: Ints, questions: QuestionSet) -> tuple[Ints, Ints]:
    """Return the places, from 0, of the first and second subjects of the pairs with these ``numbers``.

    across goes through the second list for each subject of the first; all counts the pairs (0, 1), (0, 2), …,
    (1, 2), …. Pairs that are not made have no number.
    """
    if questions.excluded:
        # the k-th pair that is not made comes right after excluded[k] - k pairs that are made
        made_before = np.array(questions.excluded, np.int64) - np.arange(len(questions.excluded))
        numbers = numbers + np.searchsorted(made_before, numbers, side="right")
    if questions.pairs == "across":
        first, second = np.divmod(numbers, len(questions.subjects[1]))
        return first, second
    n = len(questions.subjects[0])
    begins = _begins(n)
    first = np.searchsorted(begins, numbers, side="right") - 1
    return first, numbers - begins[first] + first + 1


def pair_numbers(first: Ints, second: Ints, questions: QuestionSet) -> Ints:
    """Return the numbers of the pairs with subjects at these places: the inverse of `pairs_at`."""
    numbers = _full_numbers(first, second, questions)
    if questions.excluded:
        numbers = numbers - np.searchsorted(np.array(questions.excluded, np.int64), numbers)
    return numbers


def _full_numbers(first: Ints, second: Ints, questions: QuestionSet) -> Ints:
    """Return the numbers of the pairs if every pair were made."""
    if questions.pairs == "across":
        return first * len(questions.subjects[1]) + second
    low, high = np.minimum(first, second), np.maximum(first, second)
    numbers: Ints = _begins(len(questions.subjects[0]))[low] + high - low - 1
    return numbers


def _begins(n: int) -> Ints:
    """Return the number of the first pair of each subject: 0, n − 1, (n − 1) + (n − 2), …"""
    sizes = np.arange(n - 1, 0, -1)
    return np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)


def overlapping_pairs(questions: QuestionSet) -> tuple[int, ...]:
    """Return the numbers of the pairs with one subject within the other, over any steps, in ascending order.

    All pairs are numbered. Raises WordListError if a subject is within one that is not listed, or within
    itself.
    """
    one, two = questions.lists
    listed = {s.name: s for s in (*one, *two)}
    for subject in listed.values():
        for name in subject.within:
            if name not in listed or name == subject.name:
                what = "itself" if name == subject.name else "not listed"
                raise WordListError(
                    f"{subject.name!r} is within {name!r}, which is {what}",
                    file=subject.file,
                    line=subject.line,
                    remedy="name a different subject of the class under within, or remove it",
                )
    firsts = {s.name: i for i, s in enumerate(one)}
    seconds = {s.name: j for j, s in enumerate(two)}
    pairs: set[tuple[int, int]] = set()
    for subject in listed.values():
        for name in _containing(subject, listed):
            if name == subject.name:
                raise WordListError(
                    f"{name!r} is within itself, through the subjects under its within",
                    file=subject.file,
                    line=subject.line,
                    remedy="name only the larger group under within of the smaller one",
                )
            for a, b in ((subject.name, name), (name, subject.name)):
                if a in firsts and b in seconds and (questions.pairs == "across" or firsts[a] < seconds[b]):
                    pairs.add((firsts[a], seconds[b]))
    places = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    return tuple(sorted(_full_numbers(places[:, 0], places[:, 1], questions).tolist()))


def _containing(subject: Subject, listed: Mapping[str, Subject]) -> set[str]:
    """Return the names of all subjects that ``subject`` is within."""
    containing: set[str] = set()
    waiting = list(subject.within)
    while waiting:
        name = waiting.pop()
        if name not in containing:
            containing.add(name)
            waiting += listed[name].within
    return containing


def balanced_pairs(questions: QuestionSet, random: Random) -> Iterator[tuple[int, int]]:
    """Yield each made pair once, in rounds that contain each subject at most once.

    So any number of first pairs contains each subject about equally often. all uses the circle method of
    round-robin tournaments; across uses cyclic shifts of one list against the other. Subjects, rounds and the
    pairs of a round are in random order.
    """
    first, second = (list(range(len(listed))) for listed in questions.lists)
    random.shuffle(first)
    random.shuffle(second)
    every = _rounds(questions, first, second, random)
    if not questions.excluded:
        yield from every
        return
    excluded = set(questions.excluded)
    for i, j in every:
        number = _full_numbers(np.array([i]), np.array([j]), questions)
        if int(number[0]) not in excluded:
            yield i, j


def _rounds(
    questions: QuestionSet, first: list[int], second: list[int], random: Random
) -> Iterator[tuple[int, int]]:
    """Yield each pair of the product once, round by round."""
    if questions.pairs == "across":
        n = max(len(first), len(second))
        rounds = random.sample(range(n), n)
        for shift in rounds:
            matched = [
                (first[i], second[j])
                for i in range(n)
                if i < len(first) and (j := (i + shift) % n) < len(second)
            ]
            yield from random.sample(matched, len(matched))
        return
    n = len(first) + len(first) % 2  # with an odd list, one subject per round has no partner
    for turn in random.sample(range(n - 1), n - 1):
        ring = [n - 1, *((turn + i) % (n - 1) for i in range(n - 1))]
        matched = [(ring[i], ring[n - 1 - i]) for i in range(n // 2)]
        inside = [(first[a], first[b]) for a, b in matched if a < len(first) and b < len(first)]
        yield from random.sample(inside, len(inside))
