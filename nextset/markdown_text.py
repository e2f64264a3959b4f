"""Text of other people in a Markdown page, such as a model card: it is shown as it is, and makes nothing."""

from __future__ import annotations

import re

from nextset.printable_text import printable_line

__all__ = ["plain_markdown"]

_READ = re.compile(r"[\\|*_`\[\]<>#~&$@]|:(?=\S)|(?<=www)\.", re.IGNORECASE)
"""What Markdown, HTML in it, or GitHub's links of bare addresses (a colon, www., @) would read."""
_NUMBERED = re.compile(r"\d+[.)]", re.ASCII)


def plain_markdown(text: str) -> str:
    """Return ``text`` on one line, with a backslash before all that Markdown or HTML would read."""
    line = _READ.sub(lambda found: f"\\{found[0]}", printable_line(" ".join(text.split())))
    if line[:1] in ("-", "+", "="):
        return f"\\{line}"
    number = _NUMBERED.match(line)
    return f"{line[: number.end() - 1]}\\{line[number.end() - 1 :]}" if number else line
