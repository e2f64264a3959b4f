"""Errors of the libraries that load and run models, as plain ModelErrors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from nextset.errors import ModelError, NextsetError

__all__ = ["cause", "library_errors"]

MOST = 400
"""The maximum number of characters of a library's message that an error shows."""


@contextmanager
def library_errors(problem: str, remedy: str) -> Iterator[None]:
    """Raise ModelError, with ``problem`` and the cause, for any error that is not nextset's own."""
    try:
        yield
    except NextsetError:
        raise
    # transformers, tokenizers, torch and Ray, with their own bugs or damaged files, raise all built-in
    # exceptions, their own exceptions, and the class Exception itself
    except Exception as e:  # noqa: BLE001
        raise ModelError(f"{problem}: {cause(e)}", remedy=remedy) from None


def cause(e: Exception) -> str:
    """Return the message of ``e`` on one line, with the exception's class if the message is only a word."""
    text = " ".join(str(e).split())
    shown = text if len(text) <= MOST else f"{text[:MOST]} …"
    return shown if re.search(r"[^\W\d]\S* ", text) else f"{type(e).__name__} {shown}".strip()
