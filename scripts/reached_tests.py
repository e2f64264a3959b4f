"""The test files that a change can reach: `python -m scripts.reached_tests`, for scripts/check.

The changed files are those that differ from the merge base with the upstream branch, or else with main,
and untracked files. One of generation/lint reaches tests in tests/generation/lint, or in the nearest folder
above that has tests. A module also reaches the test files that import it, directly or through other modules.
Tests that reach it only through an entry point or a lazy name of nextset are left to scripts/test.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import grimp

__all__ = ["changed_files", "nearest", "reached"]

ROOT = Path(__file__).resolve().parent.parent
MOST = 750
"""Test functions that scripts/check runs: about 2,800 tests."""
_FUNCTION = re.compile(r"^ *(?:async )?def test_", re.M)


def changed_files(root: Path) -> list[str]:
    """Return the files that differ from the merge base, also deleted ones, relative to ``root``."""

    def lines(*arguments: str) -> list[str]:
        command = ["git", "-c", "core.quotePath=false", *arguments]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        return done.stdout.splitlines() if done.returncode == 0 else []

    bases = (lines("merge-base", "HEAD", branch) for branch in ("@{upstream}", "main"))
    base = next((base[0] for base in bases if base), "HEAD")
    return sorted({*lines("diff", "--name-only", base), *lines("ls-files", "--others", "--exclude-standard")})


def reached(changed: Iterable[str], imported_by: Mapping[str, Iterable[str]], root: Path) -> dict[str, int]:
    """Return the test files that ``changed`` reaches, each with its distance in imports.

    ``imported_by`` has the modules that import a module, by name. The distance of a changed test file is 0.
    """
    distances: dict[str, int] = {}
    at = {_module(name, root): 0 for name in changed if name.endswith(".py")}
    for name in changed:
        for test in _beside(name, root):
            distances[test] = 0 if test == name else 1
    edge, distance = set(at), 0
    while edge:
        distance += 1
        above = {importer for module in edge for importer in imported_by.get(module, ())}
        edge = {module for module in above if at.setdefault(module, distance) == distance}
    for module, distance in at.items():
        file = module.replace(".", "/") + ".py"
        if _is_test(file) and (root / file).is_file():
            distances[file] = min(distance, distances.get(file, distance))
    return distances


def nearest(distances: Mapping[str, int], root: Path, most: int = MOST) -> list[str]:
    """Return the nearest files, at least one, with at most ``most`` tests that are not marked slow."""
    chosen, total = [], 0
    for file in sorted(distances, key=lambda name: (distances[name], name)):
        text = (root / file).read_text(encoding="utf-8")
        quick = 0 if "pytestmark = pytest.mark.slow" in text else len(_FUNCTION.findall(text))
        total += max(quick - text.count("@pytest.mark.slow"), 0)
        if chosen and total > most:
            break
        chosen.append(file)
    return chosen


def _beside(name: str, root: Path) -> list[str]:
    """Return the test files in the folder of the name of that of ``name``; all below it for a conftest.py."""
    path = Path(name)
    folder = path.parent if path.parts[0] == "tests" else Path("tests") / path.parent
    if path.name == "conftest.py":
        return [test.relative_to(root).as_posix() for test in (root / folder).rglob("test_*.py")]
    if _is_test(name):
        return [name] if (root / name).is_file() else []
    while folder.parts:
        if tests := sorted((root / folder).glob("test_*.py")):
            return [test.relative_to(root).as_posix() for test in tests]
        folder = folder.parent
    return []


def _module(name: str, root: Path) -> str:
    """Return the name under which the file is imported: generation/ is linked into nextset/."""
    linked = (root / "nextset" / name.partition("/")[0]).is_symlink()
    dotted = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"nextset.{dotted}" if linked else dotted


def _is_test(name: str) -> bool:
    return name.startswith("tests/") and Path(name).name.startswith("test_") and name.endswith(".py")


def main() -> None:
    """Print the test files, nearest first, and on stderr what is left out."""
    changed = changed_files(ROOT)
    graph = grimp.build_graph("nextset", "tests", "scripts", "makers", "benchmarks", cache_dir=None)
    imported_by = {module: graph.find_modules_that_directly_import(module) for module in graph.modules}
    distances = reached(changed, imported_by, ROOT)
    files = nearest(distances, ROOT)
    said = f"changed files: {len(changed)}, test files that they reach: {len(distances)}"
    left = len(distances) - len(files)
    sys.stderr.write(said + (f"; the {left} farthest are left to scripts/test\n" if left else "\n"))
    sys.stdout.writelines(f"{file}\n" for file in files)


if __name__ == "__main__":
    main()
