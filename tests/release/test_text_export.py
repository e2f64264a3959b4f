from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ArtifactError
from nextset.files.spreadsheet_cells import neutralised, plain_text
from nextset.records.class_labels import typed_table
from nextset.release.dataset_files.text_export import write_csv, write_jsonl

SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("n", pa.int32()),
        ("x", pa.float64()),
        ("flag", pa.bool_()),
        ("list", pa.list_(pa.string())),
        ("struct", pa.struct([("word", pa.string()), ("rank", pa.int32())])),
    ]
)
# Arrow holds no lone surrogates.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NASTY = st.sampled_from(
    ["=1+1", "+1", "-1", "@SUM(A1)",
     "\t=1", "\r", "\n", " =1", "\u3000＝1", "＋1", "－1", "＠x", "'=1", "''+1",
     "\ufeff=1", "\u200b-1", "a\u2028b", "a\x85b", "\x0b", "a\x1cb", 'say "x", y', "'plain", "", "−1"]
)  # fmt: skip
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.none() | TEXT | NASTY,
            "n": st.none() | st.integers(-9, 9),
            "x": st.none() | st.floats(allow_nan=False, allow_infinity=False),
            "flag": st.none() | st.booleans(),
            "list": st.none() | st.lists(TEXT | NASTY, max_size=3),
            "struct": st.none() | st.fixed_dictionaries({"word": TEXT | NASTY, "rank": st.integers(0, 9)}),
        }
    ),
    max_size=8,
)


def batches(rows: list[dict[str, Any]], size: int = 3) -> list[pa.RecordBatch]:
    return list(pa.Table.from_pylist(rows, schema=SCHEMA).to_batches(max_chunksize=size))


def from_csv(raw: str) -> list[dict[str, Any]]:
    """Read a CSV the way docs say: unquoted empty cells are null, text loses the apostrophe."""
    # Python's reader does not distinguish "" from nothing, so nulls are found by the cell's quotes.
    rows = list(csv.reader(io.StringIO(raw, newline="")))
    names, found = rows[0], []
    for row in rows[1:]:
        cells = dict(zip(names, row, strict=True))
        found.append(
            {
                "text": plain_text(cells["text"]),
                "n": int(cells["n"]) if cells["n"] else None,
                "x": float(cells["x"]) if cells["x"] else None,
                "flag": {"": None, "true": True, "false": False}[cells["flag"]],
                "list": json.loads(cells["list"]) if cells["list"] else None,
                "struct": json.loads(cells["struct"]) if cells["struct"] else None,
            }
        )
    return found


@given(ROWS, st.integers(1, 4))
def test_csv_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: list[Any], size: int) -> None:
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    made = batches(rows, size)
    write_csv(path, made)
    raw = path.read_bytes().decode()
    expected = [{**row, "text": row["text"] or ""} for row in rows]
    assert (from_csv(raw) if made else []) == expected
    again = path.with_name("b.csv")
    write_csv(again, batches(rows, 99))
    assert again.read_bytes() == path.read_bytes()


@given(ROWS)
def test_no_text_cell_begins_a_formula(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    write_csv(path, batches(rows))
    for row in csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")):
        for name in ("text", "list", "struct"):
            begins = row[name].lstrip(" \u3000\ufeff\u200b\x0b\x85\x1c\u2028")[:1]
            assert begins not in tuple("=+-@＝＋－＠−")
            assert row[name][:1] not in ("\t", "\r", "\n")


@given(TEXT | NASTY)
def test_neutralised_text_comes_back(text: str) -> None:
    assert plain_text(neutralised(text)) == text


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        (" -1", "' -1"),
        ("＝1", "'＝1"),
        ("\tx", "'\tx"),
        ("'=1", "''=1"),
        ("'a", "'a"),
        ("a=1", "a=1"),
        ("", ""),
    ],
)
def test_neutralised(text: str, cell: str) -> None:
    assert (neutralised(text), plain_text(cell)) == (cell, text)


def test_null_and_empty_text_differ_and_numbers_stay(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"text": None, "n": -1, "x": -0.5, "flag": True, "list": [], "struct": None},
        {
            "text": "",
            "n": None,
            "x": 1e-300,
            "flag": None,
            "list": ["=a"],
            "struct": {"word": "b", "rank": 1},
        },
    ]
    write_csv(tmp_path / "a.csv", batches(rows))
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == (
        '"text","n","x","flag","list","struct"\n'
        ',-1,-0.5,true,"[]",\n'
        '"",,1e-300,,"[""=a""]","{""word"": ""b"", ""rank"": 1}"\n'
    )


@given(ROWS)
def test_jsonl_comes_back_line_by_line(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    write_jsonl(path, batches(rows))
    lines = path.read_bytes().decode().splitlines()  # also splits at U+2028, U+0085 and others
    assert [json.loads(line) for line in lines] == rows


def test_pandas_and_datasets_read_the_files(tmp_path: Path) -> None:
    import pandas as pd

    rows = [{"text": 'a\u2028b, "c"\nd', "n": 1, "x": 0.5, "flag": False, "list": ["e"], "struct": None}]
    write_csv(tmp_path / "a.csv", batches(rows))
    write_jsonl(tmp_path / "a.jsonl", batches(rows))
    assert pd.read_csv(tmp_path / "a.csv")["text"].tolist() == [rows[0]["text"]]
    assert pd.read_json(tmp_path / "a.jsonl", lines=True)["text"].tolist() == [rows[0]["text"]]


def test_numbers_with_names_are_written_as_names(tmp_path: Path) -> None:
    table = typed_table(pa.table({"label": ["neutral", None], "=b": ["x", "y"]}))
    write_csv(tmp_path / "a.csv", table.to_batches())
    assert (tmp_path / "a.csv").read_text() == '"label","\'=b"\n"neutral","x"\n,"y"\n'
    write_jsonl(tmp_path / "a.jsonl", table.to_batches())
    assert (tmp_path / "a.jsonl").read_text().splitlines()[1] == '{"label": null, "=b": "y"}'


@pytest.mark.parametrize("write", [write_csv, write_jsonl])
def test_a_number_that_is_not_finite_is_named_and_nothing_is_written(tmp_path: Path, write: Any) -> None:
    table = pa.table({"a": ["x", "y"], "x": [1.0, float("nan")]})
    with pytest.raises(ArtifactError, match="row 2, column x: the number is not finite"):
        write(tmp_path / "a", table.to_batches())
    assert not (tmp_path / "a").exists()
