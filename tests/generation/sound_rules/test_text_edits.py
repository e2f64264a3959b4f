"""Articles follow the word behind them; spans follow the edits before them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.sound_rules.text_edits import (
    apply_rules,
    apply_rules_to_spans,
    articles_by_letter,
    articles_by_sound,
)


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
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for rule in (articles_by_letter, articles_by_sound):
        new, ((a, b),) = apply_rules_to_spans(text, [(start, end)], [rule])
        assert new[a:b] == text[start:end]
        assert apply_rules(text[:start], [rule]).split() == new[:a].split() or start > 0
