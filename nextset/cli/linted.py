"""The result of lint: the files that it checked, and its findings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.html.notebook_html import notebook_block, notebook_line, notebook_table
from nextset.records.short_repr import short_repr

if TYPE_CHECKING:
    from nextset.lint_rules import Finding

__all__ = ["Linted"]


@short_repr
@dataclass(frozen=True)
class Linted:
    """The files that were checked, and the probable mistakes in them."""

    files: tuple[Path, ...]
    findings: tuple[Finding, ...]
    """The probable mistakes."""
    accepted: tuple[Finding, ...] = ()
    """Findings that a language pack accepts, with a reason in its pack.yaml."""
    without_list: tuple[str, ...] = ()
    """Languages with the rules that find less because nextset has no list of words for them."""

    def _repr_html_(self) -> str:
        """Return the numbers of files and findings, and the findings, for notebooks."""
        accepted = f", accepted: {len(self.accepted)}" if self.accepted else ""
        rows = [(Path(*f.file.parts[-3:]), f.line or 1, f.rule, f.message) for f in self.findings]
        return notebook_block(
            notebook_line(f"files: {len(self.files)}, findings: {len(self.findings)}{accepted}"),
            notebook_table(("file", "line", "rule", "finding"), rows) if rows else "",
        )
