"""Kinds of files that extensions lint, beside templates and language packs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nextset.lint_rules import Finding
from nextset.open_table import OpenTable
from nextset.study.study_folder import Study

__all__ = ["LINTED_FILES", "FileKind", "FoundInFiles"]


@dataclass(frozen=True)
class FoundInFiles:
    """The files of one kind that were linted, and the findings in them."""

    files: tuple[Path, ...] = ()
    findings: tuple[Finding, ...] = ()
    """The findings, in the order of the files."""


class FileKind(Protocol):
    """A kind of hand-written files, which `nextset lint` checks.

    A package registers it::

        [project.entry-points."nextset.linted_files"]
        spelling = "my_package.lint:SPELLING_FILES"
    """

    def is_of_kind(self, file: Path, /) -> bool:
        """Return True if ``file`` is of this kind; raises InputError if it cannot be read."""

    def files_of_language(self, folder: Path, /) -> Iterable[Path]:
        """Return the files of this kind in the ``folder`` of a language, sorted."""

    def lint_file(self, file: Path, /) -> Iterator[Finding]:
        """Yield the findings in ``file``; raises InputError if it cannot be read."""

    def lint_study(self, study: Study, /) -> FoundInFiles:
        """Lint the files of this kind that ``study`` names, in any format; raises InputErrors."""


LINTED_FILES: OpenTable[FileKind] = OpenTable("nextset.linted_files", "kind of linted files")
"""The kinds of files by name."""
