"""What readers change."""

from __future__ import annotations

import pytest

from nextset.extensions.ambiguity.retrieval.amplification import amplification, corrected_changes
from nextset.extensions.ambiguity.retrieval.found_shares import group_shares
from nextset.extensions.ambiguity.retrieval.retrieval_records import Amplification
from tests.extensions.ambiguity.retrieval.found import found_by


def changes(
    read: list[tuple[int, str, str]], answers: list[tuple[int, str, str]], n: int, base: float = 0.5
) -> dict[str, Amplification]:
    names = ["nurse"] * n
    both = (base, 1 - base)
    rows = amplification(found_by(read, names, both), found_by(answers, names, both, "answers"))
    return {row.group: row for row in rows if row.scope == "all"}


def read_by(n: int, women: int, of: int) -> list[tuple[int, str, str]]:
    """Each of ``n`` questions finds people of its own, the first ``women`` of them women."""
    return [(q, f"p{q}-{i}", "f" if i < women else "m") for q in range(n) for i in range(of)]


def test_a_worked_example() -> None:
    # two questions read 1 of 4 and 3 of 4 women, and answer with a woman and a man: (¾ + −¾) / 2 = 0
    read = [(0, f"a{i}", "f" if i < 1 else "m") for i in range(4)]
    read += [(1, f"b{i}", "f" if i < 3 else "m") for i in range(4)]
    female = changes(read, [(0, "a0", "f"), (1, "b3", "m")], 2)["female"]
    assert (female.retrieved, female.answered, female.change) == (0.5, 0.5, 0)
    assert (female.questions, female.unknown) == (2, 0)
    assert female.p is None  # two questions
    assert female.note is not None
    assert female.verdict == "unclear"


def test_a_worked_example_of_many_questions() -> None:
    # the same questions, five times each with other people
    read = [(q, f"p{q}-{i}", "f" if i < (3 if q % 2 else 1) else "m") for q in range(10) for i in range(4)]
    answers = [(q, f"p{q}-{3 if q % 2 else 0}", "m" if q % 2 else "f") for q in range(10)]
    female = changes(read, answers, 10)["female"]
    assert (female.retrieved, female.answered, female.change) == (0.5, 0.5, 0)
    assert female.p == pytest.approx(1)
    assert female.verdict == "unclear"


def test_what_is_read_has_an_interval_with_a_width() -> None:
    read = read_by(3, 4, 4)  # women alone, for three questions
    female = changes(read, [(q, f"p{q}-0", "f") for q in range(3)], 3)["female"]
    assert female.retrieved == female.retrieved_high == 1
    assert female.retrieved_low is not None
    assert female.retrieved_low < 0.8


def test_the_interval_of_what_is_read_is_that_of_the_table_shares() -> None:
    # as many passages of each question: passages and questions count the same
    read = [(q, f"p{(3 * q + i * i) % 40}", "f" if (3 * q + i * i) % 40 < 12 else "m")
            for q in range(12) for i in range(6)]  # fmt: skip
    female = changes(read, [(q, read[6 * q][1], read[6 * q][2]) for q in range(12)], 12)["female"]
    share = next(group_shares(found_by(read, ["nurse"] * 12), ("all",)))
    assert female.retrieved == pytest.approx(share.share)
    assert female.retrieved_low == pytest.approx(share.low)
    assert female.retrieved_high == pytest.approx(share.high)


def test_a_change_that_just_ends_the_disparity_dampens_it() -> None:
    # read 10 % women where 30 % are expected, answered with women to 12 of 40 questions: 30 %
    read = read_by(40, 1, 10)
    answers = [(q, f"p{q}-{0 if q < 12 else 5}", "f" if q < 12 else "m") for q in range(40)]
    found = changes(read, answers, 40, 0.3)["female"]
    assert found.change == pytest.approx(-(found.retrieved_disparity or 0))
    assert found.verdict == "dampens"


@pytest.mark.parametrize(
    ("women", "answer", "base", "verdict"),
    [
        (1, "m", 0.6, "amplifies"),  # read 25 % of an expected 60 %, answered 0 %
        (3, "f", 0.3, "amplifies"),
        (1, "f", 0.6, "reverses"),  # read 25 %, answered 100 %
        (1, "f", 0.99, "reverses"),
        (2, "f", 0.5, "adds"),
    ],
)
def test_verdicts(women: int, answer: str, base: float, verdict: str) -> None:
    read = read_by(30, women, 4)
    place = {"f": 0, "m": 3}[answer]
    found = changes(read, [(q, f"p{q}-{place}", answer) for q in range(30)], 30, base)
    assert found["female"].verdict == verdict
    assert found["female"].change == pytest.approx((answer == "f") - women / 4)
    assert found["male"].change == pytest.approx(-(found["female"].change or 0))


def test_a_reader_can_dampen() -> None:
    # reads 10 % women where half are expected, answers with women to 12 of 40 questions
    read = read_by(40, 1, 10)
    answers = [(q, f"p{q}-{0 if q < 12 else 5}", "f" if q < 12 else "m") for q in range(40)]
    assert changes(read, answers, 40)["female"].verdict == "dampens"


def test_equal_changes_of_few_questions_have_an_interval() -> None:
    found = changes(read_by(5, 2, 4), [(q, f"p{q}-0", "f") for q in range(5)], 5)["female"]
    assert found.change == 0.5
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.5 <= found.high <= 0.5 + 1e-9  # no more than all answers can be women


def test_the_same_answer_to_all_questions_is_one_answer() -> None:
    read = [(q, f"p{i}", "f" if i < 2 else "m") for q in range(30) for i in range(4)]
    found = changes(read, [(q, "p0", "f") for q in range(30)], 30)["female"]
    assert found.verdict == "unclear"
    assert found.answered == 1
    assert (found.answered_low, found.low, found.p) == (None, None, None)


def test_few_questions_have_no_interval_of_the_change() -> None:
    found = changes(read_by(4, 2, 4), [(q, f"p{q}-0", "f") for q in range(4)], 4)["female"]
    assert (found.change, found.low, found.high, found.p) == (0.5, None, None, None)
    assert found.note is not None
    assert "5 questions" in found.note


def test_unknown_answers_and_none_are_counted() -> None:
    read = [*read_by(3, 1, 2), (3, "x", "?")]
    found = changes(read, [(0, "p0-0", "f"), (3, "x", "?")], 5)["female"]
    assert (found.questions, found.unknown) == (1, 4)
    assert (found.low, found.p, found.verdict) == (None, None, "unclear")
    assert found.note is not None


def test_no_answer_at_all() -> None:
    found = changes(read_by(2, 1, 2), [], 2)["female"]
    assert (found.questions, found.unknown, found.change) == (0, 2, None)


def test_with_two_groups_a_change_is_one_comparison() -> None:
    read, answers = read_by(30, 2, 4), [(q, f"p{q}-0", "f") for q in range(30)]
    rows = list(
        amplification(
            found_by(read, ["a", "b", "c"] * 10), found_by(answers, ["a", "b", "c"] * 10, counted="answers")
        )
    )
    done = corrected_changes(rows)
    of_all = [r for r in done if r.scope == "all"]
    of_parts = [r for r in done if r.scope == "occupation"]
    assert [r.comparisons for r in of_all] == [1, 1]
    assert {r.comparisons for r in of_parts} == {3}
    assert len({r.p_corrected for r in of_all}) == 1
