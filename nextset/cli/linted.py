"""The result of lint: the files that it checked, and its findings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.records.short_repr import short_repr

if TYPE_CHECKING:
    from nextset.generation.lint.template_lint import Finding

__all__ = ["Linted"]


@short_repr
@dataclass(frozen=True)
class Linted:
    """The files that were checked, and the probable mistakes in them."""

    files: tuple[Path, ...]
    """The files."""
    findings: tuple[Finding, ...]
    """The probable mistakes."""
    accepted: tuple[Finding, ...] = ()
    """Findings that a language pack accepts, with a reason in its pack.yaml."""
