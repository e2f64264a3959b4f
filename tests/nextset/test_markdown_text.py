"""Text of other people on a card: nothing in it becomes markup."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from nextset.markdown_text import plain_markdown

HOSTILE = [
    "<img src=x onerror=alert(1)> [a](javascript:1).hdf5",
    "![a](http://b.example/c.png)",
    "~~gone~~ **bold** _it_ `code`",
    "&lt;b&gt; &#60;",
    "- a list", "1. a list", "2) a list", "+ a list", "=== ", "--- ", "# head", "> quoted",
    "$x$ and $$y$$",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_a_reader_of_markdown_shows_it_as_it_is(text: str) -> None:
    _is_plain(text)


@given(st.text(st.sampled_from("a1 -+=.)#<>&~*_[]()!`|:;/\\\n\t$@w"), max_size=30))
def test_any_text(text: str) -> None:
    _is_plain(text)


def test_addresses_do_not_become_links() -> None:
    shown = plain_markdown("https://a.example www.b.example c@d.example")
    assert shown == r"https\://a.example www\.b.example c\@d.example"
    assert plain_markdown("a: b\x07\u202e") == r"a: b\\x07\\u202e"


def _is_plain(text: str) -> None:
    """All that comes out is one paragraph with one text, the words of ``text``."""
    words = " ".join(text.split())
    html = MarkdownIt("commonmark").enable("strikethrough").render(plain_markdown(text))
    escapes = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&"}
    plain = re.sub("|".join(escapes), lambda found: escapes[found[0]], html)
    assert plain == (f"<p>{words}</p>\n" if words else "")
