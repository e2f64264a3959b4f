"""Foreign text in a Markdown page, such as a model card, is shown as it is and never acts as markup."""

from __future__ import annotations

import re

from nextset.printable_text import printable_line

__all__ = ["plain_markdown"]

_READ = re.compile(r"[\\|*_`\[\]<>#~&$@]|:(?=\S)|(?<=www)\.", re.IGNORECASE)
"""Characters with a meaning in Markdown, HTML, or GitHub's links of bare addresses (a colon, www., @)."""
_NUMBERED = re.compile(r"\d+[.)]", re.ASCII)


def plain_markdown(text: str) -> str:
    """Return ``text`` on one line, with a backslash before every character that `_READ` matches."""
    line = _READ.sub(lambda found: f"\\{found[0]}", printable_line(" ".join(text.split())))
    if line[:1] in ("-", "+", "="):
        return f"\\{line}"
    number = _NUMBERED.match(line)
    return f"{line[: number.end() - 1]}\\{line[number.end() - 1 :]}" if number else line
