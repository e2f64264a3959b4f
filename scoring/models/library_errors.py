"""Errors of the libraries that load and run models, put into words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from nextset.errors import ModelError, NextsetError

__all__ = ["cause", "library_errors"]

MOST = 400
"""Characters of a library's message that an error shows."""


@contextmanager
def library_errors(problem: str, remedy: str) -> Iterator[None]:
    """Raise ModelError, with ``problem`` and the cause, for whatever else a library raises."""
    try:
        yield
    except NextsetError:
        raise
    # transformers, tokenizers, torch and Ray raise what their own code or a damaged file leads them to: every
    # built-in exception, exceptions of their own, and Exception itself
    except Exception as e:
        raise ModelError(f"{problem}: {cause(e)}", remedy=remedy) from e


def cause(e: Exception) -> str:
    """What went wrong, on one line; the exception's kind too if its text is a word or a number."""
    said = " ".join(str(e).split())
    shown = said if len(said) <= MOST else f"{said[:MOST]} …"
    return shown if re.search(r"[^\W\d]\S* ", said) else f"{type(e).__name__} {shown}".strip()
