"""The closed grammar of template texts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.templates.placeholders import (
    PlaceholderError,
    check,
    names,
    plain_masks,
    render,
    written_masks,
)

NAMES = st.from_regex(r"[A-Z][A-Z0-9_]{0,8}", fullmatch=True)
PLAIN = st.text(st.characters(exclude_characters="{}"), max_size=20)


@given(st.lists(st.tuples(PLAIN, NAMES), max_size=5), PLAIN, PLAIN)
def test_each_name_is_replaced_and_nothing_else(parts: list[tuple[str, str]], tail: str, value: str) -> None:
    text = "".join(f"{plain}{{{{{name}}}}}" for plain, name in parts) + tail
    check(text)
    assert names(text) == {name for _, name in parts}
    expected = "".join(f"{plain}{value}" for plain, _ in parts) + tail
    assert render(text, dict.fromkeys(names(text), value), capitalise=False) == expected


@given(st.text("{}AB1_% ", max_size=12))
def test_a_text_is_in_the_grammar_or_refused(text: str) -> None:
    bare = re.sub(r"\{\{[A-Z][A-Z0-9_]*\}\}", "", text)
    if "{" in bare or "}" in bare:
        with pytest.raises(PlaceholderError, match="brace"):
            check(text)
    else:
        check(text)


@pytest.mark.parametrize(
    "text",
    [
        "{{ GROUP1 }}",
        "{{group1}}",
        "{GROUP1}",
        "{% for x in y %}",
        "{{GROUP1|upper}}",
        "{{x.__class__}}",
        "}}{{",
    ],
)
def test_what_a_template_engine_would_run_is_refused(text: str) -> None:
    with pytest.raises(PlaceholderError):
        check(text)


def test_a_value_is_never_read_as_a_template() -> None:
    assert render("{{A}}", {"A": "{{B}}", "B": "x"}, capitalise=False) == "{{B}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{G}} nap.", "Cats nap."),
        ("All {{G}} nap.", "All cats nap."),
        ("They nap. {{G}} too.", "They nap. Cats too."),
        ("“{{G}} nap.”", "“Cats nap.”"),
        ("In the U.S. {{G}} nap.", "In the U.S. cats nap."),
    ],
)
def test_a_value_that_begins_a_sentence_gets_a_capital(text: str, expected: str) -> None:
    assert render(text, {"G": "cats"}, capitalise=True) == expected


@given(st.lists(st.tuples(PLAIN, st.text("adj.|verbnoti ", max_size=8)), max_size=4), PLAIN)
def test_masks_are_read_as_they_are_written(parts: list[tuple[str, str]], tail: str) -> None:
    plain = "".join(text + "{{MASK}}" for text, _ in parts) + tail
    written = written_masks(plain, [constraint for _, constraint in parts])
    assert plain_masks(written) == (plain, tuple(constraint or None for _, constraint in parts))
