"""Slips of UnQover's published lists, mended unless a study says `quirks: published`."""

from __future__ import annotations

import functools
from importlib.resources import files

import yaml

__all__ = ["corrected", "corrections"]


@functools.cache
def corrections() -> tuple[tuple[str, str, str], ...]:
    """Head of the line (empty: a template), what is published, and what takes its place."""
    text = (files("nextset.generation.questions") / "published_corrections.yaml").read_text(encoding="utf-8")
    return tuple((c["head"], c["published"], c["mended"]) for c in yaml.safe_load(text))


def corrected(head: str, text: str) -> str:
    """``text`` of a line with ``head``, mended."""
    for of, published, mended in corrections():
        if of == head and published in text:
            text = text.replace(published, mended)
    return text
