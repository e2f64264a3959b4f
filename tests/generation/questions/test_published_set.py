"""The published word lists give the published sets: UnQover's sizes, and entry by entry."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from nextset.generation.questions.context_spans import render_context
from nextset.generation.questions.pack import Pack
from nextset.generation.questions.product_rows import full_cells
from nextset.generation.questions.published_corrections import corrections
from nextset.generation.questions.published_unqover import read_published
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_set import QuestionSet
from tests.generation.questions.plain_unqover import Entry, Lists, entries, gender, other

pytestmark = [pytest.mark.slow, pytest.mark.reference]

SIZES = {
    ("gender", "question"): 1_372_000,
    ("country", "question"): 1_154_232,
    ("ethnicity", "question"): 73_500,
    ("religion", "question"): 38_500,
    ("gender", "statement"): 286_720,
    ("country", "statement"): 385_776,
    ("ethnicity", "statement"): 31_500,
    ("religion", "statement"): 31_500,
}
"""Li et al. 2020, table 1, and their masked forms for RoBERTa."""


@pytest.fixture(scope="module")
def folder(reference: Path) -> Path:
    return reference / "unqover_word_lists"


@pytest.fixture(scope="module")
def exact(folder: Path) -> Pack:
    return read_published(folder, "en", masked_for="roberta", as_published=True)


def both_orders(questions: QuestionSet, pairs: range) -> Iterator[Entry]:
    """The two entries that the published set has for each of our rows."""
    asked = (
        ("question", "question_negated")
        if questions.form == "question"
        else ("statement", "statement_negated")
    )
    for row in quad_table(questions, full_cells(questions, pairs)).to_pylist():
        for order, (i, j) in (("context_12", "12"), ("context_21", "21")):
            yield Entry(
                row[order],
                row[asked[0]],
                row[asked[1]],
                (row[f"subject{i}"], row[f"subject{j}"]),
                (row[f"cluster{i}"], row[f"cluster{j}"]),
                row["template_id"],
                row["attribute"],
                row["attribute_cluster"],
            )


def lists_of(folder: Path, name: str, form: str, filler: str = "") -> Lists:
    suffix, ending = ("", "") if form == "question" else ("_roberta", "_lm")
    if name == "gender":
        return gender(folder, suffix, ending, filler)
    return other(folder, name, suffix, ending, filler)


def test_the_sizes_are_the_published_ones(exact: Pack) -> None:
    assert {(s.name, s.form): s.rows for s in exact.sets} == SIZES
    by_name = {(s.name, s.form): s for s in exact.sets}
    # 69 × 68 / 2; 3 place templates × 14 and 9 person templates × 50
    assert by_name["country", "question"].n_pairs == 2_346
    assert by_name["country", "question"].per_pair == 492
    assert by_name["gender", "question"].n_pairs == 70 * 70


@pytest.mark.parametrize(("name", "form"), SIZES)
def test_the_entries_are_the_published_ones(folder: Path, exact: Pack, name: str, form: str) -> None:
    """Whole for the small classes; for the large ones some pairs from the beginning, middle and end.

    benchmarks/generation.py compares the large ones whole.
    """
    (questions,) = [s for s in exact.sets if (s.name, s.form) == (name, form)]
    n = questions.n_pairs
    ranges = [range(n)] if questions.rows < 100_000 else [range(i, i + 12) for i in (0, n // 2, n - 12)]
    for pairs in ranges:
        ours = list(both_orders(questions, pairs))
        published = set(entries(lists_of(folder, name, form), pairs))
        assert len(published) == len(ours) == 2 * questions.per_pair * len(pairs)
        assert set(ours) == published


def test_the_newsqa_prefix_is_the_published_one(folder: Path) -> None:
    pack = read_published(folder, "en", prefix="newsqa", as_published=True)
    for questions in (s for s in pack.sets if s.form == "question"):
        published = set(entries(lists_of(folder, questions.name, "question", "newsqa"), range(3)))
        assert set(both_orders(questions, range(3))) == published


def test_oddities_are_kept_or_mended(folder: Path, exact: Pack) -> None:
    mended = read_published(folder, "en", masked_for="roberta")
    assert {(s.name, s.form): s.rows for s in mended.sets} == SIZES

    ethnic = contexts(exact, "ethnicity")
    assert any("an European man" in t for t in ethnic)
    assert not any("an European" in t for t in contexts(mended, "ethnicity"))
    assert any("an Asian man" in t for t in contexts(mended, "ethnicity"))
    published, right = contexts(exact, "country"), contexts(mended, "country")
    for wrong, better in (("Spainish", "Spanish"), ("a Yemen ", "a Yemeni ")):
        assert any(wrong in t for t in published)
        assert not any(wrong in t for t in right)
        assert any(better in t for t in right)
    assert any("were illegal" in t for t in said(exact, "religion", "statement"))
    assert sum("{{MASK}} men" in t for t in said(mended, "religion", "statement")) == 2 * 50
    assert sum("{{MASK}} men" in t for t in said(exact, "religion", "statement")) == 50


def test_no_demonym_stands_alone_in_a_mended_statement(folder: Path) -> None:
    """The published contexts end with *a Danish.*, and *The Danish* did something."""
    mended = read_published(folder, "en", masked_for="roberta")
    (country,) = [s for s in mended.sets if (s.name, s.form) == ("country", "statement")]
    a, b, *_ = country.subjects[0]
    demonyms = [text for s in (a, b) for form, text in s.forms.items() if form]
    assert demonyms == ["Afghan", "American"]
    contexts = {t.id: render_context(country, t, a, b).text for t in country.templates}
    named = [t for t in country.templates if "Afghanistan" not in contexts[t.id]]
    assert len(named) == 3
    for template in named:
        context = contexts[template.id].lower()
        assert "an afghan person" in context
        assert "an american person" in context
        assert all(text.text.startswith("The {{MASK}} person ") for text in template.by_attribute)


def contexts(pack: Pack, name: str) -> set[str]:
    (s,) = [s for s in pack.sets if (s.name, s.form) == (name, "question")]
    pairs = combinations(s.subjects[0], 2)
    return {render_context(s, t, a, b).text for a, b in pairs for t in s.templates}


def said(pack: Pack, name: str, form: str) -> list[str]:
    (s,) = [s for s in pack.sets if (s.name, s.form) == (name, form)]
    return [text for t in s.templates for a in t.by_attribute for text in (a.text, a.negated)]


def test_every_correction_is_of_something_published(folder: Path) -> None:
    text = "\n".join(p.read_text() for p in sorted(folder.rglob("*")) if p.is_file())
    for head, published, mended in corrections():
        assert published in text, published
        assert published != mended
        assert any(line.startswith(head) and published in line for line in text.split("\n"))


def test_no_two_entries_have_one_id(exact: Pack) -> None:
    for questions in exact.sets:
        if questions.rows < 300_000:
            ids = quad_table(questions, full_cells(questions, range(questions.n_pairs)))["id"]
            assert len(ids.unique()) == questions.rows


def test_the_lists_were_not_changed_by_reading(folder: Path) -> None:
    before = {p: hashlib.sha256(p.read_bytes()).digest() for p in folder.rglob("*") if p.is_file()}
    read_published(folder, "en")
    assert {p: hashlib.sha256(p.read_bytes()).digest() for p in before} == before
