"""The grammar of template texts: ``{{NAME}}``, masks with their constraints, and no other braces."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nextset.generation.sound_rules.text_edits import SoundRule, apply_rules_to_spans
from nextset.letter_case import begins_sentence, capitalised

__all__ = [
    "GROUPS",
    "MASK",
    "Placed",
    "PlaceholderError",
    "check",
    "names",
    "place_words",
    "plain_masks",
    "render",
    "written_masks",
]

GROUPS = ("GROUP1", "GROUP2")
MASK = "MASK"
_NAME = re.compile(r"\{\{([A-Z][A-Z0-9_]*)\}\}")
_WRITTEN_MASK = re.compile(r"\{\{MASK(?::([^{}]*))?\}\}")


class PlaceholderError(ValueError):
    """A text breaks the grammar; the message says how and where."""


def check(text: str) -> None:
    """Raise PlaceholderError if a brace of ``text`` is not part of a ``{{NAME}}``."""
    rest = _NAME.sub(lambda m: " " * len(m[0]), text)
    at = min((rest.index(c) for c in "{}" if c in rest), default=-1)
    if at >= 0:
        raise PlaceholderError(f"brace outside {{{{NAME}}}} at {text[max(0, at - 5) : at + 20]!r}")


def names(*texts: str) -> set[str]:
    """Return the names of all placeholders in ``texts``."""
    return {name for text in texts for name in _NAME.findall(text)}


def plain_masks(text: str) -> tuple[str, tuple[str | None, ...]]:
    """Return ``text`` with plain masks, and the text after the colon of each mask; None without a colon."""
    return _WRITTEN_MASK.sub(f"{{{{{MASK}}}}}", text), tuple(m[1] for m in _WRITTEN_MASK.finditer(text))


def written_masks(text: str, constraints: Sequence[str]) -> str:
    """Return ``text`` with the constraints written at its masks as in a template file, one per mask."""
    parts = text.split(f"{{{{{MASK}}}}}")
    masks = [f"{{{{{MASK}:{written}}}}}" if written else f"{{{{{MASK}}}}}" for written in constraints]
    return "".join(part for pair in zip(parts, [*masks, ""], strict=True) for part in pair)


def render(
    text: str,
    values: Mapping[str, str],
    *,
    capitalise: bool,
    language: str = "",
    rules: Sequence[SoundRule] = (),
) -> str:
    """Return ``text`` with each placeholder in ``values`` replaced; others remain.

    With ``capitalise``, a value that begins a sentence of ``language`` gets a capital. The sound ``rules``
    act where a value meets other text.
    """
    rendered, at = "", 0
    spans: list[tuple[int, int]] = []
    for match in _NAME.finditer(text):
        value = values.get(match[1])
        if value is None:
            continue
        rendered += text[at : match.start()]
        if capitalise and value and begins_sentence(text, match.start(), language):
            value = capitalised(value, language)
        spans.append((len(rendered), len(rendered) + len(value)))
        rendered += value
        at = match.end()
    return _sounded(rendered + text[at:], spans, rules).text


@dataclass(frozen=True)
class Placed:
    """A text with words in place of its masks."""

    text: str
    spans: tuple[tuple[int, int], ...]
    """The position of each word in the text, in characters."""


def place_words(
    text: str,
    words: Sequence[str],
    *,
    capitalise: bool,
    language: str = "",
    rules: Sequence[SoundRule] = (),
) -> Placed:
    """Return ``text`` with its masks replaced by ``words`` from left to right; an empty text stays empty.

    With ``capitalise``, a word that begins a sentence of ``language`` gets a capital. The sound ``rules`` act
    where a word meets other text. Raises ValueError if there are more or fewer words than masks.
    """
    first, *rest = text.split(f"{{{{{MASK}}}}}")
    if not text:
        return Placed("", ())
    placed, spans = first, []
    for word, between in zip(words, rest, strict=True):
        begins = capitalise and begins_sentence(placed, len(placed), language)
        there = capitalised(word, language) if begins else word
        spans.append((len(placed), len(placed) + len(there)))
        placed += there + between
    return _sounded(placed, spans, rules)


def _sounded(text: str, spans: Sequence[tuple[int, int]], rules: Sequence[SoundRule]) -> Placed:
    """Return ``text`` after ``rules`` at the borders of ``spans``, with the new positions of the spans."""
    if not rules:
        return Placed(text, tuple(spans))
    changed, moved = apply_rules_to_spans(text, spans, rules, [place for span in spans for place in span])
    return Placed(changed, tuple(moved))
