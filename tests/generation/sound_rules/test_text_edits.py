"""Articles follow the word behind them; spans follow the edits before them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.sound_rules.english_articles import articles_by_letter, articles_by_sound
from nextset.generation.sound_rules.text_edits import Edit, apply_rules, apply_rules_to_spans


@pytest.mark.parametrize(
    ("text", "by_sound", "by_letter"),
    [
        ("A Arab met a Asian.", "An Arab met an Asian.", "An Arab met an Asian."),
        ("a European", "a European", "an European"),
        ("an European", "a European", "an European"),
        ("a honest man", "an honest man", "a honest man"),
        ("an dog", "a dog", "an dog"),
        ("a {{MASK}} was a idler", "a {{MASK}} was an idler", "a {{MASK}} was an idler"),
        ("vitamin a\tis", "vitamin a\tis", "vitamin a\tis"),
        ("banana idea", "banana idea", "banana idea"),
    ],
)
def test_two_ways_to_choose_the_article(text: str, by_sound: str, by_letter: str) -> None:
    assert apply_rules(text, [articles_by_sound]) == by_sound
    assert apply_rules(text, [articles_by_letter]) == by_letter


WORDS = st.lists(st.sampled_from(["a", "an", "A", "apple", "dog", "Euro", "x,", "a.", "hour"]), max_size=12)


def by_tokens(text: str) -> str:
    """The published rule, as its authors' program does it: token by token, blanks between them."""
    tokens = text.split(" ")
    for i in range(1, len(tokens)):
        if tokens[i][:1].lower() in tuple("aeiou") and tokens[i - 1] in ("a", "A"):
            tokens[i - 1] += "n"
    return " ".join(tokens)


@given(WORDS)
def test_the_rule_by_letter_is_the_published_one(words: list[str]) -> None:
    # A token that was changed begins with the same letter, so the order of the changes does not matter.
    assert apply_rules(" ".join(words), [articles_by_letter]) == by_tokens(" ".join(words))


@given(WORDS, st.data())
def test_spans_keep_their_text(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    start = data.draw(st.sampled_from([0, *(i + 1 for i, c in enumerate(text) if c == " ")]))
    end = data.draw(st.integers(start, len(text)))
    for rule in (articles_by_letter, articles_by_sound):
        new, ((a, b),) = apply_rules_to_spans(text, [(start, end)], [rule])
        assert new[a:b] == text[start:end]
        assert apply_rules(text[:start], [rule]).split() == new[:a].split() or start > 0


def contraction(text: str) -> list[Edit]:
    """French *de le*: the article behind the preposition is swallowed."""
    return [Edit(m.start(), m.end(), "du ", m.start() + 3) for m in re.finditer(r"\bde le ", text)]


def particle(text: str) -> list[Edit]:
    """A rule that looks back: the particle after a vowel."""
    return [Edit(m.end() - 2, m.end(), "n", m.end() - 2) for m in re.finditer(r"[aeiou]un", text)]


def test_a_swallowed_article_leaves_the_span() -> None:
    text = "Il vient de le Maroc."
    # the slot is "le Maroc", characters 12 to 20
    assert apply_rules_to_spans(text, [(12, 20)], [contraction], [12, 20]) == (
        "Il vient du Maroc.",
        [(12, 17)],
    )


def test_fixed_text_is_left_as_it_is_written() -> None:
    text = "Il vient de le voir de le Maroc."
    assert apply_rules(text, [contraction], [23, 31]) == "Il vient de le voir du Maroc."
    assert apply_rules(text, [contraction]) == "Il vient du voir du Maroc."
    assert apply_rules("xaun yaun", [particle], [7]) == "xaun yan"


def long_article(text: str) -> list[Edit]:
    return [Edit(m.start(), m.end(), "dou", m.end() + 1) for m in re.finditer(r"\bdu(?= )", text)]


def test_borders_move_with_the_edits_before_them() -> None:
    text = "de le Maroc et de le Mali"
    new, spans = apply_rules_to_spans(text, [(3, 11), (18, 25)], [contraction, long_article], [3, 11, 18, 25])
    assert [new[a:b] for a, b in spans] == ["Maroc", "Mali"]
    assert new == "dou Maroc et dou Mali"


def test_an_edit_inside_a_span_is_skipped() -> None:
    assert apply_rules_to_spans("le Val de le Roi", [(0, 16)], [contraction], [0, 16]) == (
        "le Val de le Roi",
        [(0, 16)],
    )
