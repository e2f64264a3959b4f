"""Toy packages, installed as pip would install them, with entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nextset import open_table

__all__ = ["install_toy", "toys_on_path"]


def install_toy(site: Path, package: str, version: str, entry_points: str, source: str | None = None) -> None:
    """Install a package in the folder ``site``: its ``entry_points``, and its only module ``source``."""
    info = site / f"{package}-{version}.dist-info"
    info.mkdir(parents=True)
    about = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
    (info / "METADATA").write_text(about, encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    if source is not None:
        (site / f"{package}.py").write_text(source, encoding="utf-8")


@contextmanager
def toys_on_path(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let open tables read the packages in ``site``; afterwards they and their modules are forgotten."""
    modules = set(sys.modules)
    monkeypatch.syspath_prepend(site)
    caches = (
        open_table._points,
        open_table._registered,
        open_table._loaded,
        open_table._module_digest,
    )
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()
    for name in set(sys.modules) - modules:
        if name.startswith("toy_"):
            del sys.modules[name]
