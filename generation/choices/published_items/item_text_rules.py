"""Lint rules on the texts of published items: words repeated, items repeated, tables that are not read."""

from __future__ import annotations

from collections.abc import Iterator

from nextset.counted import counted
from nextset.generation.choices.published_items.linted_items import LintedItem, LintedItems
from nextset.generation.lint.wording_rules import doubled_word
from nextset.lint_rules import Finding, LintRule

__all__ = [
    "DOUBLED_WORD",
    "REPEATED_ITEM",
    "UNREAD_TABLE",
    "doubled_words",
    "repeated_items",
    "unread_tables",
]


def doubled_words(linted: LintedItems) -> Iterator[Finding]:
    """Find a word twice in a row; one finding for each template and pair of words."""
    places: dict[tuple[str, str], list[LintedItem]] = {}
    for one in linted.items:
        texts = (one.item.context, one.item.question, *(option.text for option in one.item.options))
        for words in {doubled for text in texts if (doubled := doubled_word(text))}:
            pair = words.partition(" in ")[0].casefold()
            places.setdefault((one.item.template_id, pair), []).append(one)
    for (template, pair), items in places.items():
        message = f"{pair} in {counted(len(items), 'items')} of template {template}"
        yield items[0].finding("doubled-word", message)


def repeated_items(linted: LintedItems) -> Iterator[Finding]:
    """Find items whose texts, in the same order, are those of an earlier item."""
    seen: dict[tuple[str, ...], LintedItem] = {}
    for one in linted.items:
        item = one.item
        texts = (item.category, item.context, item.question, *(option.text for option in item.options))
        first = seen.setdefault((*texts, item.condition, item.polarity), one)
        if first is not one:
            at = f"line {first.line}" if first.file == one.file else f"{first.file.name}:{first.line}"
            yield one.finding("repeated-item", f"the same texts as item {first.item.source_id} ({at})")


def unread_tables(linted: LintedItems) -> Iterator[Finding]:
    """Find tables in a folder of published items that have none, and are therefore not read."""
    for file in linted.files.unread:
        yield Finding(file, None, "unread-table", "the table has no published items, so it is not read")


DOUBLED_WORD = LintRule("doubled-word", doubled_words, "a word twice in a row: *the the*")
REPEATED_ITEM = LintRule(
    "repeated-item",
    repeated_items,
    "an item with the texts of an earlier one; `nextset generate` merges and counts them",
)
UNREAD_TABLE = LintRule(
    "unread-table", unread_tables, "a table in the folder without published items, such as one of templates"
)
