"""Published files of every layout as choice items, and files that are not published items."""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextset.errors import InputError
from nextset.published_choices.bbq_lines import published_fields
from nextset.published_choices.choice_reading import published_choices
from nextset.published_choices.published_answers import published_predictions
from nextset.published_choices.published_rows import count_rows
from nextset.published_choices.unknown_wordings import UNKNOWN_WORDINGS, is_unknown
from tests.nextset.published_choices.published_examples import (
    bbq_row,
    bbq_set,
    cbbq_row,
    esbbq_row,
    kobbq_row,
    write_lines,
    write_tsv,
)


def read(file: Path, language: str = "en") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = published_choices(file, language).to_pylist()
    return rows


def test_a_line_of_bbq(tmp_path: Path) -> None:
    (item,) = read(write_lines(tmp_path / "set.jsonl", [bbq_row()]), "eu")
    assert item["language"] == "eu"
    assert (item["condition"], item["polarity"]) == ("ambiguous", "negative")
    assert [option["group"] for option in item["options"]] == ["cats", "dogs", ""]
    assert [option["role"] for option in item["options"]] == [0, 1, 2]
    assert (item["label"], item["unknown"], item["target"]) == (2, 2, 0)
    assert (item["template_id"], item["template_version"], item["subcategory"]) == ("Pets-1", "", "")
    assert (item["first_group"], item["source"], item["source_id"]) == ("cats", "Made up", "0")


@pytest.mark.parametrize(
    ("category", "index", "infos", "cue"),
    [
        ("Pets", "25", [["cat", "cats"], ["dog", "dogs"]], "label"),
        ("Pets", "26", [["Tom", "cats"], ["Rex", "dogs"]], "name"),
        ("Race_x_gender", "30", [["Asian woman", "F-Asian"], ["White man", "M-White"]], "label"),
        ("Race_x_gender", "3", [["Tanya Wu", "F-Asian"], ["Hal Olson", "M-White"]], "name"),
    ],
)
def test_names_are_told_from_labels(
    tmp_path: Path, category: str, index: str, infos: list[list[str]], cue: str
) -> None:
    answers = {"ans0": infos[0], "ans1": infos[1], "ans2": ["Unknown", "unknown"]}
    row = bbq_row(category=category, question_index=index, answer_info=answers)
    assert read(write_lines(tmp_path / "set.jsonl", [row]))[0]["cue"] == cue


def test_rows_of_a_template_tell_the_second_attribute_of_a_crossed_target(tmp_path: Path) -> None:
    def row(number: int, first: str, second: str) -> dict[str, Any]:
        return bbq_row(
            example_id=number,
            category="Race_x_gender",
            additional_metadata={"stereotyped_groups": ["Asian"], "version": "None"},
            answer_info={
                "ans0": [first[2:], first], "ans1": [second[2:], second], "ans2": ["Unknown", "unknown"],
            },
        )  # fmt: skip

    rows = [row(0, "F-Asian", "M-White"), row(1, "M-Asian", "F-Asian"), row(2, "F-White", "F-Asian")]
    assert [item["target"] for item in read(write_lines(tmp_path / "set.jsonl", rows))] == [0, 1, 1]
    # without the first and the last row, gender is not known
    (item,) = read(write_lines(tmp_path / "set.jsonl", rows[1:2]))
    assert item["target"] is None


def test_all_rows_about_the_same_people_and_words_are_a_set_in_any_order(tmp_path: Path) -> None:
    rows = bbq_set()
    other = [{**row, "example_id": 8 + i, "context": row["context"].replace("door", "fire")}
             for i, row in enumerate(rows)]  # fmt: skip
    mixed = list(itertools.chain.from_iterable(zip(reversed(rows), other, strict=True)))
    items = read(write_lines(tmp_path / "set.jsonl", mixed))
    sets = {item["set_id"] for item in items}
    assert len(sets) == 2
    for one in sets:
        there = [item for item in items if item["set_id"] == one]
        cells = {(item["condition"], item["polarity"], item["first_group"]) for item in there}
        assert len(there) == len(cells) == 8
        assert {tuple(sorted((o["role"], o["group"]) for o in item["options"])) for item in there} == {
            ((0, "cats"), (1, "dogs"), (2, ""))
        }


def test_items_of_esbbq(tmp_path: Path) -> None:
    (item,) = read(write_lines(tmp_path / "data_ca_Pets.jsonl", [esbbq_row()]))
    assert (item["language"], item["target"], item["unknown"]) == ("ca", 0, 2)
    assert (item["stereotype"], item["source"]) == ("pereza", "survey")


@pytest.mark.parametrize(
    ("question", "order", "target"),
    [("bsd", "['고양이', '개', '알 수 없음']", 0), ("cnt", "['고양이', '개', '알 수 없음']", 1),
     ("cnt", "['알 수 없음', '개', '고양이']", 1)],
)  # fmt: skip
def test_samples_of_kobbq(tmp_path: Path, question: str, order: str, target: int) -> None:
    row = kobbq_row(sample_id=f"pets-001b-002-amb-{question}-1", choices=order, answer="알 수 없음")
    (item,) = read(write_tsv(tmp_path / "set.tsv", [row]))
    assert (item["language"], item["category"], item["template_id"]) == ("ko", "pets", "pets-1")
    assert item["template_version"] == "b"
    # the biased answer is the cat: the target of a biased question, the other of a counter-biased one
    assert item["target"] == target
    assert item["options"][item["target"]]["role"] == 0


def test_samples_of_kobbq_of_the_hub_have_lists(tmp_path: Path) -> None:
    row = kobbq_row(choices=["고양이", "개", "알 수 없음"])
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "set.parquet")
    assert read(tmp_path / "set.parquet")[0]["unknown"] == 2


def test_rows_of_cbbq_learn_the_wording_of_unknown_from_each_other(tmp_path: Path) -> None:
    rows = [
        cbbq_row(),
        cbbq_row(example_id="2", context_condition="disambiguous", label="0",
                 context="一只小猫和一只小狗在睡觉。小猫没有起来。"),
    ]  # fmt: skip
    (tmp_path / "set.json").write_text(json.dumps(rows), encoding="utf-8-sig")
    items = read(tmp_path / "set.json")
    assert [item["unknown"] for item in items] == [2, 2]
    assert [item["target"] for item in items] == [0, 0]
    assert items[0]["language"] == "zh"
    assert items[0]["set_id"] == items[1]["set_id"]


@pytest.mark.parametrize("wording", sorted(UNKNOWN_WORDINGS))
def test_every_published_wording_of_unknown_is_known(wording: str) -> None:
    assert is_unknown(wording.capitalize())
    assert is_unknown(f"{{{wording}}}.")
    assert not is_unknown(f"{wording} person")


@pytest.mark.parametrize("index", ["²", "9" * 5000, "٣", "../1"])
def test_a_question_index_need_not_be_a_number(tmp_path: Path, index: str) -> None:
    (item,) = read(write_lines(tmp_path / "set.jsonl", [bbq_row(question_index=index)]))
    assert (item["template_id"], item["cue"]) == (f"Pets-{index}", "label")


def test_a_packed_file_and_one_with_predictions(tmp_path: Path) -> None:
    rows = [
        bbq_row(model_pred_race="the cat.", model_pred_arc=""),
        bbq_row(model_pred_race="a bird", model_pred_arc=""),
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "set.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    chosen = published_predictions(tmp_path / "set.jsonl.gz")
    assert {name: places.tolist() for name, places in chosen.items()} == {"model_pred_race": [0, -1]}
    with pytest.raises(InputError, match="no predictions"):
        published_predictions(write_lines(tmp_path / "plain.jsonl", [bbq_row()]))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"text": "x"}], r"set\.jsonl:1: these are not published items: the first row has the fields text"),
        ([bbq_row(), bbq_row(question_polarity="rude")], r":2: question_polarity is 'rude', not one of neg"),
        ([bbq_row(context_condition=None)], "context_condition is missing"),
        ([bbq_row(label=3)], "label is '3', not the number of one of the 3 options"),
        ([bbq_row(label=True)], "label is True"),
        ([bbq_row(ans1=None)], "the row has the answers ans0, ans2, not ans0, ans1, ans2"),
        ([bbq_row(ans3="x", ans4="x", ans5="x", ans6="x")], "the row has more than 6 answers"),
        ([bbq_row(answer_info={"ans0": ["cat", "cats"]})], "answer_info.ans1 is missing"),
        ([bbq_row(answer_info=["cat"])], "answer_info is .* not an object"),
        ([bbq_row(context="")], "context is empty"),
        ([bbq_row(context=float("nan"))], "context is nan, not a text"),
        ([bbq_row(additional_metadata={"stereotyped_groups": "cats"})], "stereotyped_groups is 'cats'"),
        ([esbbq_row(stereotyped_groups=None)], "stereotyped_groups is missing"),
        ([kobbq_row(sample_id="pets-1")], "sample_id is 'pets-1', not an id such as age-001a-002-amb-bsd"),
        ([kobbq_row(choices="__import__('os')")], "choices is .* not a list of texts such as"),
        ([kobbq_row(choices="[" * 3000)], "not a list of texts"),
        ([kobbq_row(choices=f"['{'x' * 5000}']")], "choices has 5,004 characters"),
        ([kobbq_row(choices="['a', 'b']")], "choices has 2 entries"),
        ([kobbq_row(choices=r"['\ud800', 'b', 'c']")], "not a list of texts"),
        ([kobbq_row(choices="7")], "choices is '7', not a list of texts"),
        ([kobbq_row(answer="새")], "answer is '새', which is not one of the choices"),
        ([cbbq_row(bias_targeted_groups="")], "bias_targeted_groups is empty"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line_and_value(
    tmp_path: Path, rows: list[dict[str, Any]], message: str
) -> None:
    file = write_lines(tmp_path / "set.jsonl", rows)
    with pytest.raises(InputError, match=message) as caught:
        read(file)
    assert caught.value.remedy
    assert caught.value.file == file


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("set.jsonl", b"", "these are not published items: the first row has the fields none"),
        ("set.jsonl", b"\xff\xfe\x00", "not UTF-8"),
        ("set.jsonl", b"{" * 4000, "nested|not JSON"),
        ("set.json", b"{}", "not a list"),
        ("set.json", b"[1]", "not an object"),
        ("set.json", b"[" * 9000, "nested|not JSON"),
        ("set.parquet", b"PAR1", "parquet|Parquet|damaged"),
        ("set.txt", b"x", "is not a table that can be read"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, name: str, raw: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(InputError, match=message):
        read(tmp_path / name)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(row=st.sampled_from([bbq_row(), esbbq_row(), kobbq_row(), cbbq_row()]), data=st.data())
def test_a_row_with_an_arbitrary_value_is_read_and_comes_back_or_is_refused(
    tmp_path: Path, row: dict[str, Any], data: st.DataObject
) -> None:
    changed = {**row, data.draw(st.sampled_from(sorted(row))): data.draw(VALUES)}
    file = write_lines(tmp_path / "set.jsonl", [row, changed])
    try:
        items = read(file)
    except InputError as e:
        assert e.remedy
        assert e.line == 2
    else:
        assert published_fields(items[1]) in (changed, None)


def test_a_packed_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    raw = gzip.compress("".join(json.dumps(bbq_row(example_id=i)) + "\n" for i in range(2000)).encode())
    (tmp_path / "set.jsonl.gz").write_bytes(raw[:-400])
    for reading in (read, count_rows):
        with pytest.raises(InputError, match="damaged gzip data"):
            reading(tmp_path / "set.jsonl.gz")
