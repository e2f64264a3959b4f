from __future__ import annotations

import struct

import pytest

from nextset.release.dataset_card.card_plots import MOST, card_plots, part_plot, shift_plot, stage_plot
from nextset.release.dataset_card.paper_tables import ModelShift, PartStages, totals_by_domain

PARTS = (
    PartStages("hands", "left-handed people are creative", 2, 60, 1200, 300, 200, 150, 120),
    PartStages("height", "<b>tall</b> people & leaders", 2, 4, 80, 0, 0, 0, 0),
)
SHIFTS = (ModelShift("some/model", "filter", "accuracy", 1.0, 0.0, 1280, 300),)


def size(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    return width, height


@pytest.mark.slow
def test_the_same_facts_give_the_same_images() -> None:
    first = card_plots(PARTS, totals_by_domain(PARTS), SHIFTS)
    assert first == card_plots(PARTS, totals_by_domain(PARTS), SHIFTS)
    assert [p.image.path for p in first] == ["images/stages.png", "images/models.png", "images/parts.png"]
    for plot in first:
        width, height = size(plot.png)
        assert 700 < width < 800
        assert 100 < height < 1200


@pytest.mark.slow
def test_the_alternative_text_has_the_numbers() -> None:
    told = part_plot(PARTS).image.alt
    assert "left-handed people are creative: 150 originals, 120 counterfactuals" in told
    assert (
        "hands: 1,200 candidates, 300 kept, 200 valid, 270 released"
        in stage_plot(totals_by_domain(PARTS)).image.alt
    )
    assert (
        "some/model (filter): 100.0% among the candidates, 0.0% among the kept rows"
        in shift_plot(SHIFTS).image.alt
    )


def test_missing_facts_make_no_image() -> None:
    unknown = ModelShift("m", "filter", "accuracy", None, None, 0, 0)
    assert card_plots((), (), (unknown,)) == ()
    quads = (PartStages("en", "handedness", 1, 3, 3, None, None, 3, 0),)
    (plot,) = card_plots(quads, quads, (), "class of subjects")
    assert plot.image.alt == "Rows after each stage. handedness: 3 candidates, 3 released."


def test_many_parts_are_cut_and_the_plot_says_so() -> None:
    many = tuple(PartStages("d", f"s{i}", 1, 1, i, i, i, i, 0) for i in range(MOST + 3))
    told = part_plot(many).image.alt
    # the smallest three are left out
    assert "s0:" not in told
    assert "s2:" not in told
    assert "s3: 3" in told
