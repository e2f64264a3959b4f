"""Commands that extensions add."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import typer

from nextset.cli.help_headings import MORE
from nextset.errors import NextsetError
from nextset.open_table import OpenTable

__all__ = ["COMMANDS", "AddedCommand", "add_commands"]


@dataclass(frozen=True)
class AddedCommand:
    """A command that a package adds to `nextset`.

    A package registers it under its name, in a module that imports nothing heavy::

        [project.entry-points."nextset.commands"]
        spelling = "my_package.commands:SPELLING"
    """

    function: Callable[..., None]
    """The function, with its options as parameters and its help as docstring, as Typer reads them."""
    example: str
    """A whole command, such as nextset spelling my-study."""
    panel: str = MORE
    """The heading under which `nextset --help` lists the command (`nextset.cli.help_headings`)."""


COMMANDS: OpenTable[AddedCommand] = OpenTable("nextset.commands", "command")
"""The commands by name."""


def add_commands(app: typer.Typer) -> None:
    """Add the commands of installed packages to ``app``; one that cannot be imported only shows its error."""
    for name in COMMANDS.names:
        try:
            command = COMMANDS[name]
        except NextsetError as e:
            app.command(name)(_unusable(name, e))
        else:
            epilog = f"Example: {command.example}"
            app.command(name, rich_help_panel=command.panel, epilog=epilog)(command.function)


def _unusable(name: str, error: NextsetError) -> Callable[..., None]:
    def show_error() -> None:
        from nextset.cli.output import errors

        with errors(debug=False):
            raise error

    show_error.__doc__ = f"The command {name} cannot be used: {error}"
    return show_error
