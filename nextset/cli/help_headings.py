"""The headings under which `nextset --help` lists the commands."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

__all__ = ["INSPECT", "MORE", "RELEASE", "START", "ByHeading"]

START = "Start here"
INSPECT = "Inspect"
RELEASE = "Release"
MORE = "More"
"""The heading of single stages, of models, and of commands that packages add."""


class ByHeading(TyperGroup):
    """Commands in the order of their headings."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        order = [START, INSPECT, RELEASE, MORE]
        return sorted(
            super().list_commands(ctx),
            key=lambda name: order.index(getattr(self.commands[name], "rich_help_panel", MORE)),
        )
