"""The headings under which `nextset --help` lists the commands."""

from __future__ import annotations

__all__ = ["INSPECT", "MORE", "RELEASE", "START"]

START = "Start here"
INSPECT = "Inspect"
RELEASE = "Release"
MORE = "More"
"""The heading of single stages, of models, and of commands that packages add."""
