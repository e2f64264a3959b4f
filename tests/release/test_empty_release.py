"""A release without rows says which stage left none."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import nextset
from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.errors import ArtifactError
from nextset.release.stage import build_release
from nextset.study.item_tables import plain_items


def make(study: nextset.Study, stage: str, **tables: pa.Table) -> None:
    parts = [Part(name, lambda table=table: PartResult(table)) for name, table in tables.items()]  # type: ignore[misc]
    build(study.out / stage, Recipe(stage, 1, {}, {}), lambda: parts)


@pytest.mark.parametrize(
    ("kept", "said", "remedy"),
    [
        (0, "generate 14, fill 4, filter 0, validate 0", "filter.rule"),
        (2, "generate 14, fill 4, filter 2, validate 2", "judge more"),
    ],
)
def test_what_each_stage_left_is_said(tmp_path: Path, kept: int, said: str, remedy: str) -> None:
    study = nextset.new_study(tmp_path / "mine")
    nextset.generate(study)  # 4 hypotheses, 6 masked and 4 tests
    items = plain_items(study.out)
    make(study, "fill", items=items.slice(0, 4))
    make(study, "filter", kept=items.slice(0, kept))
    judged = items.slice(0, kept).append_column("unit_id", items.slice(0, kept)["id"])
    none = pa.nulls(kept, pa.string())
    judged = judged.append_column("verdict", none).append_column("judge", none)
    judged = judged.append_column("form_ok", pa.nulls(kept, pa.bool_()))
    few = pa.table({"unit_id": pa.array([], pa.string())})
    make(study, "validate", items=judged, form_ok=judged.slice(0, 0), too_few_judgments=few)
    with pytest.raises(ArtifactError) as caught:
        build_release(study)
    assert caught.value.message == f"there are no items to release (items by stage: {said})"
    assert remedy in caught.value.remedy
