"""Headless Chromium for tests, and the marks of the tests that need it."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["BROWSER", "chromium"]

_CHROMIUM = Path("/usr/bin/chromium-headless-shell")
"""The browser without its own windows: the same pages for a third of the work."""
_ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)  # fmt: skip

BROWSER = [
    pytest.mark.browser,
    pytest.mark.skipif(not _CHROMIUM.exists(), reason=f"{_CHROMIUM} is not installed"),
    pytest.mark.skipif(importlib.util.find_spec("playwright") is None, reason="playwright is not installed"),
]
"""Marks of tests with a browser."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser that is closed at the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_ARGUMENTS)
        yield browser
        browser.close()
