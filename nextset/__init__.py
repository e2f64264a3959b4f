"""nextset: generate hard benchmark datasets, have annotators validate them, release them, audit models.

The commands of the command line are functions here, each imported on first use::

    import nextset

    study = nextset.Study.load("studies/first_look")
    summary = nextset.run(study)

Functions that take a study also take its folder, as in ``nextset.run("studies/first_look")``. Expected errors
are subclasses of `NextsetError`.
"""

from __future__ import annotations

import functools
import importlib


@functools.cache
def _homes() -> dict[str, str]:
    """Return the module of each public name, as ``__init__.pyi`` imports it."""
    import ast
    from pathlib import Path

    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = (node for node in stub.body if isinstance(node, ast.ImportFrom))
    homes = {alias.name: node.module or "" for node in imports for alias in node.names}
    return {name: module for name, module in homes.items() if name != "*"}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("nextset")
    if name == "__all__":
        from nextset.open_table import FUNCTIONS

        return sorted({*_homes(), *FUNCTIONS.names})
    if name in _homes():
        return _public(getattr(importlib.import_module(_homes()[name]), name))
    if not name.startswith("_"):
        from nextset.open_table import FUNCTIONS

        if name in FUNCTIONS:
            return _public(FUNCTIONS[name])
    raise AttributeError(f"module 'nextset' has no attribute {name!r}")


def _public(value: object) -> object:
    import inspect

    from nextset.readable_signature import public_function

    return public_function(value) if inspect.isfunction(value) else value


def __dir__() -> list[str]:
    return [*importlib.import_module(__name__).__all__, "__version__"]
