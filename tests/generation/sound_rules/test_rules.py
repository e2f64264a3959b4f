"""Every sound rule: its examples, and what holds of all rules for any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.generation.sound_rules.text_edits import apply_rules, apply_rules_to_spans
from tests.generation.sound_rules.rule_examples import EXAMPLES, SOUND_RULES, pairs

ALL = [(name, *pair) for name in EXAMPLES for pair in pairs(name)]
NAMES = sorted(SOUND_RULES)
EACH = settings(max_examples=40)
"""So many texts for each rule."""


def test_every_rule_has_examples() -> None:
    assert EXAMPLES.keys() == SOUND_RULES.keys()


@pytest.mark.parametrize(("name", "before", "after"), ALL)
def test_examples(name: str, before: str, after: str) -> None:
    assert apply_rules(before, [SOUND_RULES[name]]) == after


def texts(name: str) -> st.SearchStrategy[str]:
    """Texts of the words of a rule's examples in any order, with other characters between them."""
    words = sorted({word for pair in pairs(name) for text in pair for word in text.split()})
    between = st.sampled_from([" ", " ", " ", " ", "", ", ", " «", " (", "’"])
    parts = st.lists(st.tuples(st.sampled_from(words), between), max_size=8)
    return parts.map(lambda drawn: "".join(word + gap for word, gap in drawn))


@pytest.mark.parametrize("name", NAMES)
@EACH
@given(data=st.data())
def test_a_rule_has_nothing_to_do_behind_itself(name: str, data: st.DataObject) -> None:
    rule = SOUND_RULES[name]
    spaced = data.draw(texts(name)).replace("’", " ")
    once = apply_rules(spaced, [rule])
    assert apply_rules(once, [rule]) == once


@pytest.mark.parametrize("name", NAMES)
@EACH
@given(data=st.data())
def test_edits_are_apart_and_change_no_more_than_the_two_words_at_the_border(
    name: str, data: st.DataObject
) -> None:
    text = data.draw(texts(name) | st.text())
    end = 0
    for edit in SOUND_RULES[name](text):
        assert end <= edit.start <= edit.end <= len(text)
        assert edit.start < edit.at <= max(edit.end, edit.at) or edit.at <= edit.start
        assert text[edit.start : edit.end] != edit.text
        assert len(text[edit.start : edit.end].split()) <= 2
        assert text[min(edit.at, edit.end) : edit.at].strip(' «„“"(¿¡\u00a0\u202f') == ""
        end = edit.end


@pytest.mark.parametrize("name", NAMES)
@EACH
@given(data=st.data())
def test_a_subject_loses_no_more_than_its_article(name: str, data: st.DataObject) -> None:
    words = [text for pair in pairs(name) for text in pair]
    before, subject, after = (data.draw(st.sampled_from(words)) for _ in range(3))
    gap = data.draw(st.sampled_from([" ", " ", ""]))
    text = f"{before}{gap}{subject} {after}"
    span = (len(before + gap), len(before + gap + subject))
    new, ((start, end),) = apply_rules_to_spans(text, [span], [SOUND_RULES[name]], borders=span)
    assert subject.endswith(new[start:end])
    swallowed = subject[: len(subject) - (end - start)]
    assert swallowed in {"", "le ", "les ", "el ", "dem ", "das ", "der ", "ال"} | {
        a if a.endswith("’") else f"{a} " for a in ("il", "lo", "la", "i", "gli", "le", "l’")
    }


@pytest.mark.parametrize("name", NAMES)
@EACH
@given(data=st.data())
def test_text_away_from_the_borders_stays(name: str, data: st.DataObject) -> None:
    text = data.draw(texts(name))
    assert apply_rules(text, [SOUND_RULES[name]], borders=()) == text
