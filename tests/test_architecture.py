"""The names of modules, and the sentence that each folder's __init__.py begins with."""

from __future__ import annotations

import ast
from pathlib import Path


def test_no_two_modules_have_names_that_compete(root: Path) -> None:
    """Names that are the same, or differ by an s.

    Those of ``habits``, and of the folders forms, mean the same in every package.
    """
    habits = {"__init__", "__main__", "stage", "stages", "report", "report_stage", "plots"}
    habits |= {"commands", "section_preview", "study_settings"}  # of an extension
    seen: dict[str, Path] = {}
    for package in (path.parent for path in root.glob("*/__init__.py")):
        for file in sorted(package.rglob("*.py")):
            if file.stem not in habits and file.parent.name != "forms":
                other = seen.setdefault(file.stem.removesuffix("s"), file)
                assert other == file, f"{other} and {file}"


def test_every_folder_begins_with_a_sentence(root: Path) -> None:
    for file in (
        file for package in root.glob("*/__init__.py") for file in package.parent.rglob("__init__.py")
    ):
        docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        assert docstring.split("\n")[0].endswith("."), file
