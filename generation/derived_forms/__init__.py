"""Regular forms of words that a language pack need not list: cases, plurals, female surnames."""

from __future__ import annotations

__all__: list[str] = []
