"""Conversion of guidelines from Markdown to HTML, for the gate page and for the button of the work page."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

__all__ = ["html_of", "instruction"]


def html_of(markdown: str, *, headed_cells: bool = False) -> str:
    """Return CommonMark with tables as HTML; raw HTML is escaped, and nothing is loaded: pictures stay text.

    With ``headed_cells``, each cell of a table except the first of a row begins with the heading of its
    column in ``<small>``, for a style that puts the cells below each other on narrow screens.
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = reader.parse(markdown)
    if headed_cells:
        _put_headings_into_cells(tokens)
    rendered: str = reader.renderer.render(tokens, reader.options, {})
    return rendered


def _put_headings_into_cells(tokens: Sequence[Token]) -> None:
    from markdown_it.token import Token

    headings: list[list[Token]] = []
    column = 0
    for token, inside in pairwise(tokens):
        if token.type == "table_open":
            headings = []
        elif token.type == "tr_open":
            column = 0
        elif token.type == "th_open":
            headings.append(list(inside.children or ()))
        elif token.type == "td_open":
            heading = headings[column] if 0 < column < len(headings) else []
            if heading:
                small = [Token("html_inline", "", 0, content=tag) for tag in ("<small>", "</small> ")]
                inside.children = [small[0], *heading, small[1], *(inside.children or ())]
            column += 1


# Label Studio removes styles and shows headings, paragraphs and lists without space or bullets.
_AIR = {"<h2>": "<br><h2>", "<blockquote>": "<br><blockquote>", "<table>": "<br><table>", "<li>": "<li>• "}


def instruction(guidelines: str) -> str:
    """Return ``guidelines``, in Markdown, as HTML that can be read without a style sheet."""
    html = html_of(guidelines)
    for tag, airy in _AIR.items():
        html = html.replace(tag, airy)
    return html
