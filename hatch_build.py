"""A build hook that refuses clones whose links in nextset/ are text files: the wheel would lack packages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LinkedPackages(BuildHookInterface[Any]):
    """A check of the links before anything is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raise SystemExit if a package in nextset/ is a file instead of a folder."""
        broken = [
            path.name
            for path in sorted((Path(self.root) / "nextset").iterdir())
            if path.is_file() and "." not in path.name
        ]
        if broken:
            raise SystemExit(
                f"error: in nextset/, {', '.join(broken)} should be links to folders, but are files\n"
                "  try: run 'git config --global core.symlinks true' and clone again, or unpack the archive "
                "with a program that keeps links"
            )
