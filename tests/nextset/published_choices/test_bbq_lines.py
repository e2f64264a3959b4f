"""Items written in the layout of BBQ, and read again."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextset.published_choices.bbq_lines import bbq_lines, published_fields, write_bbq
from nextset.published_choices.choice_reading import published_choices
from nextset.published_choices.unknown_wordings import UNKNOWN_WORDINGS
from tests.choice_rows import choice_items
from tests.nextset.published_choices.published_examples import (
    bbq_row,
    cbbq_row,
    esbbq_row,
    kobbq_row,
    write_lines,
    write_tsv,
)

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=30).filter(
    lambda text: bool(text.strip())
)
VALUE = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | TEXT | st.lists(TEXT, max_size=3)
OPTION = TEXT.filter(lambda text: text.strip(" {}.。").casefold() not in UNKNOWN_WORDINGS)


@st.composite
def bbq_rows(draw: st.DrawFn) -> dict[str, Any]:
    """A line of BBQ with arbitrary texts, an arbitrary order, and fields that BBQ does not have."""
    options = draw(st.lists(OPTION, min_size=2, max_size=4, unique=True))
    unknown = draw(st.integers(0, len(options)))
    options.insert(unknown, draw(st.sampled_from(sorted(UNKNOWN_WORDINGS))).capitalize())
    names = [f"ans{place}" for place in range(len(options))]
    groups = ["unknown" if place == unknown else draw(TEXT) for place in range(len(options))]
    more = draw(st.dictionaries(TEXT.filter(lambda key: not key.startswith("ans")), VALUE, max_size=3))
    row = bbq_row(
        example_id=draw(st.integers(0, 10**6)),
        question_index=str(draw(st.integers(1, 50))),
        context=draw(TEXT),
        question=draw(TEXT),
        label=draw(st.integers(0, len(options) - 1)),
        answer_info={name: [draw(TEXT), group] for name, group in zip(names, groups, strict=True)},
        **dict(zip(names, options, strict=True)),
    )
    return {**more, **row}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(rows=st.lists(bbq_rows(), min_size=1, max_size=5))
def test_a_line_of_bbq_comes_back_field_for_field(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    items = published_choices(write_lines(tmp_path / "set.jsonl", rows), "en")
    assert [json.loads(line) for line in bbq_lines(items)] == rows


@pytest.mark.parametrize(
    ("name", "rows"),
    [("set.jsonl", [esbbq_row()]), ("set.json", [cbbq_row(), cbbq_row(example_id="2")])],
)
def test_rows_of_the_ports_come_back_as_published(
    tmp_path: Path, name: str, rows: list[dict[str, Any]]
) -> None:
    file = tmp_path / name
    if name.endswith(".json"):
        file.write_text(json.dumps(rows), encoding="utf-8")
    else:
        write_lines(file, rows)
    assert [published_fields(item) for item in published_choices(file, "en").to_pylist()] == rows


def test_a_sample_of_kobbq_comes_back_as_published_and_can_be_written_as_bbq(tmp_path: Path) -> None:
    items = published_choices(write_tsv(tmp_path / "set.tsv", [kobbq_row()]), "en")
    assert published_fields(items.to_pylist()[0]) == kobbq_row()
    (line,) = bbq_lines(items)
    written = json.loads(line)
    assert written["answer_info"]["ans0"] == ["고양이", "고양이"]
    assert written["answer_info"]["ans2"] == ["알 수 없음", "unknown"]
    assert written["additional_metadata"]["stereotyped_groups"] == ["고양이"]
    assert (written["question_index"], written["label"]) == ("1", 2)


def test_own_items_in_the_layout_of_bbq_mean_the_same_when_they_are_read_again(tmp_path: Path) -> None:
    items = choice_items(2, 1)
    file = tmp_path / "own.jsonl"
    write_bbq(items, file)
    again = published_choices(file, "en")
    same = [
        "id", "language", "category", "context", "question", "label", "unknown", "target", "condition",
        "polarity", "template_version", "target_groups", "source",
    ]  # fmt: skip
    assert again.select(same).to_pylist() == items.select(same).to_pylist()
    # a set is the same rows, whatever its id
    pairs = zip(items["set_id"].to_pylist(), again["set_id"].to_pylist(), strict=True)
    assert len(set(pairs)) == len(set(items["set_id"].to_pylist()))


@pytest.mark.parametrize("targets", [["Mexico"], ["old", "young"]])
def test_targets_that_the_groups_do_not_show_come_back(tmp_path: Path, targets: list[str]) -> None:
    """A target can be one of several subjects of a group; two people of target groups have no target."""
    items = choice_items(1, 1)
    rows = [{**row, "target_groups": targets} for row in items.to_pylist()]
    rows = [{**row, "target": None} for row in rows] if len(targets) > 1 else rows
    write_bbq(pa.Table.from_pylist(rows, schema=items.schema), tmp_path / "own.jsonl")
    again = published_choices(tmp_path / "own.jsonl", "en")
    assert again["target"].to_pylist() == [row["target"] for row in rows]


@pytest.mark.slow
@pytest.mark.reference
def test_every_published_line_comes_back(reference: Path) -> None:
    files = [*(reference / "bbq" / "unifiedqa").glob("*.jsonl"), *(reference / "esbbq").glob("*.jsonl")]
    assert len(files) == 8
    for file in files:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        assert [json.loads(line) for line in bbq_lines(published_choices(file, "en"))] == rows
    samples = reference / "kobbq" / "KoBBQ_test_samples.tsv"
    with samples.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text, delimiter="\t"))
    assert [published_fields(item) for item in published_choices(samples, "en").to_pylist()] == rows
