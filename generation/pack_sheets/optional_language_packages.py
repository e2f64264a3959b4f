"""The optional packages of nextset[language], imported late: Babel for CLDR data, Faker for first names."""

from __future__ import annotations

import importlib
from typing import Any

from nextset.errors import DependencyMissing

__all__ = ["INSTALL", "language_package"]

INSTALL = "pip install 'nextset[language]'"

_NAMES = {"babel": "Babel", "faker": "Faker"}


def language_package(module: str) -> Any:
    """Return a module of Babel or Faker; raises DependencyMissing if the package is not installed.

    Raises ModuleNotFoundError if the package has no such module.
    """
    package = module.split(".")[0]
    try:
        importlib.import_module(package)
    except ImportError:
        raise DependencyMissing(
            f"a new language pack needs {_NAMES[package]}, which is not installed", remedy=INSTALL
        ) from None
    return importlib.import_module(module)
