"""Draw docs/images/packages.svg: which package imports which, read from the import graph.

The layers are those of the first import contract in pyproject.toml. Every package may import the foundation,
which is drawn as one box. The arrows of the command line, which imports every package, are not drawn.

python -m scripts.import_diagram
"""

from __future__ import annotations

import textwrap
import tomllib
from html import escape
from pathlib import Path

import grimp

__all__ = ["FILE", "diagram"]

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "images" / "packages.svg"
_LINE = 105
"""Characters in a line of the box of the foundation."""
_ABOVE = ("cli", "tables")
"""The parts of nextset/ that import packages."""
_WIDTH, _BOX, _HEIGHT, _STEP = 900, 132, 46, 96
_SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"
  role="img" aria-labelledby="t d">
  <title id="t">The packages of nextset and their imports</title>
  <desc id="d">{listed}. The command line imports every package; each may import the foundation.</desc>
  <style>
    text {{ font: 14px system-ui, sans-serif; fill: #1d3b53; text-anchor: middle }}
    rect {{ fill: #eef3f8; stroke: #36648b; stroke-width: 1.5 }}
    path {{ stroke: #555; stroke-width: 1.5; fill: none }} #tip {{ fill: #555; stroke: none }}
    @media (prefers-color-scheme: dark) {{
      text {{ fill: #cfe3f3 }} rect {{ fill: #16242f; stroke: #6fa3cc }}
      path {{ stroke: #9aa4ad }} #tip {{ fill: #9aa4ad }}
    }}
  </style>
  <defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"
    markerUnits="userSpaceOnUse" orient="auto"><path id="tip" d="M0 0 8 4 0 8z"/></marker></defs>
  {shapes}
</svg>
"""


def diagram() -> str:
    """Return the picture as SVG: one row of boxes per layer, one arrow per pair of packages."""
    layers = _layers()
    drawn = {name for row in layers for name in row if (ROOT / name).is_dir() or name in _ABOVE}
    rows = [row for row in ([name for name in layer if name in drawn] for layer in layers) if row]
    foundation = [name for row in layers for name in row if name not in drawn]
    places = {
        name: (_WIDTH * (column + 1) / (len(row) + 1), 30.0 + line * _STEP)
        for line, row in enumerate(rows)
        for column, name in enumerate(row)
    }
    arrows = [pair for pair in _package_imports() if pair[0] != "cli" and {*pair} <= places.keys()]
    bottom = 30 + len(rows) * _STEP
    lines = textwrap.wrap(f"the foundation: {', '.join(foundation)}", _LINE)
    shapes = [
        *(_arrow(*places[a], *places[b]) for a, b in arrows),
        *(
            _box(*place, _BOX, f"nextset.{name}" if name in _ABOVE else name)
            for name, place in places.items()
        ),
        _box(_WIDTH / 2, bottom, _WIDTH - 40, *lines),
    ]
    listed = escape("; ".join(f"{a} imports {b}" for a, b in arrows))
    return _SVG.format(
        width=_WIDTH, height=bottom + 40 + 18 * (len(lines) - 1), listed=listed, shapes="\n  ".join(shapes)
    )


def _layers() -> list[list[str]]:
    """Return the modules of each layer, from the command line down."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [[name.strip() for name in row.split("|")] for row in rows]


def _package_imports() -> list[tuple[str, str]]:
    """Return the pairs of parts of nextset of which the first imports the second."""
    graph = grimp.build_graph("nextset", cache_dir=None)
    pairs = {
        (_part(module), _part(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    }
    return sorted(pair for pair in pairs if pair[0] != pair[1])


def _part(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def _box(x: float, y: float, width: float, *lines: str) -> str:
    """Return a box of one or more lines; its upper edge is half of `_HEIGHT` above ``y``."""
    top, height = y - _HEIGHT / 2, _HEIGHT + 18 * (len(lines) - 1)
    texts = [
        f'<text x="{x:.0f}" y="{y + 5 + 18 * n:.0f}">{escape(line)}</text>' for n, line in enumerate(lines)
    ]
    place = f'x="{x - width / 2:.0f}" y="{top:.0f}"'
    return f'<rect {place} width="{width:.0f}" height="{height}" rx="8"/>{"".join(texts)}'


def _arrow(x0: float, y0: float, x1: float, y1: float) -> str:
    """Return a curve from below one box to above another."""
    y0, y1 = y0 + _HEIGHT / 2, y1 - _HEIGHT / 2
    if y1 - y0 > _STEP:  # around the boxes of the layers between
        x1 += 40 if x0 > x1 else -40
    middle = (y0 + y1) / 2
    curve = f"M{x0:.0f} {y0:.0f} C{x0:.0f} {middle:.0f} {x1:.0f} {middle:.0f} {x1:.0f} {y1:.0f}"
    return f'<path d="{curve}" marker-end="url(#a)"/>'


if __name__ == "__main__":
    FILE.write_text(diagram(), encoding="utf-8")
