"""The rendering of HTML reports from templates, with nextset's style sheet."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nextset.html.content_warning import CONTENT_WARNING
from nextset.html.svg import dark_style

__all__ = ["page"]

_HEADING = re.compile(r'<h2 id="([\w-]+)">(.*?)</h2>')


def page(template: Path, per_cent: Callable[[float | None], str], **values: Any) -> str:
    """Return ``template`` rendered with ``values``, the style sheet, the content warning and a contents list.

    The list links to the headings ``<h2 id=…>`` and is put before ``<main>``. The same values
    give the same bytes; every text is escaped. Templates may use the filters ``per_cent`` and ``count``.
    """
    import jinja2
    import markupsafe

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template.parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["per_cent"] = per_cent
    environment.filters["count"] = lambda n: f"{n:,}"
    style = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
    html = environment.get_template(template.name).render(
        warning=CONTENT_WARNING, style=markupsafe.Markup(style + dark_style()), **values
    )
    return html.replace("<main>\n", f"{_contents(html)}<main>\n", 1)


def _contents(html: str) -> str:
    """Return the links to the headings as markup; texts are escaped, so every tag is the template's."""
    links = [f'<li><a href="#{name}">{text}</a></li>' for name, text in _HEADING.findall(html)]
    return "\n".join(['<nav aria-label="Contents">', "<ul>", *links, "</ul>", "</nav>", ""])
