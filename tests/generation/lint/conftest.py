"""The small language pack of the tests of questions, to change."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

SMALL_PACK = Path(__file__).parents[1] / "questions" / "small_pack"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A small language pack."""
    return Path(shutil.copytree(SMALL_PACK, tmp_path / "pack"))
