"""Train the built-in models: `python -m makers.builtin_models [MODEL ...] [--out FOLDER] [--steps N]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from makers.builtin_models.builtin_models import NAMES, build
from nextset.errors import NextsetError
from nextset.scoring.models.sources import BUILTIN

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Train the named models, or all; return 0, or the exit code of an error."""
    parser = argparse.ArgumentParser(
        prog="python -m makers.builtin_models", description="Train the built-in models."
    )
    parser.add_argument(
        "models", nargs="*", metavar="MODEL", help=f"models from {', '.join(NAMES)} (default: all)"
    )
    parser.add_argument("--out", type=Path, default=BUILTIN, help="folder for the model folders")
    parser.add_argument("--steps", type=int, help="number of training steps, for a quick trial")
    options = parser.parse_args(arguments)
    unknown = [m for m in options.models if m not in NAMES]
    if unknown:
        parser.error(f"there is no model named {unknown[0]!r}; choose from {', '.join(NAMES)}")
    try:
        for line in build([n for n in NAMES if n in (options.models or NAMES)], options.out, options.steps):
            print(line, flush=True)  # noqa: T201
    except NextsetError as e:
        print(f"{e}\n{e.remedy}", file=sys.stderr)  # noqa: T201
        return e.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
