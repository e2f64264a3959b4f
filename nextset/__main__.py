"""`python -m nextset` runs the command `nextset`."""

from nextset.cli import main

main()
