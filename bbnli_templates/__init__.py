"""The templates that come with nextset, as files: one per stereotype, in one folder per domain.

Templates in languages other than English are one folder deeper, by language.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOLDER", "english_files", "languages"]

FOLDER = Path(__file__).resolve().parent
"""The folder with ``<domain>/<stereotype>.yaml`` and ``<language>/<domain>/<stereotype>.yaml``."""


def english_files() -> list[Path]:
    """Return the English template files, sorted."""
    return sorted(FOLDER.glob("*/*.yaml"))


def languages() -> list[str]:
    """Return the language tags of the templates that are not in English, sorted."""
    return sorted({file.parents[1].name for file in FOLDER.glob("*/*/*.yaml")})
