"""The lint rule on typographic quotes, which YAML reads as part of a value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nextset.errors import InputError
from nextset.files.yaml_reader import Location, read_yaml
from nextset.lint_rules import Finding, LintRule

__all__ = ["TYPOGRAPHIC_QUOTES", "quoted_values"]

_TYPOGRAPHIC = frozenset("“”„‟‘’‚‛«»‹›")
_QUOTES = _TYPOGRAPHIC | frozenset("\"'")


def quoted_values(file: Path) -> Iterator[Finding]:
    """Find values of a YAML file that begin and end with quotes, at least one of them typographic.

    Quotes within a value are text, also if the value begins or ends with one of them.
    """
    located = read_yaml(file, InputError)
    for at, value in _texts(located.data, ()):
        if len(value) > 1 and value[0] in _QUOTES and value[-1] in _QUOTES and not _QUOTES & set(value[1:-1]):
            yield Finding(
                file,
                located.line(at),
                "typographic-quotes",
                f"the quotes are part of the value {value[:60]!r}: write \" or ' around it, or no quotes",
            )


def _texts(data: object, at: Location) -> Iterator[tuple[Location, str]]:
    """Yield every text, with its location."""
    if isinstance(data, str):
        if not _TYPOGRAPHIC.isdisjoint(data):
            yield at, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _texts(value, (*at, key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from _texts(value, (*at, i))


TYPOGRAPHIC_QUOTES: LintRule[Path] = LintRule(
    "typographic-quotes",
    quoted_values,
    "a value in “typographic” quotes, which become part of the text: YAML knows only `\"` and `'`",
)
