"""Whether nextset may download files of models and data sets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["MAY_DOWNLOAD", "without_downloads"]

MAY_DOWNLOAD: ContextVar[bool] = ContextVar("MAY_DOWNLOAD", default=True)
"""False while only files on this machine may be used."""


@contextmanager
def without_downloads() -> Iterator[None]:
    """Within it, nothing is downloaded: a Hub model that is not on this machine is a ModelError."""
    token = MAY_DOWNLOAD.set(False)
    try:
        yield
    finally:
        MAY_DOWNLOAD.reset(token)
