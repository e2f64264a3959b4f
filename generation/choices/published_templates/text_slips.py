"""The lint rules on the texts of published templates."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from nextset.generation.choices.published_templates.published_template import PublishedTemplate
from nextset.generation.choices.published_templates.slip import Templates, slip_rule
from nextset.generation.choices.published_templates.slotted_text import Entry, Slot, SlottedText
from nextset.lint_rules import LintRule

__all__ = [
    "DOUBLED_WORD",
    "HIDDEN_CHARACTER",
    "MOST_PEOPLE",
    "OPTION_SPACE",
    "UNRESOLVED_SLOT",
    "UNUSED_LIST",
    "entries_of",
]

_DOUBLED = re.compile(r"\b(\w+) (\1)\b", re.IGNORECASE)
MOST_PEOPLE = 500
"""The people of a list that the rules look at: names in longer lists differ in nothing else."""
_TWICE = ("that", "had")
"""Words that English has twice in a row."""
_BRACES = re.compile(r"[{}\[\]]+(?:\w{0,12}[{}\[\]]+)?")


def entries_of(template: PublishedTemplate) -> dict[str, list[Entry]]:
    """Return the entries that can fill each slot."""
    first, second = (_people(template, side) for side in ((1, 0) if template.mirrored else (0, 1)))
    if len(template.swaps) > 1:
        first = second = [*first, *second]
    words = {word.slot: list(word.entries) for word in template.words}
    return {"NAME1": first, "NAME2": second, **words}


def _people(template: PublishedTemplate, side: int) -> list[Entry]:
    """Return the people on one ``side`` of the blocks, each list once, and the first of long lists."""
    lists = {id(block[side]): block[side] for block in template.pairs.blocks}
    return [entry for entries in lists.values() for entry in entries[:MOST_PEOPLE]]


def doubled_words(template: PublishedTemplate) -> Iterator[str]:
    """Yield the words that stand twice in a row where a slot meets other text, or in the text itself."""
    entries = entries_of(template)
    for name, text in template.texts.items():
        for seam in _seams(text, entries):
            match = _DOUBLED.search(seam)
            if match and match[1].casefold() not in _TWICE:
                yield f"{match[0]!r} in the {name}"


def _seams(text: SlottedText, entries: dict[str, list[Entry]]) -> Iterator[str]:
    """Yield the literal texts, and the ends of neighbours, also of two slots, with each filling."""
    yield from text.literals()
    for before, after in zip(text.parts, text.parts[1:], strict=False):
        for left in _ends(before, entries):
            for right in _ends(after, entries):
                yield left[-40:] + right[:40]
    for before, between, after in zip(text.parts, text.parts[1:], text.parts[2:], strict=False):
        if between == " ":
            last = {left.split()[-1] for left in _ends(before, entries) if left.strip()}
            first = {right.split()[0] for right in _ends(after, entries) if right.strip()}
            yield from (f"{word} {word}" for word in sorted(last & first))


def _ends(part: str | Slot, entries: dict[str, list[Entry]]) -> list[str]:
    if isinstance(part, str):
        return [part]
    forms = [entry.form(part.form) for entry in entries.get(part.name, ())]
    return list(dict.fromkeys(forms))[:200]


def unresolved_slots(template: PublishedTemplate) -> Iterator[str]:
    """Yield braces and brackets that are left in a text, such as a slot without a list."""
    for name, text in template.texts.items():
        for literal in text.literals():
            for match in _BRACES.finditer(literal):
                yield f"{match[0]!r} in the {name} is not a slot with a list"


def unused_lists(template: PublishedTemplate) -> Iterator[str]:
    """Yield the lists of words that no text uses."""
    used = {slot.name for text in template.texts.values() for slot in text.slots()}
    for word in template.words:
        if word.slot not in used:
            yield f"no text uses the list {word.slot}, so its words give the same items again"


def hidden_characters(template: PublishedTemplate) -> Iterator[str]:
    """Yield the control characters in the texts."""
    for name, text in template.texts.items():
        for literal in text.literals():
            for character in literal:
                if unicodedata.category(character) == "Cc":
                    yield f"the {name} has the control character {character!a}"


def option_spaces(template: PublishedTemplate) -> Iterator[str]:
    """Yield the answers with a space at an end: the option differs from the same text elsewhere."""
    for name in ("negative answer", "non-negative answer"):
        parts = template.texts[name].parts
        first, last = (part if isinstance(part, str) else "" for part in (parts[0], parts[-1]))
        if first[:1].isspace() or last[-1:].isspace():
            yield f"the {name} begins or ends with a space"


DOUBLED_WORD: LintRule[Templates] = slip_rule(
    "doubled-word",
    doubled_words,
    "the same word twice in a row after a slot is filled (except *that that* and *had had*)",
)

UNRESOLVED_SLOT: LintRule[Templates] = slip_rule(
    "unresolved-slot",
    unresolved_slots,
    "a brace or bracket that stays in the items, such as `{[NAME1}}` or a slot without a list",
)

UNUSED_LIST: LintRule[Templates] = slip_rule(
    "unused-list", unused_lists, "a list of words that no text uses: it gives the same items several times"
)

HIDDEN_CHARACTER: LintRule[Templates] = slip_rule(
    "hidden-character", hidden_characters, "a control character in a text, which the items have too"
)

OPTION_SPACE: LintRule[Templates] = slip_rule(
    "option-space", option_spaces, "an answer with a space at an end, which the published options have too"
)
