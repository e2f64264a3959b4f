"""The look of the pages that nextset writes."""

from __future__ import annotations

from pathlib import Path

__all__ = ["style"]


def style() -> str:
    """The style sheet, to stand in a page: it asks for nothing."""
    return (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
