"""Sound rules at word boundaries: edits to a rendered text, and the spans that they move."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nextset.generation.sound_rules.english_articles import begins_with_vowel_sound

__all__ = [
    "RULES",
    "Edit",
    "SoundRule",
    "apply_rules",
    "apply_rules_to_spans",
    "articles_by_letter",
    "articles_by_sound",
]


@dataclass(frozen=True)
class Edit:
    """The characters from ``start`` to ``end`` become ``text``."""

    start: int
    end: int
    text: str


SoundRule = Callable[[str], Sequence[Edit]]
"""From a text to the edits that it needs, left to right."""

_ARTICLE = re.compile(r"(?<![^\s(\"“])([Aa])n? (?=[\"“(]?(\w[\w-]*))")
_BARE_ARTICLE = re.compile(r"(?<![^ ])([Aa]) (?=[aeiouAEIOU])")


def articles_by_sound(text: str) -> list[Edit]:
    """Return edits to English *a* before a consonant sound and *an* before a vowel sound."""
    edits = []
    for match in _ARTICLE.finditer(text):
        article = match[1] + ("n" if begins_with_vowel_sound(match[2]) else "")
        if article != match[0][:-1]:
            edits.append(Edit(match.start(), match.end() - 1, article))
    return edits


def articles_by_letter(text: str) -> list[Edit]:
    """Return edits by UnQover's rule: *a* becomes *an* before a vowel letter, *an* never becomes *a*."""
    return [Edit(m.start(), m.start() + 1, m[1] + "n") for m in _BARE_ARTICLE.finditer(text)]


RULES: dict[str, SoundRule] = {"a-an": articles_by_sound}
"""The rules that a pack can name."""


def apply_rules(text: str, rules: Sequence[SoundRule]) -> str:
    """Return ``text`` after all ``rules``, applied in their order."""
    return apply_rules_to_spans(text, (), rules)[0]


def apply_rules_to_spans(
    text: str, spans: Sequence[tuple[int, int]], rules: Sequence[SoundRule]
) -> tuple[str, list[tuple[int, int]]]:
    """Return ``text`` after ``rules``, and the new positions of its ``spans`` (start, end).

    An edit inside a span is skipped: a subject's name is never changed.
    """
    moved = list(spans)
    for rule in rules:
        for edit in reversed(rule(text)):
            if any(start < edit.end and edit.start < end for start, end in moved):
                continue
            text = text[: edit.start] + edit.text + text[edit.end :]
            shift = len(edit.text) - (edit.end - edit.start)
            moved = [(s + shift, e + shift) if s >= edit.end else (s, e) for s, e in moved]
    return text, moved
