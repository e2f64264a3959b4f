"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Debug", "Json", "StudyPath"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error was raised.")]
StudyPath = Annotated[Path, typer.Argument(metavar="STUDY", help="The study's folder.")]
