"""Draw docs/images/packages.svg: which package imports which, counted in the import graph.

The layers are those of the first import contract in pyproject.toml. Every package may import the foundation, which is
drawn as one box; the arrows of the command line, which imports every package, are left out.

python -m scripts.import_diagram [--check]
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "images" / "packages.svg"
_WIDTH, _BOX, _HEIGHT, _STEP = 900, 132, 46, 96
_STYLE = """text { font: 14px system-ui, sans-serif; fill: #1d3b53; text-anchor: middle }
    rect { fill: #eef3f8; stroke: #36648b; stroke-width: 1.5 } path { stroke: #555; fill: none }
    .count { font-size: 12px; fill: #555 } #tip { fill: #555 }
    @media (prefers-color-scheme: dark) {
      text { fill: #cfe3f3 } rect { fill: #16242f; stroke: #6fa3cc }
      path { stroke: #9aa4ad } .count, #tip { fill: #9aa4ad }
    }"""


def layers() -> list[list[str]]:
    """Return the modules of each layer, from the command line down, as the first import contract lists them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [[name.strip() for name in row.split("|")] for row in rows]


def package_imports() -> Counter[tuple[str, str]]:
    """Return how many imports lead from the modules of one part of nextset to those of another."""
    graph = grimp.build_graph("nextset", cache_dir=None)
    found: Counter[tuple[str, str]] = Counter()
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            pair = (_part(module), _part(imported))
            found[pair] += pair[0] != pair[1]
    return found


def _part(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def diagram() -> str:
    """Return the picture as SVG: one row per layer, and an arrow with its number of imports per pair of packages."""
    packages = [[name for name in row if (ROOT / name).is_dir()] for row in layers() if row != ["cli"]]
    rows = [["cli"], *(row for row in packages if row)]
    foundation = [name for row in layers() for name in row if name != "cli" and not (ROOT / name).is_dir()]
    places = {}
    for line, row in enumerate(rows):
        for column, name in enumerate(row):
            places[name] = (_WIDTH * (column + 1) / (len(row) + 1), 30 + line * _STEP)
    counts = package_imports()
    arrows = {
        pair: n for pair, n in sorted(counts.items()) if n and pair[0] != "cli" and {*pair} <= places.keys()
    }
    below = 30 + len(rows) * _STEP
    parts = [_arrow(places[a], places[b], n) for (a, b), n in arrows.items()]
    parts += [_box(x, y, _BOX, "nextset.cli" if name == "cli" else name) for name, (x, y) in places.items()]
    half = len(foundation) // 2
    lines = (f"the foundation: {', '.join(foundation[:half])},", ", ".join(foundation[half:]))
    parts.append(_box(_WIDTH / 2, below, _WIDTH - 40, *lines))
    listed = "; ".join(f"{a} imports {b} ({n})" for (a, b), n in arrows.items())
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {below + 40}" role="img" aria-labelledby="t d">
  <title id="t">The packages of nextset and their imports</title>
  <desc id="d">{escape(listed)}. The command line imports every package; every package may import the foundation.</desc>
  <style>
    {_STYLE}
  </style>
  <defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse"
    orient="auto"><path id="tip" d="M0 0 8 4 0 8z" stroke="none"/></marker></defs>
  {chr(10).join(parts).replace(chr(10), chr(10) + "  ")}
</svg>
"""


def _box(x: float, y: float, width: float, *lines: str) -> str:
    first = y + 5 - 9 * (len(lines) - 1)
    texts = [
        f'<text x="{x:.0f}" y="{first + 18 * n:.0f}">{escape(line)}</text>' for n, line in enumerate(lines)
    ]
    left, top = x - width / 2, y - _HEIGHT / 2
    return (
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{_HEIGHT}" rx="8"/>{"".join(texts)}'
    )


def _arrow(start: tuple[float, float], end: tuple[float, float], count: int) -> str:
    """Return a curve from below one box to above another, wider for more imports, with their number near its start."""
    x0, y0, x1, y1 = start[0], start[1] + _HEIGHT / 2, end[0], end[1] - _HEIGHT / 2
    if y1 - y0 > _STEP:  # around the boxes of the layers between
        x1 += 40 if x0 > x1 else -40
    middle = (y0 + y1) / 2
    width = 1 + min(count, 100) / 40
    return (
        f'<path d="M{x0:.0f} {y0:.0f} C{x0:.0f} {middle:.0f} {x1:.0f} {middle:.0f} {x1:.0f} {y1:.0f}" '
        f'stroke-width="{width:.1f}" marker-end="url(#a)"/>'
        f'<text class="count" x="{x0 + (x1 - x0) * 0.16 + 12:.0f}" y="{y0 + (y1 - y0) * 0.33:.0f}">{count}</text>'
    )


def main(check: bool) -> None:
    """Write the picture, or with ``check`` exit with 1 if it is not that of today's imports."""
    picture = diagram()
    if not check:
        FILE.write_text(picture, encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != picture:
        raise SystemExit(f"{FILE.relative_to(ROOT)} is not that of today's imports: run scripts/docs")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
