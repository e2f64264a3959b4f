"""HTML of results for notebooks: tables that are legible on light and dark pages, without scripts."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nextset.html.content_warning import CONTENT_WARNING
from nextset.html.svg import drawable
from nextset.html.text_direction import text_direction

__all__ = ["TableHead", "notebook_block", "notebook_line", "notebook_table", "notebook_warning"]

_TEXTS = frozenset(
    (
        "answer", "asked", "attribute", "bindings", "context", "context_12", "context_21", "detail", "filled",
        "fills", "hypothesis", "message", "part", "passage", "plain", "premise", "prompt", "question",
        "question_negated", "sentence", "statement", "statement_negated", "stereotype", "template", "text",
        "texts",
    )
)  # fmt: skip
"""Columns whose texts may state stereotypes."""
# Notebooks set colours and padding. The only colour here is one that stands out on white and on black.
_CELL = "text-align: start; vertical-align: top"
_NUMBER = "text-align: right; vertical-align: top"
_WARNING = "border-left: 4px solid #c77700; padding: .1em .8em; margin: .6em 0; max-width: 46em"
_CHARACTERS = 2_000
"""The most characters of a cell."""


@dataclass(frozen=True, repr=False)
class TableHead:
    """The first rows of a table, as a notebook shows them."""

    table: str
    """The table's name."""
    total: int
    """The number of rows of the whole table."""
    columns: tuple[str, ...]
    """The columns shown, in their order."""
    rows: tuple[Mapping[str, Any], ...]
    """The first rows, by column."""

    def __repr__(self) -> str:
        return f"<{self.table}: {len(self.rows):,} of {self.total:,} rows>"

    def _repr_html_(self) -> str:
        """Return the rows as HTML, after the content warning if there are texts."""
        return notebook_block(
            notebook_line(f"{self.table}: {len(self.rows):,} of {self.total:,} rows"),
            notebook_warning() if _TEXTS.intersection(self.columns) else "",
            notebook_table(
                self.columns,
                ([row[column] for column in self.columns] for row in self.rows),
                languages=[row.get("language") for row in self.rows],
            ),
        )


def notebook_block(*parts: str) -> str:
    """Return HTML ``parts`` as one output, in which notebooks read no mathematics between dollar signs."""
    return f'<div class="tex2jax_ignore mathjax_ignore">{"".join(parts)}</div>'


def notebook_line(text: str, *, title: str = "", code: str = "") -> str:
    """Return a paragraph: ``title`` in bold, ``text``, and ``code``; all three are escaped."""
    bold = f'<strong dir="auto">{_escaped(title)}</strong> ' if title else ""
    typed = f' <code dir="auto">{_escaped(code)}</code>' if code else ""
    return f'<p style="margin: .4em 0">{bold}{_escaped(text)}{typed}</p>'


def notebook_warning(text: str = CONTENT_WARNING) -> str:
    """Return the content warning."""
    return f'<p style="{_WARNING}">{_escaped(text)}</p>'


def notebook_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, languages: Sequence[str | None] = ()
) -> str:
    """Return a table; every cell is escaped. ``languages`` are the BCP 47 tags of the rows' texts.

    Numbers are on the right of their cells, a missing value is a dash.
    """
    shown = [list(row) for row in rows]
    tags = [tag if isinstance(tag, str) else None for tag in languages]
    tags += [None] * (len(shown) - len(tags))
    numbers = [_is_numeric([row[i] for row in shown]) for i in range(len(columns))]
    head = "".join(
        f'<th style="{_NUMBER if number else _CELL}">{_escaped(column)}</th>'
        for column, number in zip(columns, numbers, strict=True)
    )
    body = "".join(_row(row, numbers, tag or "") for row, tag in zip(shown, tags, strict=True))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div style="overflow-x: auto">{table}</div>'


def _row(values: Sequence[object], numbers: Sequence[bool], language: str) -> str:
    lang = f' lang="{_escaped(language)}"' if language else ""
    direction = text_direction(language)
    cells = [
        f'<td style="{_NUMBER}">{_escaped(_cell(value))}</td>'
        if number
        else f'<td style="{_CELL}" dir="{direction}">{_escaped(_cell(value))}</td>'
        for value, number in zip(values, numbers, strict=True)
    ]
    return f"<tr{lang}>{''.join(cells)}</tr>"


def _is_numeric(values: Sequence[object]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in known)


def _cell(value: object) -> str:
    text = _text(value)
    return text if len(text) <= _CHARACTERS else f"{text[: _CHARACTERS - 1]}…"


def _text(value: object) -> str:
    """Return ``value`` as a reader expects it: 1,234; 0.1235; a dash; the elements of a collection."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(
            f"{key}: {_text(element)}" for key, element in value.items() if not _is_empty(element)
        )
    if isinstance(value, list | tuple):
        return ("; " if any(isinstance(element, Mapping) for element in value) else ", ").join(
            map(_text, value)
        )
    return str(value)


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | list | tuple) and not value)


def _escaped(text: str) -> str:
    return html.escape(drawable(text))
