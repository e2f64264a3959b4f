"""The command line."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

__all__ = ["main"]


def main() -> None:
    """Run the command line. After an error, exit with its code (see docs/reference/exit_codes.md)."""
    if not (Path(__file__).parents[1] / "scoring").is_dir():
        raise SystemExit(
            "error: nextset/scoring should be a link to the folder scoring, but is a file\n"
            "  try: run 'git config --global core.symlinks true' and clone again, or install the wheel"
        )
    try:
        from nextset.cli.app import app
        from nextset.cli.output import LogLines

        logging.getLogger("nextset").addHandler(LogLines())
        app(prog_name="nextset")  # also as `python -m nextset`: shells complete this name
    except SystemExit as e:
        if not isinstance(e.__context__, BrokenPipeError):
            raise
        # The reader of a help text has closed it: the command ends without an error and discards the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except KeyboardInterrupt:  # raised while the commands are imported
        raise SystemExit(130) from None
