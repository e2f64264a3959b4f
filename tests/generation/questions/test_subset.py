"""Samples are even, distinct, seeded, and part of the whole."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.generation.questions.question_set import (
    Attribute,
    AttributeTexts,
    QuestionSet,
    SetTemplate,
    Subject,
)
from nextset.generation.questions.subject_pairs import balanced_pairs, pair_numbers, pairs_at
from nextset.generation.questions.subset import sampled_cells

NOWHERE = Path("nowhere")


def made(lists: list[int], kinds: list[int], per_kind: list[int]) -> QuestionSet:
    """A set with lists of so many subjects, and templates of kinds with so many attributes each."""
    subjects = tuple(
        tuple(Subject(f"{i}.{j}", "", "", {}, NOWHERE, None) for j in range(n)) for i, n in enumerate(lists)
    )
    asked = {
        kind: tuple(
            AttributeTexts(Attribute(f"{kind}.{j}", str(kind), "", "", {}, NOWHERE, None), "", "")
            for j in range(n)
        )
        for kind, n in enumerate(per_kind)
    }
    templates = tuple(SetTemplate(str(i), (), "", asked[k], None, frozenset()) for i, k in enumerate(kinds))
    pairs = "across" if len(lists) == 2 else "all"
    return QuestionSet(NOWHERE, "en", "made", "question", subjects, pairs, templates, (), "")  # type: ignore[arg-type]


LISTS = st.lists(st.integers(1, 9), min_size=2, max_size=2) | st.lists(
    st.integers(2, 12), min_size=1, max_size=1
)
SETS = st.integers(1, 3).flatmap(
    lambda k: st.builds(
        made,
        LISTS,
        st.lists(st.integers(0, k - 1), min_size=1, max_size=5),
        st.lists(st.integers(1, 7), min_size=k, max_size=k),
    )
)


@given(SETS)
def test_pairs_have_numbers(questions: QuestionSet) -> None:
    numbers = np.arange(questions.n_pairs)
    first, second = pairs_at(numbers, questions)
    assert (pair_numbers(first, second, questions) == numbers).all()
    assert len(set(zip(first.tolist(), second.tolist(), strict=True))) == questions.n_pairs
    if questions.pairs == "all":
        assert (first < second).all()
        assert (pair_numbers(second, first, questions) == numbers).all()


@given(SETS, st.integers(0, 99))
def test_balanced_pairs_are_all_pairs_in_rounds(questions: QuestionSet, seed: int) -> None:
    found = list(balanced_pairs(questions, Random(seed)))
    assert len(found) == len({frozenset(p) if questions.pairs == "all" else p for p in found})
    assert len(found) == questions.n_pairs
    smaller = min(map(len, questions.lists))
    round_ = smaller if questions.pairs == "across" else smaller // 2
    # Every subject stands at most once in the first round.
    firsts = [("first", a) for a, _ in found[:round_]]
    seconds = [("second" if questions.pairs == "across" else "first", b) for _, b in found[:round_]]
    if len(set(map(len, questions.lists))) == 1:
        assert max(Counter(firsts + seconds).values()) == 1


@given(SETS, st.integers(1, 400), st.integers(0, 5))
@settings(max_examples=200)
def test_a_sample_is_distinct_seeded_and_in_order(questions: QuestionSet, n: int, seed: int) -> None:
    cells = sampled_cells(questions, n, seed)
    rows = list(zip(cells.pairs.tolist(), cells.templates.tolist(), cells.attributes.tolist(), strict=True))
    assert len(set(rows)) == len(rows) == min(n, questions.rows)
    assert rows == sorted(rows)
    again = sampled_cells(questions, n, seed)
    assert (again.pairs == cells.pairs).all()
    assert (again.attributes == cells.attributes).all()
    for pair, template, asked in rows:
        assert 0 <= pair < questions.n_pairs
        assert 0 <= asked < len(questions.templates[template].by_attribute)


def spread(counts: Counter[int], size: int) -> int:
    return max(counts[i] for i in range(size)) - min(counts[i] for i in range(size))


@given(st.integers(1, 490), st.integers(0, 9))
def test_a_sample_is_even(n: int, seed: int) -> None:
    # 70 names of 7 + 7 would be 49 pairs; 4 templates × 10 attributes: 1,960 rows, of which a quarter at most
    questions = made([7, 7], [0, 0, 0, 0], [10])
    cells = sampled_cells(questions, n, seed)
    first, second = pairs_at(cells.pairs, questions)
    assert spread(Counter(cells.templates.tolist()), 4) <= 1
    assert spread(Counter(cells.attributes.tolist()), 10) <= 1
    assert spread(Counter(first.tolist()), 7) <= 1
    assert spread(Counter(second.tolist()), 7) <= 1


def test_a_hundredth_of_a_class_of_published_size_is_even() -> None:
    # nationality: 69 subjects, 3 place templates × 14 and 9 person templates × 50 attributes
    questions = made([69], [0, 0, 0] + [1] * 9, [14, 50])
    assert questions.rows == 1_154_232
    cells = sampled_cells(questions, 11_542, seed=1)
    first, second = pairs_at(cells.pairs, questions)
    subjects = Counter([*first.tolist(), *second.tolist()])
    # 2 × 11,542 / 69 = 334.6 a subject; 69 is odd, so one rests each round
    assert max(subjects.values()) - min(subjects.values()) <= 8
    assert spread(Counter(cells.templates.tolist()), 12) <= 1
    by_kind = [cells.attributes[np.isin(cells.templates, ts)] for ts in (range(3), range(3, 12))]
    assert spread(Counter(by_kind[0].tolist()), 14) <= 1
    assert spread(Counter(by_kind[1].tolist()), 50) <= 1
    # A subject meets many attributes: evenness does not tie them together.
    met = {(s, a) for s, a in zip(first.tolist(), cells.attributes.tolist(), strict=True)}
    assert len(met) > 0.8 * 69 * 50 / 2


def test_seeds_differ() -> None:
    questions = made([7, 7], [0, 0], [10])
    one, other = sampled_cells(questions, 100, 0), sampled_cells(questions, 100, 1)
    assert (one.pairs != other.pairs).any()
