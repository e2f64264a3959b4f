"""docs/explanation/scale_estimates.md is right: its results follow from the inputs that it states."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nextset.extensions.interventions.sentences.published_sentences import read_published_sentences

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "scale_estimates.md").read_text(encoding="utf-8")


HOUR = 3600
Pair = tuple[float, float]
"""A figure of UnQover and the same of the NLI filter."""


def stated() -> dict[str, float]:
    """The column value of the table of inputs, by name."""
    rows = re.findall(r"^\| ([^|]+) \| ([\d,.]+)[^|]*\| (?:measured|counted|assumed|published)", PAGE, re.M)
    return {name.strip(): float(value.replace(",", "")) for name, value in rows}


def encoder(layers: int, width: int) -> int:
    """Weights of a BERT-like encoder without embeddings: 12 × width² a layer."""
    return layers * 12 * width**2


def computed() -> list[tuple[str, str, str]]:
    """The table of results: name, UnQover, NLI filter."""
    x = stated()
    large = encoder(24, 1024)
    five = [encoder(6, 768), encoder(12, 768), large, encoder(12, 768), large]
    questions, statements = 4 * x["quads"], 4 * x["statements"]
    asked = 2 * questions + statements  # by each of the five: two readers and a masked language model
    pairs = 3 * x["candidates"]
    text, pair = 2 * x["tokens per question"], 2 * x["tokens per pair"]
    work = sum(five) * text * asked, large * pair * pairs
    quick = x["H200, bfloat16, TFLOP/s"] * x["use of the peak, %"] * 1e10
    exact = x["H200, float32, TFLOP/s"] * x["use of the peak, %"] * 1e10
    core = x["a CPU core, float32, GFLOP/s"] * 1e9
    reading = x["reading one text, µs"] * 1e-6
    writing = x["writing one text into the cache, µs"] * 1e-6
    again = x["asked again in float32, %"] / 100
    times = (
        sum(max(reading, p * text / quick) for p in five) * asked,
        max(reading, large * pair / quick) * pairs,
    )

    def row(name: str, values: Pair, scale: float, unit: str, digits: int) -> tuple[str, str, str]:
        one, two = (f"{value / scale:,.{digits}f} {unit}".strip() for value in values)
        return name, one, two

    def times_each(values: Pair, factor: float) -> Pair:
        return values[0] * factor, values[1] * factor

    each = (asked * 5, pairs)
    scores = (
        10 * x["quads"] * x["bytes per score of a quad"]
        + 5 * x["statements"] * x["bytes per score of a statement"],
        pairs * x["bytes per score of a pair"],
    )
    largest = (questions, x["candidates"])
    listed = x["candidates"] * x["listing, bytes per candidate"] / 1e9
    audited = x["candidates"] * x["auditing, bytes per item"] / 1e9
    imported = x["candidates"] * x["importing, bytes per row"] / 1e9
    chosen = x["candidates"] * x["filtering, bytes per candidate"] / 1e9
    return [
        row("texts asked", each, 1, "", 0),
        row("work", work, 1e15, "PFLOP", 0),
        row("one H200, bfloat16", work, quick * HOUR, "h", 2),
        row("the same, reading counted", times, HOUR, "h", 2),
        row("asking again in float32", times_each(work, again), exact * HOUR, "h", 2),
        row("one H200, float32 throughout", work, exact * HOUR, "h", 1),
        row("one CPU core, float32", work, core * 24 * HOUR, "days", 0),
        row("writing the cache, at most", times_each(each, writing), HOUR, "h", 2),
        row("scores", scores, 1e9, "GB", 2),
        row("score cache", times_each(each, x["bytes of the cache per text"]), 1e9, "GB", 2),
        row("its largest file", times_each(largest, x["bytes of the cache per text"]), 1e6, "MB", 0),
        ("listing, memory", "–", f"{listed:.1f} GB"),
        ("filtering, memory", "–", f"{chosen:.1f} GB"),
        ("auditing, memory", "–", f"{audited:.1f} GB"),
        ("importing, memory", "–", f"{imported:.1f} GB"),
    ]


@pytest.mark.parametrize("row", computed(), ids=lambda row: row[0])
def test_a_result_follows_from_the_inputs(row: tuple[str, str, str]) -> None:
    assert f"| {' | '.join(row)} |" in PAGE


def test_the_questions_are_those_of_the_paper() -> None:
    x = stated()
    assert round((4 * x["quads"] + 4 * x["statements"]) / 1e6, 1) == 13.5


def test_the_estimate_of_interventions_follows_from_its_inputs(reference: Path) -> None:
    """The sentences of the published files for an attribute of each cluster, and none; ten readers."""
    section = PAGE.partition("## Interventions")[2].partition("\n## ")[0]
    asked = {}
    for name in ("gender", "religion", "ethnicity"):
        sentences = read_published_sentences(reference / "lei" / f"{name}_interventions.json")
        for cluster in ("negative", "crime"):
            fits = [s for s in sentences if not s.clusters or cluster in s.clusters]
            asked[name, cluster] = 1 + len(fits)
    assert (asked["gender", "crime"], asked["religion", "negative"], asked["religion", "crime"]) == (
        25,
        119,
        87,
    )
    assert (asked["ethnicity", "negative"], asked["ethnicity", "crime"]) == (103, 79)
    rows = 1_372_000 * 25
    for name, quads in (("religion", 38_500), ("ethnicity", 73_500)):
        rows += quads * (8 * asked[name, "negative"] + 42 * asked[name, "crime"]) // 50
    large = encoder(24, 1024)
    five = [encoder(6, 768), encoder(12, 768), large, encoder(12, 768), large]
    work = 2 * 47 * sum(five) * 2 * 4 * rows
    for name, value in (
        ("quads with a sentence or none", f"{rows:,}"),
        ("questions asked", f"{40 * rows:,}"),
        ("work", f"{work / 1e15:,.0f} PFLOP"),
        ("one H200, bfloat16", f"{work / (989e12 * 0.4) / HOUR:.1f} h"),
        ("one H200, float32 throughout", f"{work / (67e12 * 0.4) / HOUR:.0f} h"),
        ("scores", f"{10 * rows * 130 / 1e9:.1f} GB"),
        ("score cache", f"{40 * rows * 67 / 1e9:.0f} GB"),
    ):
        assert f"| {name} | {value} |" in section
