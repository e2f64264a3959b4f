"""A hook of mkdocs: links to files outside docs/ become plain text, because the site has only docs/.

Raises PluginError if such a file does not exist.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

DOCS = Path(__file__).parents[1] / "docs"
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((\.\./[^)\s]+)\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the page's Markdown without links that leave docs/."""
    folder = (DOCS / page.file.src_uri).parent

    def plain(found: re.Match[str]) -> str:
        target = Path(os.path.normpath(folder / found[2].partition("#")[0]))
        if target.is_relative_to(DOCS):
            return found[0]
        if not target.exists():
            raise PluginError(f"docs/{page.file.src_uri}: the link {found[2]} leads to no file")
        path = target.relative_to(DOCS.parent).as_posix()
        return found[1] if path in found[1] else f"{found[1]} (`{path}`)"

    return _LINK.sub(plain, markdown)
