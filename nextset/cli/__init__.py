"""The command line."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line; exits with the code of the error, if there is one (see docs/cli.md)."""
    from nextset.cli.app import app

    app()
