"""Words that people edit, by language."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).resolve().parent
"""Where the word lists lie: one folder a language."""
