"""Figures of the structure of the code: `python -m scripts.house_figures`, a part of scripts/static_checks.

A line is `name | measured | goal | limit | ok`, or `short` if the goal is not reached. The limits are in
pyproject.toml: the check fails if a figure exceeds its limit. A limit falls with its figure; only new
capabilities may raise it, in a commit of its own that says which.
"""

from __future__ import annotations

import ast
import itertools
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import grimp

__all__ = ["Figure", "figures", "main"]

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    "auditing",
    "filtering",
    "generation",
    "release",
    "scoring",
    "training",
    "validation",
    "word_lists",
)
FORM_NAMES = {"nli", "qa"}
"""The names that only forms have: question, statement and answer are also words and columns."""
VAGUE = "found"


@dataclass(frozen=True)
class Figure:
    """A figure, the goal and the limit that it must not exceed."""

    name: str
    """What is counted."""
    measured: int
    """The count today."""
    goal: int
    """The count that the project wants."""
    limit: int
    """The count that fails the check if it is exceeded."""

    @property
    def line(self) -> str:
        """The figure as a line."""
        state = "ok" if self.measured <= self.goal else "short"
        return f"{self.name} | {self.measured:,} | ≤ {self.goal:,} | {self.limit:,} | {state}"


def core_files(root: Path = ROOT) -> list[Path]:
    """Return the Python files of the core: the foundation, the packages and the command line."""
    folders = [root / "nextset", *(root / name for name in PACKAGES), root / "bbnli_templates"]
    return sorted(file for folder in folders for file in _python_files(folder))


def _python_files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            yield from _python_files(path)
        elif path.suffix == ".py":
            yield path


def form_namers(files: Iterable[Path]) -> list[Path]:
    """Return the ``files``, outside folders named forms, that have the name of a form as a text."""
    return [
        file
        for file in files
        if "forms" not in file.parts
        and any(isinstance(n, ast.Constant) and n.value in FORM_NAMES for n in _nodes(file))
    ]


def vague_names(files: Iterable[Path]) -> int:
    """Return the number of assignments to a local name that says nothing of its content."""
    return sum(
        isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == VAGUE
        for file in files
        for n in _nodes(file)
    )


def _nodes(file: Path) -> Iterator[ast.AST]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docstrings = {
        id(child.value)
        for n in ast.walk(tree)
        for child in ast.iter_child_nodes(n)
        if isinstance(child, ast.Expr)
    }
    return (n for n in ast.walk(tree) if id(n) not in docstrings)


def arrows(graph: grimp.ImportGraph, parent: str) -> dict[str, set[str]]:
    """Return the children of the package ``parent``, each with the children that it imports, directly."""
    children = sorted(graph.find_children(parent))
    owner = {m: child for child in children for m in (child, *graph.find_descendants(child))}
    imports: dict[str, set[str]] = {child: set() for child in children}
    for module, child in owner.items():
        for imported in graph.find_modules_directly_imported_by(module):
            other = owner.get(imported)
            if other is not None and other != child:
                imports[child].add(other)
    return imports


def circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of nodes that import each other, directly or not (strongly connected components)."""
    reached = {node: _reached(imports, node) for node in imports}
    components: list[set[str]] = []
    for node in imports:
        component = {other for other in reached[node] if node in reached[other]}
        if len(component) > 1 and component not in components:
            components.append(component)
    return components


def _reached(imports: dict[str, set[str]], start: str) -> set[str]:
    seen, queue = {start}, [start]
    while queue:
        for other in imports[queue.pop()] - seen:
            seen.add(other)
            queue.append(other)
    return seen


def upward(imports: dict[str, set[str]]) -> int:
    """Return the number of arrows that point up in the best order of storeys.

    It is exact for circles of up to nine nodes; in larger ones, nodes move until nothing improves.
    """
    return sum(_fewest_back(sorted(component), imports) for component in circles(imports))


def _fewest_back(nodes: Sequence[str], imports: dict[str, set[str]]) -> int:
    def back(order: Sequence[str]) -> int:
        place = {node: i for i, node in enumerate(order)}
        return sum(place[other] < place[node] for node in order for other in imports[node] if other in place)

    if len(nodes) <= 9:
        return min(map(back, itertools.permutations(nodes)))
    order = sorted(nodes, key=lambda n: len(imports[n]), reverse=True)
    best = back(order)
    improved = True
    while improved:
        improved = False
        for node in nodes:
            rest = [n for n in order if n != node]
            for i in range(len(nodes)):
                moved = [*rest[:i], node, *rest[i:]]
                if (count := back(moved)) < best:
                    best, order, improved = count, moved, True
    return best


def file_circles(graph: grimp.ImportGraph) -> list[set[str]]:
    """Return the sets of modules that import each other, also by lazy imports or for types only."""
    modules = [m for m in graph.modules if not m.endswith(".__main__")]
    imports = {
        m: {o for o in graph.find_modules_directly_imported_by(m) if o in graph.modules} for m in modules
    }
    return circles(_without_leaves(imports))


def _without_leaves(imports: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return ``imports`` without the modules that cannot be in a circle."""
    left = {m: set(others) for m, others in imports.items()}
    while True:
        imported = set().union(*left.values()) if left else set()
        gone = {m for m, others in left.items() if not others or m not in imported}
        if not gone:
            return left
        left = {m: others - gone for m, others in left.items() if m not in gone}


def figures(root: Path = ROOT) -> list[Figure]:
    """Return all figures of the project in ``root``, with the limits in pyproject.toml."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    table = settings["tool"]["nextset"]["house"]
    sys.path.insert(0, str(root))
    graph = grimp.build_graph("nextset", cache_dir=None)
    files = core_files(root)
    inner = [
        f"nextset.{name}"
        for name in (*PACKAGES, "cli", "pipeline", "study", "artifacts", "records", "files", "html", "tables")
    ]
    inner += [
        m for m in ("nextset.extensions.interventions", "nextset.extensions.ambiguity") if m in graph.modules
    ]
    measured = {
        "files that name a form, outside folders named forms": len(form_namers(files)),
        "arrows that point up inside packages": sum(
            upward(arrows(graph, m)) for m in inner if m in graph.modules
        ),
        "file circles": len(file_circles(graph)),
        "lines of the core": sum(len(f.read_text(encoding="utf-8").splitlines()) for f in files),
        "files of the core": len(files),
        f"assignments to {VAGUE}": vague_names(files),
    }
    return [Figure(name, count, *table[name]) for name, count in measured.items()]


def main() -> int:
    """Print every figure; return 1 if one exceeds its limit."""
    measured = figures()
    for figure in measured:
        print(figure.line)  # noqa: T201
    worse = [f.name for f in measured if f.measured > f.limit]
    if worse:
        print(f"worse than the limit in pyproject.toml: {', '.join(worse)}", file=sys.stderr)  # noqa: T201
    return bool(worse)


if __name__ == "__main__":
    sys.exit(main())
