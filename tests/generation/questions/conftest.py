"""A small language pack, and small word lists in UnQover's published layout, to change."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A small language pack."""
    return Path(shutil.copytree(HERE / "small_pack", tmp_path / "pack"))


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Small word lists in the published layout."""
    return Path(shutil.copytree(HERE / "small_published", tmp_path / "published"))
