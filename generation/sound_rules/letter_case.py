"""The capital of a sentence's first word, kept when a sound rule changes the word."""

from __future__ import annotations

__all__ = ["cased_like"]


def cased_like(word: str, model: str) -> str:
    """Return ``word``, with a capital if ``model`` begins with one: *De le* becomes *Du*."""
    return word[0].upper() + word[1:] if model[:1].isupper() else word
