"""The dialogue of `nextset probe`: texts are typed line by line, or come from a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from nextset.errors import InputError

__all__ = ["Entry", "entries", "is_question", "subjects_of"]


@dataclass(frozen=True, slots=True)
class Entry:
    """The texts of one pair, one quad, or one text with masks."""

    text: str
    """The premise of a pair, the context of a quad, or a text with {{MASK}}."""
    asked: str
    """The hypothesis, the question, or the masked statement; empty for a text with {{MASK}}."""
    subjects: str = ""
    """The two subjects with a comma between them; empty if the texts have no placeholders."""
    negated: str | None = None
    """The question or statement with the negated attribute; None for a pair."""


def entries() -> Iterator[Entry]:
    """Yield the entries typed on stdin until it ends; empty lines between two entries are skipped.

    A first line with {{MASK}} is an entry by itself. Else the first line is a premise or a context, and the
    second is a hypothesis, question or masked statement about it. If either has {subject1} or {subject2}, the
    next line names the two subjects; if the first has both and a question or a masked statement follows, one
    more line is its negation. Raises InputError for an unfinished entry and for bytes that are not text.
    """
    while text := _first_line():
        if "{{MASK}}" in text:
            yield Entry(text, "")
            continue
        asked = _line("hypothesis, question or masked statement: ")
        if not any(f"{{subject{i}}}" in text + asked for i in (1, 2)):
            yield Entry(text, asked)
            continue
        subjects = _line("the two subjects, with a comma between them: ")
        if all(f"{{subject{i}}}" in text for i in (1, 2)) and (is_question(asked) or "{{MASK}}" in asked):
            yield Entry(text, asked, subjects, _line("the same with the negated attribute: "))
        else:
            yield Entry(text, asked, subjects)


def subjects_of(typed: str) -> list[str]:
    """Return the two subjects in ``typed``; raises InputError if there is not one comma."""
    subjects = [subject.strip() for subject in typed.split(",")]
    if len(subjects) != 2:
        raise InputError(
            f"{typed!r} does not name two subjects",
            remedy="write two names with a comma between them: Maria,Thomas",
        )
    return subjects


def is_question(asked: str) -> bool:
    """Return whether the text ends with a question mark, in any script."""
    return asked.rstrip().endswith(("?", "？", "؟"))


def _first_line() -> str:
    """Return the next line that is not empty; empty at the end of the input."""
    while (line := _read("premise, or a context with {subject1} and {subject2}: ")) is not None:
        if line.strip():
            return line.strip()
    return ""


def _line(prompt: str) -> str:
    line = _read(prompt)
    if line is None:
        raise InputError(
            "the input ends in the middle of an entry",
            remedy="type all lines of the entry; docs/how_to/probe.md lists them",
        )
    return line.strip()


def _read(prompt: str) -> str | None:
    """Return a line; None at the end. The prompt is shown on a terminal only."""
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            import readline  # noqa: F401  # lets input() edit the line

            return input(prompt)
        line = sys.stdin.readline()
    except EOFError:
        return None
    except UnicodeDecodeError:
        raise InputError("the input is not UTF-8 text", remedy="save it as UTF-8 and run again") from None
    return line or None
