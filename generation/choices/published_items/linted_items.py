"""Files of published items, as `nextset lint` checks them: it lists mistakes and changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nextset.files.row_files import is_row_file
from nextset.generation.choices.published_items.item_files import ItemFiles, item_files
from nextset.generation.lint.linted_files import FoundInFiles
from nextset.lint_rules import Finding, lint_rules
from nextset.published_choices.choice_reading import facts_of_files
from nextset.published_choices.completed_items import completed_item
from nextset.published_choices.published_rows import format_of_file, has_published_items, published_rows
from nextset.records.choice_items import ChoiceItem
from nextset.study.choice_settings import ChoiceSettings
from nextset.study.study_folder import Study

__all__ = ["ITEM_FILES", "LintedItem", "LintedItems"]


@dataclass(frozen=True, slots=True)
class LintedItem:
    """A published item and its place."""

    file: Path
    """The file."""
    line: int
    """The line, from 1; in a list of JSON and in Parquet, the number of the row."""
    item: ChoiceItem
    """The item, without its id."""
    names: tuple[str, ...]
    """For each option, the text that stands for its person in the context."""

    def finding(self, rule: str, message: str) -> Finding:
        """Return a finding at this item, which names it by its published id."""
        return Finding(self.file, self.line, rule, f"item {self.item.source_id}: {message}")


@dataclass(frozen=True)
class LintedItems:
    """The published items of an entry of choices.items."""

    files: ItemFiles
    """The files of the entry."""
    language: str
    """The language of files that do not state theirs."""

    @cached_property
    def items(self) -> list[LintedItem]:
        """The items in the order of the files; raises InputError for a row that cannot be read."""
        files = list(self.files.files.values())
        facts = facts_of_files(files)
        return [
            LintedItem(file, row.line, completed_item(draft, facts, self.language), draft.names)
            for file in files
            for layout in [format_of_file(file)]
            for row in published_rows(file)
            for draft in [layout.draft(row)]
        ]

    @cached_property
    def sets(self) -> dict[str, list[LintedItem]]:
        """The items by their sets."""
        sets: dict[str, list[LintedItem]] = {}
        for linted in self.items:
            sets.setdefault(linted.item.set_id or "", []).append(linted)
        return sets

    def findings(self) -> Iterator[Finding]:
        """Yield the findings of all rules."""
        for rule in lint_rules("item").values():
            yield from rule.findings(self)


class _ItemFiles:
    """Files of published items with options."""

    def is_of_kind(self, file: Path) -> bool:
        """Return True if ``file`` has published items; raises InputError if it cannot be read."""
        return (is_row_file(file) or file.suffix == ".json") and has_published_items(file)

    def files_of_language(self, folder: Path) -> Iterable[Path]:
        """Return no files: the folder of a language has none."""
        return ()

    def lint_file(self, file: Path) -> Iterator[Finding]:
        """Yield the findings in ``file``; raises InputError if it cannot be read."""
        return LintedItems(ItemFiles(file.name, {file.name: file}), "en").findings()

    def lint_study(self, study: Study) -> FoundInFiles:
        """Lint the files that choices.items names; raises InputErrors."""
        settings = study.settings.section("choices", ChoiceSettings)
        if settings is None:
            return FoundInFiles()
        entries = [item_files(entry, study.path) for entry in settings.items]
        linted = [LintedItems(files, study.settings.language) for files in entries]
        return FoundInFiles(
            tuple(file for files in entries for file in files.files.values()),
            tuple(finding for items in linted for finding in items.findings()),
        )


ITEM_FILES = _ItemFiles()
"""The kind of files."""
