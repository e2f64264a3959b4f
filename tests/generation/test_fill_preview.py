"""A preview shows what masks take, and the fills of the last run by kind."""

from __future__ import annotations

import json
from pathlib import Path

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.cli.stage_text import preview_text
from nextset.generation.fill_preview import FillPreview
from nextset.generation.mask_fills.fill_selection import BESIDE
from tests.generation.mask_fills.pets_study import PETS, study


def test_a_preview_shows_masks_and_the_fills_of_the_last_run_by_kind(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "top_k: 3, mask: adj")
    # two masks: one without anchors, and one that takes only the listed words
    anchored = PETS.replace("{{MASK}} {{GROUP2}} seem", "{{GROUP2}} seem").replace(
        "Do {{MASK}} {{GROUP2}}", "Do {{GROUP2}}"
    )
    anchored = anchored.replace("too {{MASK}}.", "too {{MASK:only like slow, old, unlike quick, young}}.")
    (loaded.folder / "pets.yaml").write_text(anchored, encoding="utf-8")
    before = nextset.preview(loaded)
    assert before.masks == {"masks": 2, "masks with anchors": 1, "masks that take only listed words": 1}
    assert "  masks: 2, masks with anchors: 1, masks that take only listed words: 1\n" in preview_text(before)
    assert before.fills == FillPreview()

    nextset.generate(loaded)
    filled = nextset.fill(loaded)
    previewed = nextset.preview(loaded, examples=1)
    claims = filled.table("items")["fill_claim"].to_pylist()
    kinds = {
        "with": "kept, with the claim",
        "against": "kept, against the claim",
        None: "kept, at masks without anchors",
    }
    kept = {kind: claims.count(claim) for claim, kind in kinds.items()}
    assert sum(kept.values()) == len(claims)
    counts = previewed.fills.counts
    assert {kind: counts[kind] for kind in kept} == kept
    assert {reason: n for reason, n in counts.items() if reason not in kept} == {
        reason: n for reason, n in filled.counts.items() if n and reason.endswith((", dropped", ", merged"))
    }
    assert BESIDE not in counts  # the only words are anchors
    ((example,),) = (previewed.fills.examples[kinds["against"]],)
    assert example.endswith(("quick.", "young."))
    shown, html = preview_text(previewed), previewed._repr_html_()
    for kind in kept:
        assert f"{kept[kind]:>12,} {kind}\n" in shown
        assert kind in html
    assert f"\n  {kinds['against']}\n    {example}\n" in shown
    assert example in html
    assert json.loads(json.dumps(previewed.as_json()))["fills"]["counts"] == counts

    # a study that has changed since has no fills to show
    (loaded.folder / "pets.yaml").write_text(PETS, encoding="utf-8")
    assert nextset.preview(loaded).fills == FillPreview()
    assert open_artifact(loaded.out / "fill").rows("items")
