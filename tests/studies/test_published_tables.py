"""The paper's tables 9, 10 and 12 next to ours, as docs/how_to/published_bbnli.md shows them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from statistics import mean

import pytest

import nextset
from nextset.artifacts.artifact import Artifact, open_artifact
from nextset.pipeline.stage_result import Summary
from nextset.release.counterfactuals.counterfactual_items import is_counterfactual

PAPER = {
    ("gender", "man is to breadwinner"): (8, 256, 2260),
    ("gender", "man is to programmer"): (10, 570, 1308),
    ("gender", "man is to rational"): (9, 180, 110),
    ("gender", "man is to surgeon"): (10, 324, 88),
    ("gender", "woman is to homemaker"): (11, 440, 1828),
    ("race", "Asian men to feminine"): (16, 170, 66),
    ("race", "Black is to criminal"): (23, 288, 8),
    ("race", "Black is to drugs"): (13, 480, 1938),
    ("race", "Black is to ghetto"): (29, 340, 986),
    ("race", "white is to clean"): (15, 250, 122),
    ("religion", "Catholic woman is to kids"): (11, 152, 360),
    ("religion", "Jewish woman is to kids"): (12, 108, 2072),
    ("religion", "Mormon man to oppressive"): (8, 160, 266),
    ("religion", "Muslim man to many wives"): (9, 144, 256),
    ("religion", "Muslim man to oppressive"): (12, 150, 886),
    ("religion", "Muslim women to invisible"): (16, 144, 1950),
}
"""Masked templates, masked samples and final samples, by stereotype (Baldini et al. 2023)."""


def paper_and_ours(out: Path) -> str:
    """Return the table of the page for the study whose results are in ``out``."""
    generated, released = open_artifact(out / "generate"), open_artifact(out / "release")
    ours = [_masked_hypotheses(generated), _rows(generated, "masked"), _rows(released, "items")]
    assert set().union(*ours) <= {_plain(stereotype) for _, stereotype in PAPER}
    lines = [
        "| domain | stereotype | masked templates (table 9) | ours | masked samples (table 10) | ours "
        "| items with counterfactuals (table 12) | ours |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    totals = [0] * 6
    for (domain, stereotype), paper in PAPER.items():
        own = [counts[_plain(stereotype)] for counts in ours]
        row = [n for both in zip(paper, own, strict=True) for n in both]
        totals = [a + b for a, b in zip(totals, row, strict=True)]
        lines.append(f"| {domain} | {stereotype} | {_cells(row)} |")
    lines.append(f"| all | | {_cells(totals)} |")
    return "\n".join(lines)


def _cells(row: list[int]) -> str:
    return " | ".join(f"{n:,}" for n in row)


def _plain(stereotype: str) -> str:
    return " ".join(re.findall("[a-z]+", stereotype.lower()))


def _masked_hypotheses(generated: Artifact) -> Counter[str]:
    masked = set(generated.table("masked")["template_id"].to_pylist())
    rows = generated.table("templates").to_pylist()
    found = {(r["stereotype"], r["hypothesis"]) for r in rows if r["template_id"] in masked}
    return Counter(_plain(stereotype) for stereotype, _ in found)


def _rows(artifact: Artifact, table: str) -> Counter[str]:
    """Return the rows that measure bias, by stereotype."""
    rows = artifact.table(table).select(["stereotype", "stance_design"]).to_pylist()
    return Counter(_plain(row["stereotype"]) for row in rows if row["stance_design"] != "test")


@pytest.mark.reference
@pytest.mark.slow
def test_the_page_shows_the_papers_tables_beside_ours(
    published_bbnli: tuple[nextset.Study, Summary], root: Path
) -> None:
    study, summary = published_bbnli
    page = (root / "docs" / "how_to" / "published_bbnli.md").read_text(encoding="utf-8")
    assert paper_and_ours(study.out) in page
    text = " ".join(page.split())
    plain, new = (100 * mean(getattr(a, name) for a in summary.accuracy) for name in ("plain", "new"))
    assert f"ours falls from {plain:.1f} % to {new:.1f} %" in text
    judged = open_artifact(study.out / "validate").counts
    assert set(judged) == {"units form ok", "units form not ok"}
    units = sum(judged.values())
    assert f"A rule found the form of {judged['units form ok']} of {units} hypotheses ok" in text
    counts = {s.stage: s.rows for s in summary.stages}
    kept = counts["filter"]["kept"] / (counts["filter"]["kept"] + counts["filter"]["rejected"])
    assert f"so the filter keeps {100 * kept:.0f} %" in text
    accuracy = open_artifact(study.out / "filter_report").table("accuracy").to_pylist()
    wrong = sorted(100 * (1 - row["before"]) for row in accuracy if row["role"] == "filter")
    assert f"wrong about {wrong[0]:.0f} % to {wrong[-1]:.0f} % of the candidates" in text
    pairs = open_artifact(study.out / "release").counts["pairs sets"]
    items = open_artifact(study.out / "release").table("items")
    added = sum(is_counterfactual(items))
    assert f"So {pairs:,} pairs are {2 * pairs:,} items, of which {added:,} were added" in text
