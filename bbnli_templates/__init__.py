"""The templates that come with nextset, as files: one per stereotype, in one folder per domain.

Those in other languages than English are one folder deeper, by language.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOLDER", "english_files", "languages"]

FOLDER = Path(__file__).resolve().parent
"""The folder that holds ``<domain>/<stereotype>.yaml`` and ``<language>/<domain>/<stereotype>.yaml``."""


def english_files() -> list[Path]:
    """Return the English template files, sorted."""
    return sorted(FOLDER.glob("*/*.yaml"))


def languages() -> list[str]:
    """Return the tags of the other languages that templates are written in, sorted."""
    return sorted({file.parents[1].name for file in FOLDER.glob("*/*/*.yaml")})
