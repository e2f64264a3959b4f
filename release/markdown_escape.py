"""Escaping of foreign text in Markdown, so that it is never read as Markdown or HTML; also in templates."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["escaped", "markdown_environment", "readable"]

_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_LIST_START = re.compile(r"^(\d*)([-+=.)])(?=\s|[-+=]|$)")


def readable(text: str) -> str:
    """Return ``text`` without characters that change the direction of the text that follows."""
    return _DIRECTIONS.sub("", text)


def escaped(text: str) -> str:
    """Return ``text`` on one line, with a backslash before characters special to Markdown or HTML."""
    flat = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in readable(text))
    flat = _SPECIAL.sub(r"\\\1", " ".join(flat.split()))
    # At the start of a line, these characters would begin a list, a heading or a rule.
    return _LIST_START.sub(r"\1\\\2", flat)


def markdown_environment(folder: Path) -> Environment:
    """Return the environment of the Markdown templates in ``folder``: every text that they print is escaped.

    Values of `markupsafe.Markup` are printed as they are.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        """Escape a value that the template prints, unless it is marked as safe."""
        return value if isinstance(value, Markup) else Markup(escaped(str(value)))

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
