"""Rows of others' tables: what was written is read, and what is damaged is refused with file and line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextset.errors import InputError
from nextset.files.bounded_text import MAX_LINE
from nextset.files.row_files import ROW_SUFFIXES, is_row_file, row_columns, rows_of_file

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=20)
ROWS = st.lists(st.fixed_dictionaries({"a": TEXT, "b b": TEXT}), min_size=1, max_size=6)


def write(file: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write ``rows`` in the format that the file's name says."""
    kind = file.name.removesuffix(".gz").rpartition(".")[2]
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(list(rows)), file)
        return
    text = io.StringIO(newline="")
    if kind == "jsonl":
        text.writelines(json.dumps(row) + "\n" for row in rows)
    else:
        delimiter = "\t" if kind == "tsv" else ","
        writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter, quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(rows)
    raw = text.getvalue().encode()
    file.write_bytes(gzip.compress(raw) if file.suffix == ".gz" else raw)


@pytest.mark.parametrize("suffix", ROW_SUFFIXES)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS)
def test_what_was_written_is_read(tmp_path: Path, suffix: str, rows: list[dict[str, str]]) -> None:
    file = tmp_path / f"table{suffix}"
    write(file, rows)
    found = list(rows_of_file(file, InputError))
    assert [row for _, row in found] == rows
    assert row_columns(file, InputError) == tuple(rows[0])
    assert [line for line, _ in found] == sorted({line for line, _ in found})


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.lists(st.text('ab";, ', max_size=8), min_size=2, max_size=3), min_size=1, max_size=4))
def test_a_quote_within_a_cell_is_a_character(tmp_path: Path, rows: list[list[str]]) -> None:
    cells = [[cell.lstrip('"') for cell in row[:2]] for row in rows]
    (tmp_path / "a.tsv").write_text("\n".join(["x\ty", *map("\t".join, cells)]))
    assert [list(row.values()) for _, row in rows_of_file(tmp_path / "a.tsv", InputError)] == cells


def test_semicolons_and_tabs_separate_the_cells_of_csv(tmp_path: Path) -> None:
    expected = [{"a": "1,5", "b": 'c; "d"\ne'}]
    for separator, line_end in ((",", "\n"), (";", "\r\n"), ("\t", "\n")):
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=separator, lineterminator=line_end).writerows(
            [list(expected[0]), list(expected[0].values())]
        )
        (tmp_path / "a.csv").write_bytes(text.getvalue().encode("utf-8-sig"))
        assert [row for _, row in rows_of_file(tmp_path / "a.csv", InputError)] == expected


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=st.binary(max_size=60), suffix=st.sampled_from(sorted(ROW_SUFFIXES)))
def test_any_bytes_are_rows_or_an_error(tmp_path: Path, raw: bytes, suffix: str) -> None:
    file = tmp_path / f"table{suffix}"
    file.write_bytes(raw)
    try:
        for _, row in rows_of_file(file, InputError):
            assert isinstance(row, dict)
    except InputError as e:
        assert e.file == file
        assert e.remedy


@pytest.mark.parametrize(
    ("name", "raw", "line", "problem"),
    [
        ("a.jsonl", b'{"a": 1}\n{"a": 1, "a": 2}\n', 2, "the key 'a' is repeated"),
        ("a.jsonl", b'{"a": 1}\n\n{"a": ', 3, "not JSON"),
        ("a.jsonl", b'{"a": "\xff"}\n', 1, "not UTF-8"),
        ("a.jsonl", b"[1]\n", 1, "not a JSON object"),
        ("a.jsonl", b'{"a": "\\ud800"}\n', 1, "half a character"),
        ("a.csv", b"a,a\n1,2\n", 1, "there are two columns 'a'"),
        ("a.csv", b'a,b\n1,2\n1,"2', 3, "not CSV: the quote that opens a cell in this row is not closed"),
        ("a.csv", b'a;b\n1;2\n1;"2" 3\n', 3, "not CSV: text follows the quote that closes a cell"),
        ("a.tsv", b'a\tb\n1\t2\n"3" 4\t5\n', 3, "not TSV: text follows the quote that closes a cell"),
        (
            "a.tsv.gz",
            gzip.compress(b'a\tb\n1\t"2\n3\t4\n', mtime=0),
            2,
            "not TSV: the quote that opens a cell",
        ),
        ("a.tsv", b'a\tb\tc\n1\t2\t3\n4\t"5\t6\n7\t8"\t9\n', 3, "closed only in line 4, and each of these"),
        ("a.tsv", b'a\n1\n"2\n3"\n', 3, "closed only in line 4, and each of these"),
        ("a.tsv", b"a;b\n1;2\n", 1, "';' does not separate the columns of a .tsv file"),
        ("a.tsv", b"a,b\n1,2\n", 1, "',' does not separate the columns of a .tsv file"),
        ("a.csv", b"a|b\n1|2\n", 1, ".|. does not separate the columns of a .csv file"),
        ("a.tsv", b"a\tb\n1\t2\t3\n", 2, "differ in length .2 and 3 columns"),
        ("a.csv", b'a;b\n1;"2\n3"\n4\n', 4, "differ in length .2 and 1 columns"),
        ("a.csv", b"a,b\n1,2\n1\n", 3, "differ in length .2 and 1 columns"),
        ("a.csv", b"a,b\n1,\xff\n", 2, "not UTF-8"),
        ("a.csv", "a,b\n1,2\n".encode("utf-16"), 1, "the file is UTF-16, not UTF-8"),
        ("a.jsonl.gz", b"not gzip", None, "damaged gzip data"),
        ("a.jsonl.gz", gzip.compress(b'{"a": 1}\n' * 9, mtime=0)[:-9], None, "damaged gzip data"),
        ("a.parquet", b"PAR1", None, "not Parquet"),
        ("a.txt", b"a", None, ".txt is not a table"),
    ],
)
def test_damage_is_named(tmp_path: Path, name: str, raw: bytes, line: int | None, problem: str) -> None:
    (file := tmp_path / name).write_bytes(raw)
    with pytest.raises(InputError, match=problem) as e:
        list(rows_of_file(file, InputError))
    assert (e.value.file, e.value.line) == (file, line)


def test_what_is_not_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.csv").mkdir()
    for name, problem in (("pipe.jsonl", "pipe"), ("folder.csv", "folder"), ("gone.csv", "no such file")):
        with pytest.raises(InputError, match=problem):
            list(rows_of_file(tmp_path / name, InputError))


def test_a_mark_at_the_beginning_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfa\n1\n")
    (tmp_path / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"a": "1"}\n')
    for name in ("a.csv", "a.jsonl"):
        assert [row for _, row in rows_of_file(tmp_path / name, InputError)] == [{"a": "1"}]


def test_names_of_tables() -> None:
    assert is_row_file(Path("A.JSONL.GZ"))
    assert not is_row_file(Path("a.parquet.gz"))
    assert not is_row_file(Path("jsonl"))


@pytest.mark.parametrize("name", ["a.csv.gz", "a.tsv.gz", "a.jsonl.gz"])
def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path: Path, name: str) -> None:
    raw = b"a\n1\n" if "jsonl" not in name else b'{"a": 1}\n{}\n'
    (file := tmp_path / name).write_bytes(gzip.compress(raw + b"a" * (MAX_LINE + (1 << 20)), 1))
    with pytest.raises(InputError, match=f"longer than {MAX_LINE:,} bytes") as e:
        list(rows_of_file(file, InputError))
    assert e.value.line == 3


def test_a_record_of_many_lines_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    field = b'"' + b"x" * (1 << 20) + b'\n",'
    (file := tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n" + field * 65, 1))
    with pytest.raises(InputError, match=f"longer than {MAX_LINE:,} bytes") as e:
        list(rows_of_file(file, InputError))
    assert e.value.line == 3


def test_empty_lines_before_the_header_are_counted_and_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "t.csv.gz"
    with gzip.open(file, "wb", compresslevel=1) as packed:
        packed.write(b"\r\n" * 300_000 + b"a;b\r\n1;2\r\n")
    tracemalloc.start()
    assert list(rows_of_file(file, InputError)) == [(300_002, {"a": "1", "b": "2"})]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000, "300,000 lines of text would take 15 MB"


def test_the_line_of_a_wrong_byte_in_a_long_file(tmp_path: Path) -> None:
    lines = [b"a", *[b"\xd0\x90" * 5000] * 300]
    (file := tmp_path / "a.csv").write_bytes(b"\n".join([*lines, b"\xff"]))
    with pytest.raises(InputError, match="not UTF-8") as e:
        list(rows_of_file(file, InputError))
    assert e.value.line == 302
    file.write_bytes(b"\n".join([*lines, b"\xd0"]))
    with pytest.raises(InputError, match="not UTF-8") as e:
        list(rows_of_file(file, InputError))
    assert e.value.line == 302


def test_line_ends_of_other_systems(tmp_path: Path) -> None:
    for end in ("\n", "\r\n", "\r"):
        (tmp_path / "a.csv").write_bytes(end.join(["a,b", '1,"2', '3"', "4,5", ""]).encode())
        found = [row for _, row in rows_of_file(tmp_path / "a.csv", InputError)]
        assert found == [{"a": "1", "b": f"2{end}3"}, {"a": "4", "b": "5"}]


def test_a_long_text_that_a_dictionary_has_once_is_not_kept_for_each_row(tmp_path: Path) -> None:
    text, rows = "surgeon " * 64_000, 1024
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), [text])
    pq.write_table(pa.table({"a": column}), tmp_path / "a.parquet", store_schema=False)
    before = pa.default_memory_pool()
    counted = pa.proxy_memory_pool(before)
    pa.set_memory_pool(counted)
    try:
        assert sum(row["a"] == text for _, row in rows_of_file(tmp_path / "a.parquet", InputError)) == rows
    finally:
        pa.set_memory_pool(before)
    assert counted.max_memory() < 100 * len(text)


def test_a_row_of_parquet_that_is_too_long(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["a", "b" * (MAX_LINE + 1)]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=f"row 2 has more than {MAX_LINE:,} bytes"):
        list(rows_of_file(tmp_path / "a.parquet", InputError))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**62], pa.date64()),
        pa.array([2**62], pa.duration("s")),
        pa.array([2**62], pa.timestamp("ms")),
        pa.array([0], pa.timestamp("s", "Mars/Olympus")),
    ],
    ids=str,
)
def test_values_that_python_does_not_have(tmp_path: Path, column: pa.Array) -> None:
    pq.write_table(pa.table({"a": ["1"], "odd": column}), file := tmp_path / "a.parquet")
    with pytest.raises(InputError, match="the column 'odd' has values that cannot be read"):
        list(rows_of_file(file, InputError))
    assert row_columns(file, InputError) == ("a", "odd")
    assert list(rows_of_file(file, InputError, columns=["a", "none"])) == [(1, {"a": "1"})]
