"""The templates that come with nextset, as files: one per stereotype, in one folder per domain."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).resolve().parent
"""The folder that holds ``<domain>/<stereotype>.yaml``."""
