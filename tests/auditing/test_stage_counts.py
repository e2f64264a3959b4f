"""The table of items by stage: what each stage passed on and what it dropped."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.drop_counts import drops
from nextset.auditing.report_stage import stage_count
from nextset.generation.mask_fills import fill_selection
from nextset.generation.mask_fills.fill_drops import REASONS
from nextset.generation.mask_fills.filled_items import KEPT


def _stage(out: Path, stage: str, table: str, rows: int, counts: dict[str, int]) -> None:
    items = pa.table({"id": [str(i) for i in range(rows)]})
    build(out / stage, Recipe(stage, 1, {}, {}), lambda: [Part(table, lambda: PartResult(items, counts))])


def test_of_the_fills_only_the_dropped_ones_are_dropped(tmp_path: Path) -> None:
    counts = {
        KEPT: 6,
        "fills of another part of speech, dropped": 2,
        "fills that are function words, dropped": 2,
        "rows with the same text as another row, merged": 1,
        "masked rows with fewer fills than top_k": 3,
        "fills that are names, dropped": 0,
        "answers": 7,
    }
    _stage(tmp_path, "fill", "items", 5, counts)
    found = stage_count(tmp_path, "filled", "fill", "items")
    # 6 kept fills, of which one has the text of another: 5 items; 2 + 2 + 1 were left out
    assert (found.kept, sum(n for _, n in found.dropped)) == (5, 5)
    assert dict(found.dropped) == {
        "fills of another part of speech, dropped": 2,
        "fills that are function words, dropped": 2,
        "rows with the same text as another row, merged": 1,
    }


def test_every_count_of_the_filter_is_a_reason_for_rejection(tmp_path: Path) -> None:
    _stage(tmp_path, "filter", "kept", 2, {"fewer than most models wrong": 9})
    assert stage_count(tmp_path, "hard", "filter", "kept").dropped == (("fewer than most models wrong", 9),)


_CONSTANTS = ("EXCLUDED", "UNLISTED", "OTHER_CATEGORY", "UNINFLECTED")


@pytest.mark.parametrize("reason", [*REASONS.values(), *(getattr(fill_selection, n) for n in _CONSTANTS)])
def test_the_reasons_of_fill_are_known_as_drops(reason: str) -> None:
    assert drops({reason: 1}) == {reason: 1}
