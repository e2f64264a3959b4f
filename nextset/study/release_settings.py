"""The section release of study.yaml: the dataset version."""

from __future__ import annotations

from pydantic import Field

from nextset.files.yaml_model import HandWritten

__all__ = ["ReleaseSettings"]


class ReleaseSettings(HandWritten):
    """release: the dataset version."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$")
    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    license: str = "cc-by-4.0"
    authors: tuple[str, ...] = ()
    counterfactuals: bool = True
    """Add each item's counterpart, with the groups swapped only in the hypothesis."""
