"""Guidelines: from Markdown to HTML, for the gate page and for the button of the work page."""

from __future__ import annotations

__all__ = ["html_of", "instruction"]


def html_of(markdown: str) -> str:
    """CommonMark with tables as HTML; raw HTML is escaped, and nothing is loaded: pictures stay text."""
    from markdown_it import MarkdownIt

    rendered: str = (
        MarkdownIt("commonmark", {"html": False}).enable("table").disable("image").render(markdown)
    )
    return rendered


# Label Studio takes styles out and shows headings, paragraphs and lists without space or dots.
_AIR = {"<h2>": "<br><h2>", "<blockquote>": "<br><blockquote>", "<table>": "<br><table>", "<li>": "<li>• "}


def instruction(guidelines: str) -> str:
    """HTML of ``guidelines``, Markdown, that can be read without a style sheet."""
    html = html_of(guidelines)
    for tag, airy in _AIR.items():
        html = html.replace(tag, airy)
    return html
