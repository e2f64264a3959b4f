"""The rendering of HTML reports from templates, with nextset's style sheet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nextset.html.content_warning import CONTENT_WARNING

__all__ = ["page"]


def page(template: Path, per_cent: Callable[[float | None], str], **values: Any) -> str:
    """Return ``template`` rendered with ``values``, the style sheet and the content warning.

    The same values give the same bytes; every text is escaped. Templates may use the filters ``per_cent`` and
    ``count``.
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
    return environment.get_template(template.name).render(
        warning=CONTENT_WARNING, style=markupsafe.Markup(style), **values
    )
