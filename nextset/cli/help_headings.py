"""The headings under which `nextset --help` lists the commands."""

from __future__ import annotations

__all__ = ["INSPECT", "MODELS", "MORE_AUDITS", "MORE_COMMANDS", "STAGES", "START"]

START = "Start here"
INSPECT = "Inspect"
STAGES = "Stages, one by one"
MODELS = "Models"
MORE_AUDITS = "More audits"
MORE_COMMANDS = "More commands"
"""The heading of commands whose package names none."""
