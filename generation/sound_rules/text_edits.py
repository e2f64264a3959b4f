"""The edits of sound rules at the borders of slots in a rendered text, and the spans that they move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Edit", "SoundRule", "apply_rules", "apply_rules_to_spans"]


@dataclass(frozen=True)
class Edit:
    """A replacement of the characters from ``start`` to ``end`` by ``text``."""

    start: int
    """The first character that changes."""
    end: int
    """The character after the last one that changes."""
    text: str
    """The replacement."""
    at: int
    """The border of the two words that cause the edit: the first character of the second word, or, for a rule
    that looks back, the character after the last one of the first word."""


SoundRule = Callable[[str], Sequence[Edit]]
"""A function that returns the edits that a text needs, from left to right."""

Range = tuple[int, int]
"""The first character, and the character after the last one."""


def apply_rules(text: str, rules: Sequence[SoundRule], borders: Iterable[int] | None = None) -> str:
    """Return ``text`` with all ``rules`` applied in their order; see `apply_rules_to_spans`."""
    return apply_rules_to_spans(text, (), rules, borders)[0]


def apply_rules_to_spans(
    text: str, spans: Sequence[Range], rules: Sequence[SoundRule], borders: Iterable[int] | None = None
) -> tuple[str, list[Range]]:
    """Return ``text`` after ``rules``, and the new positions of its ``spans`` (start, end).

    ``borders`` are the places in ``text`` where a slot begins or ends. With them, rules act only there: fixed
    text is right as it is written. If an edit swallows a word at the edge of a span (*de* and *le Maroc*
    become *du Maroc*), the word is no longer in the span. An edit inside a span is skipped: a subject's name
    is never changed.
    """
    moved = list(spans)
    edges = None if borders is None else set(borders)
    for rule in rules:
        for edit in reversed(rule(text)):
            if edges is not None and not _at_border(edit, edges):
                continue
            after = [_moved(span, edit) for span in moved]
            if None in after:
                continue
            text = text[: edit.start] + edit.text + text[edit.end :]
            moved = [span for span in after if span is not None]
            if edges is not None:
                edges = {_moved_border(p, edit) for p in edges}
    return text, moved


def _at_border(edit: Edit, borders: set[int]) -> bool:
    """Return whether a slot's border is between the two words that ``edit`` is about."""
    if edit.at > edit.start:
        return any(edit.start < p <= edit.at for p in borders)
    return any(edit.at <= p <= edit.start for p in borders)


def _moved(span: Range, edit: Edit) -> Range | None:
    """Return the position of ``span`` after ``edit``; None if the edit is inside the span."""
    start, end = span
    shift = len(edit.text) - (edit.end - edit.start)
    if edit.end <= start:
        return start + shift, end + shift
    if edit.start >= end:
        return span
    if edit.end < end and (edit.start < start or (edit.start == start and not edit.text)):
        return edit.start + len(edit.text), end + shift
    return None


def _moved_border(border: int, edit: Edit) -> int:
    if border >= edit.end:
        return border + len(edit.text) - (edit.end - edit.start)
    return min(border, edit.start + len(edit.text))
