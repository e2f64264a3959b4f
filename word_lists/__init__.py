"""Word lists and language packs, which people edit."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).resolve().parent
"""The folder of the word lists, with one folder per language."""
