"""Guidelines in Markdown become HTML for the gate page; HTML in them is shown as text."""

from __future__ import annotations

__all__ = ["html_of"]


def html_of(markdown: str) -> str:
    """CommonMark with tables as HTML; raw HTML is escaped, and nothing is loaded: pictures stay text."""
    from markdown_it import MarkdownIt

    rendered: str = (
        MarkdownIt("commonmark", {"html": False}).enable("table").disable("image").render(markdown)
    )
    return rendered
