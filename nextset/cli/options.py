"""The options that every command has."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Debug", "Json"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error was raised.")]
