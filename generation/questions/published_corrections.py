"""Corrections of mistakes in UnQover's published lists, unless a study says `quirks: published`."""

from __future__ import annotations

import functools
import re
from importlib.resources import files

import yaml

__all__ = ["corrected", "corrections"]


@functools.cache
def corrections() -> tuple[tuple[str, str, str], ...]:
    """Return the head of each line (empty: a template), with the published text and its replacement."""
    text = (files("nextset.generation.questions") / "published_corrections.yaml").read_text(encoding="utf-8")
    return tuple((c["head"], c["published"], c["mended"]) for c in yaml.safe_load(text))


def corrected(head: str, text: str) -> str:
    """Return ``text`` from a line with ``head``, with its mistakes corrected.

    Only whole words are replaced, and correct text stays: *Yemeni* is not a misspelt *Yemen*.
    """
    for line_head, published, correction in corrections():
        if line_head == head and correction not in text:
            text = correction.join(_whole(published).split(text))
    return text


@functools.cache
def _whole(published: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if published[0].isalnum() else ""
    after = r"(?!\w)" if published[-1].isalnum() else ""
    return re.compile(f"{before}{re.escape(published)}{after}")
