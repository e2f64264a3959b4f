"""docs/architecture.md lists every folder of code, with the sentence that its __init__.py begins with."""

from __future__ import annotations

import ast
from pathlib import Path


def folder_table(root: Path) -> str:
    """The table of docs/architecture.md: one row per folder with an __init__.py, in the order of the data."""
    flow = ("nextset", "generation", "scoring", "filtering", "validation", "release", "auditing", "training")
    packages = [*flow, "word_lists", "bbnli_templates"]
    assert {p.parent.name for p in root.glob("*/__init__.py")} == set(packages)
    files = [file for name in packages for file in sorted((root / name).rglob("__init__.py"))]
    rows = ["| folder | what it holds |", "|---|---|"]
    for file in sorted(files, key=lambda f: (packages.index(f.relative_to(root).parts[0]), f.parent)):
        docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        sentence = docstring.split("\n")[0]
        assert sentence.endswith("."), file
        rows.append(f"| `{file.parent.relative_to(root).as_posix()}/` | {sentence} |")
    return "\n".join(rows)


def test_the_map_is_that_of_the_folders(root: Path) -> None:
    assert folder_table(root) in (root / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_no_two_modules_have_names_that_compete(root: Path) -> None:
    """Names that are the same, or differ by an s; those of ``habits`` mean the same in every package."""
    habits = {"__init__", "__main__", "stage", "report", "report_stage", "plots"}
    seen: dict[str, Path] = {}
    for package in (path.parent for path in root.glob("*/__init__.py")):
        for file in sorted(package.rglob("*.py")):
            if file.stem not in habits:
                other = seen.setdefault(file.stem.removesuffix("s"), file)
                assert other == file, f"{other} and {file}"
