"""The guidelines once more, behind the work page's button."""

from __future__ import annotations

from nextset.validation.page.markdown import html_of

__all__ = ["instruction"]

# Label Studio takes styles out and shows headings, paragraphs and lists without space or dots.
_AIR = {"<h2>": "<br><h2>", "<blockquote>": "<br><blockquote>", "<table>": "<br><table>", "<li>": "<li>• "}


def instruction(guidelines: str) -> str:
    """HTML of ``guidelines``, Markdown, that can be read without a style sheet."""
    html = html_of(guidelines)
    for tag, airy in _AIR.items():
        html = html.replace(tag, airy)
    return html
