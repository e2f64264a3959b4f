"""Train the built-in models: `python -m nextset.training [MODEL ...] [--out FOLDER] [--steps N]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from nextset.errors import NextsetError
from nextset.scoring.models.sources import BUILTIN
from nextset.training.builtin_models import NAMES, build

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Train the models named, or all; the exit code is that of the error, if there was one."""
    parser = argparse.ArgumentParser(
        prog="python -m nextset.training", description="Train the built-in models."
    )
    parser.add_argument(
        "models", nargs="*", metavar="MODEL", help=f"one of {', '.join(NAMES)}; all by default"
    )
    parser.add_argument("--out", type=Path, default=BUILTIN, help="where the model folders go")
    parser.add_argument("--steps", type=int, help="training steps, for a quick trial")
    chosen = parser.parse_args(arguments)
    unknown = [m for m in chosen.models if m not in NAMES]
    if unknown:
        parser.error(f"no model is called {unknown[0]!r}; there are {', '.join(NAMES)}")
    try:
        for line in build([n for n in NAMES if n in (chosen.models or NAMES)], chosen.out, chosen.steps):
            print(line, flush=True)  # noqa: T201
    except NextsetError as e:
        print(f"{e}\n{e.remedy}", file=sys.stderr)  # noqa: T201
        return e.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
