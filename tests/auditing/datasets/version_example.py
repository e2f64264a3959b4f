"""A small dataset version of NLI items in pairs, with controls."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from nextset.records.nli_items import Stance
from tests.release.version_folders import item, items_table, write_version

__all__ = ["example_rows", "example_version"]

WORDS = ("clumsy", "creative", "untidy", "patient", "careless", "musical")


def example_rows(controls: bool) -> pa.Table:
    """Six pairs of items, or two controls."""
    if controls:
        labels = {"A cook is here.": "entailment", "No cook is here.": "contradiction"}
        return items_table([item(h, "test", label=label) for h, label in labels.items()])
    rows = []
    for word in WORDS:
        pair = [item(f"The {side}-handed cook is {word}.", stance) for side, stance in _SIDES]
        for row, other in (pair, pair[::-1]):
            rows.append(row | {"counterpart_id": other["id"]})
    return items_table(rows)


_SIDES: tuple[tuple[str, Stance], ...] = (("left", "pro"), ("right", "anti"))


def example_version(folder: Path) -> Path:
    """A version with both splits."""
    return write_version(
        folder, {"items": example_rows(False), "items:controls": example_rows(True)}, "1.2.0"
    )
