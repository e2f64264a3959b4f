"""Additions to the head of a page."""

from __future__ import annotations

__all__ = ["with_head"]

_END_OF_HEAD = b"</head>"


def with_head(page: bytes, parts: bytes) -> bytes:
    """Return the page with ``parts`` at the end of its head; unchanged if it has no head."""
    at = page.find(_END_OF_HEAD)
    return page if at < 0 else page[:at] + parts + page[at:]
