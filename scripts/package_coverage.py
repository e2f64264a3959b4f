"""Print the share of the lines of each package that the tests run: a part of scripts/test --coverage.

python -m scripts.package_coverage REPORT, which is what `coverage json` writes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["coverage_lines"]


def coverage_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line per package, in alphabetical order, and one for all."""
    counts: dict[str, list[int]] = {}
    for name, file in report["files"].items():
        folders = Path(name.removeprefix("nextset/")).parts[:-1]
        for package in (".".join(["nextset", *folders[:1]]), "total"):
            count = counts.setdefault(package, [0, 0])
            count[0] += file["summary"]["covered_lines"]
            count[1] += file["summary"]["num_statements"]
    for package in [*sorted(counts.keys() - {"total"}), *counts.keys() & {"total"}]:
        run, lines = counts[package]
        yield f"{package} {100 * run / lines:.1f} %" if lines else f"{package} no code"


if __name__ == "__main__":
    for line in coverage_lines(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))):
        sys.stdout.write(f"{line}\n")
