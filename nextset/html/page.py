"""The rendering of HTML reports from templates, with nextset's style sheet."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nextset.html.content_warning import CONTENT_WARNING
from nextset.html.svg import dark_style

__all__ = ["page"]

_HEADING = re.compile(r'<h2 id="([\w-]+)">(.*?)</h2>')


def page(
    template: Path,
    per_cent: Callable[[float | None], str],
    *,
    bases: Sequence[Path] = (),
    styles: Sequence[Path] = (),
    scripts: Sequence[Path] = (),
    filters: Mapping[str, Callable[..., str]] | None = None,
    warning: str = CONTENT_WARNING,
    **values: Any,
) -> str:
    """Return ``template`` rendered with ``values``, the style sheet, content ``warning`` and contents list.

    The list links to the headings ``<h2 id=…>`` and is inserted before ``<main>``. The same values
    give the same bytes; every text is escaped. Templates may use the filters ``per_cent`` and ``count``,
    and those in ``filters``.

    ``template`` may extend and include templates in its own folder and in ``bases``.
    ``styles`` are added to the style sheet. ``scripts`` become one script inside a function, as the value
    ``script``. The value ``policy`` is a content security policy that allows only this style sheet and this
    script, by their hashes, and images made by the script. For the policy to work, the template must write
    ``<style>{{ style }}</style>`` and ``<script>{{ script }}</script>`` without a space.
    """
    import jinja2
    import markupsafe

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([template.parent, *bases]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["per_cent"] = per_cent
    environment.filters["count"] = lambda n: f"{n:,}"
    environment.filters.update(filters or {})
    style = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
    style = "".join([style, dark_style(), *(path.read_text(encoding="utf-8") for path in styles)])
    script = _script(scripts)
    html = environment.get_template(template.name).render(
        warning=warning,
        style=markupsafe.Markup(style),
        script=markupsafe.Markup(script),
        policy=_policy(style, script),
        **values,
    )
    return html.replace("<main>\n", f"{_contents(html)}<main>\n", 1)


def _script(scripts: Sequence[Path]) -> str:
    """Return the files as one script inside a function, in strict mode; empty without files."""
    texts = [path.read_text(encoding="utf-8") for path in scripts]
    return "".join(['(() => {\n"use strict";\n', *texts, "})();\n"]) if texts else ""


def _policy(style: str, script: str) -> str:
    """Return the content security policy of a page with this style sheet and this script."""
    allowed = f"script-src '{_hash(script)}'; img-src blob:; " if script else ""
    return f"default-src 'none'; {allowed}style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _contents(html: str) -> str:
    """Return the links to the headings as markup; texts are escaped, so every tag is the template's."""
    links = [f'<li><a href="#{name}">{text}</a></li>' for name, text in _HEADING.findall(html)]
    return "\n".join(['<nav aria-label="Contents">', "<ul>", *links, "</ul>", "</nav>", ""])
