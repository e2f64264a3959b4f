"""A hook of mkdocs: links to files outside docs/ become plain text, because the site has only docs/.

In notebooks, links to source files become links to their pages; mkdocs does this only for Markdown files.
Raises PluginError if a file does not exist.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mkdocs.exceptions import PluginError

DOCS = Path(__file__).parents[1] / "docs"
_CODE_OR_LINK = re.compile(
    r"(?ms:^ {0,3}(?P<fence>`{3,}|~{3,}).*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z))"
    r"|(?s:(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?<![!\\])\[(?P<text>(?:`[^`\n]*`|[^\]`])+)\]\((?P<link>\.\./[^)\s]+)\)"
)
_SOURCE = re.compile(r'(?<=<a href=")(?P<link>[^"#:]+\.(?:md|ipynb))(?P<anchor>#[^"]*)?(?=")')


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the page's Markdown without links that leave docs/; code stays as it is."""
    folder = (DOCS / page.file.src_uri).parent

    def plain(found: re.Match[str]) -> str:
        if found["link"] is None:
            return found[0]
        target = Path(os.path.normpath(folder / unquote(found["link"].partition("#")[0])))
        if target.is_relative_to(DOCS):
            return found[0]
        if not target.is_relative_to(DOCS.parent) or not target.exists():
            raise PluginError(f"docs/{page.file.src_uri}: the link {found['link']} leads to no file")
        path = target.relative_to(DOCS.parent).as_posix()
        return found["text"] if path in found["text"] else f"{found['text']} (`{path}`)"

    return _CODE_OR_LINK.sub(plain, markdown)


def on_page_content(html: str, page: Any, files: Any, **_: Any) -> str:
    """Return the HTML of a notebook with links to pages instead of links to their source files."""
    source = page.file.src_uri
    if not source.endswith(".ipynb"):
        return html

    def address(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), unquote(found["link"])))
        file = files.get_file_from_path(path)
        if file is None:
            raise PluginError(f"docs/{source}: the link {found['link']} leads to no page")
        return str(file.url_relative_to(page.file)) + (found["anchor"] or "")

    return _SOURCE.sub(address, html)
