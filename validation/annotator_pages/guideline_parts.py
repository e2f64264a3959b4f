"""Parts of the guidelines: without the quotations of warning and consent, or only some passages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Literal

from nextset.validation.judgment_choices import STANCES, VERDICTS

__all__ = ["Topic", "passage", "without_quotations"]

Topic = Literal["verdict", "stance", "underspecified", "grammatical", "free_of_hint"]
"""The topic of a comprehension item."""

_KEYS: dict[Topic, re.Pattern[str]] = {
    "verdict": re.compile(rf"\{{\{{key:(?:{'|'.join(VERDICTS)}|answer\.[a-z]+)\}}\}}"),
    "stance": re.compile(rf"\{{\{{key:(?:{'|'.join(STANCES)})\}}\}}"),
    "underspecified": re.compile(r"\{\{key:underspecified\.(?:yes|no)\}\}"),
    "grammatical": re.compile(r"\{\{key:grammatical\.(?:yes|no)\}\}"),
    "free_of_hint": re.compile(r"\{\{key:free_of_hint\.(?:yes|no)\}\}"),
}
_HEADING = re.compile(r"(#{1,6})\s")
_QUOTED = re.compile(r"\{\{(?:warning|consent)\}\}")


def without_quotations(guidelines: str) -> str:
    """Return ``guidelines``, Markdown with placeholders, without the quotations of warning and consent.

    If a section then has nothing else, its heading is removed too. Text outside quotations (``>``) stays.
    """
    kept: list[str] = []
    for section in _sections(guidelines):
        body = "".join(_without(section[1:]))
        if body.strip() or "".join(section[1:]) == body or section[0].startswith("# "):
            kept += [section[0], body]
    return "".join(kept)


def passage(guidelines: str, topics: Collection[Topic]) -> str:
    """Return the sections of ``guidelines`` with keys of ``topics``; all of them if there are none.

    Rows of tables with only keys of other topics are omitted.
    """
    lines = without_quotations(guidelines).splitlines(keepends=True)
    with_key = [i for i, line in enumerate(lines) if _has_key(line, topics)]
    others = [topic for topic in _KEYS if topic not in topics]
    wanted = sorted({n for i in with_key for n in _around(lines, i)})
    dropped = {n for n in wanted if lines[n].startswith("|") and _has_key(lines[n], others)}.difference(
        with_key
    )
    return "".join(lines[n] for n in wanted if n not in dropped) or "".join(lines)


def _has_key(line: str, topics: Iterable[Topic]) -> bool:
    return any(_KEYS[topic].search(line) for topic in topics)


def _sections(guidelines: str) -> list[list[str]]:
    """Return the lines of each section; the first line is its heading, except for text before any heading."""
    sections = [[""]]
    for line in guidelines.splitlines(keepends=True):
        if _HEADING.match(line):
            sections.append([])
        sections[-1].append(line)
    return sections


def _without(lines: list[str]) -> list[str]:
    quotation: list[str] = []
    kept: list[str] = []
    for line in [*lines, ""]:
        if line.startswith(">"):
            quotation.append(line)
        else:
            kept += quotation if not _QUOTED.search("".join(quotation)) else []
            kept, quotation = [*kept, line], []
    return kept


def _around(lines: list[str], at: int) -> range:
    """Return the lines of the section that contains line ``at``, including its subsections."""
    begin = next((i for i in range(at, -1, -1) if _HEADING.match(lines[i])), 0)
    own = _HEADING.match(lines[begin])
    level = len(own[1]) if own else 0
    for i in range(begin + 1, len(lines)):
        heading = _HEADING.match(lines[i])
        if heading and (not level or len(heading[1]) <= level):
            return range(begin, i)
    return range(begin, len(lines))
