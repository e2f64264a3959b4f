"""Collections in files and folders: every kind gives the same passages, and errors name file and line."""

from __future__ import annotations

import gzip
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nextset.errors import InputError, StudyError
from nextset.extensions.ambiguity.passages import Passage
from nextset.extensions.ambiguity.search.passage_collection import PassageCollection, find_collection
from nextset.extensions.ambiguity.search.passage_count import count_passages
from nextset.extensions.ambiguity.settings.retrieval_settings import PassageSettings
from tests.extensions.ambiguity.search.passage_studies import PASSAGES, write_rows


def collection(folder: Path, source: str, **columns: Any) -> PassageCollection:
    settings = PassageSettings(source=source, **columns)
    return find_collection(settings, lambda written: folder / written, folder / "study.yaml")


def read(found: PassageCollection) -> list[Passage]:
    return [located.passage for located in found.passages()]


EXPECTED = [Passage(**{**row, "group": row["group"] or ""}) for row in PASSAGES]


def test_every_kind_of_file_gives_the_same_passages(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "a.jsonl", PASSAGES)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(file.read_bytes()))
    pq.write_table(pa.Table.from_pylist(list(PASSAGES)), tmp_path / "c.parquet")
    lines = [",".join(f'"{row[name] or ""}"' for name in PASSAGES[0]) for row in PASSAGES]
    (tmp_path / "d.csv").write_text("\n".join(["id,title,text,group", *lines]))
    (tmp_path / "e.tsv").write_text("\n".join(["id,title,text,group", *lines]).replace('","', '"\t"').replace(
        "id,title,text,group", "id\ttitle\ttext\tgroup"))  # fmt: skip
    for name in ("a.jsonl", "b.jsonl.gz", "c.parquet", "d.csv", "e.tsv"):
        assert read(collection(tmp_path, name)) == EXPECTED


def test_a_folder_is_read_file_by_file_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "wiki" / "more").mkdir(parents=True)
    write_rows(tmp_path / "wiki" / "more" / "b.jsonl", PASSAGES[3:])
    write_rows(tmp_path / "wiki" / "a.jsonl", PASSAGES[:3])
    (tmp_path / "wiki" / "README.md").write_text("how it was made")
    assert read(collection(tmp_path, "wiki")) == EXPECTED
    (tmp_path / "empty").mkdir()
    with pytest.raises(StudyError, match="there is no table in"):
        collection(tmp_path, "empty")


def test_columns_of_other_names_and_numbers_as_ids(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", [{"n": 7, "name": "Ann", "body": "A comet.", "group": "x"}])
    with pytest.raises(InputError, match=r"there is no column 'title'; it has n, name, body, group") as e:
        read(collection(tmp_path, "a.jsonl"))
    assert (e.value.file, e.value.line) == (tmp_path / "a.jsonl", 1)
    with pytest.raises(InputError) as e:
        read(collection(tmp_path, "a.jsonl", title="name"))
    assert "did you mean 'body'? write ambiguity.retrieval.passages.text: body" in e.value.remedy
    found = read(collection(tmp_path, "a.jsonl", title="name", text="body"))
    assert found == [Passage(id="0", title="Ann", text="A comet.", group="x")]
    assert read(collection(tmp_path, "a.jsonl", title="name", text="body", id="n"))[0].id == "7"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"id": "b", "title": "B"}, "the column 'text' is missing in this row"),
        ({"id": "b", "title": "B", "text": 3}, "text is not a text: 3"),
        ({"id": "b", "title": ["B"], "text": "b"}, "title is not a text"),
        ({"id": None, "title": "B", "text": "b"}, "id is missing"),
        ({"id": True, "title": "B", "text": "b"}, "id is not an id: True"),
        ({"id": "b", "title": "B", "text": "b", "group": 1}, "group is not a text: 1"),
        ({"id": "b", "title": "B", "text": "b", "group": "-"}, "group is '-', which is not a group"),
        ({"id": "b", "title": "B", "text": "b", "group": -1}, "group is -1, which is not a group"),
    ],
)
def test_wrong_values_are_refused_with_their_line(tmp_path: Path, row: dict[str, Any], problem: str) -> None:
    write_rows(tmp_path / "a.jsonl", [*PASSAGES[:1], row])
    with pytest.raises(InputError, match=re.escape(problem)) as e:
        read(collection(tmp_path, "a.jsonl"))
    assert (e.value.file, e.value.line) == (tmp_path / "a.jsonl", 2)


def test_repeated_ids_are_refused_with_both_places(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    write_rows(tmp_path / "c" / "a.jsonl", PASSAGES)
    write_rows(tmp_path / "c" / "b.jsonl", [{"id": "z", "title": "", "text": ""}, PASSAGES[2]])
    with pytest.raises(InputError, match=r"the id 'c' is repeated; it is also in .*a\.jsonl:3") as e:
        count_passages(collection(tmp_path, "c"))
    assert (e.value.file, e.value.line) == (tmp_path / "c" / "b.jsonl", 2)


def test_passages_are_counted(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", PASSAGES)
    assert count_passages(collection(tmp_path, "a.jsonl")) == 5
    (tmp_path / "none.jsonl").write_text("")
    with pytest.raises(InputError, match="the collection has no passages") as caught:
        count_passages(collection(tmp_path, "none.jsonl"))
    assert caught.value.file == tmp_path / "none.jsonl"


def test_the_digest_changes_with_content_and_columns_alone(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", PASSAGES)
    write_rows(tmp_path / "b.jsonl", PASSAGES)
    first = collection(tmp_path, "a.jsonl").digest
    assert collection(tmp_path, "b.jsonl").digest == first
    assert collection(tmp_path, "a.jsonl", title="text").digest != first
    write_rows(tmp_path / "b.jsonl", PASSAGES[1:])
    assert collection(tmp_path, "b.jsonl").digest != first


def test_a_collection_that_changes_while_it_is_read(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "a.jsonl", PASSAGES * 1)
    passages = collection(tmp_path, "a.jsonl").passages()
    next(passages)
    with file.open("a") as out:
        out.write(json.dumps({"id": "z", "title": "Z", "text": ""}) + "\n")
    with pytest.raises(InputError, match="the collection changed while it was read"):
        list(passages)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("gone", "there is no file or folder"),
        ("org/name", "needs a revision"),
        ("builtin:xx", "nextset has no passages for 'xx'"),
        ("builtin:../en", "nextset has no passages for"),
    ],
)
def test_sources_that_are_not_there(tmp_path: Path, source: str, problem: str) -> None:
    with pytest.raises(StudyError, match=problem):
        collection(tmp_path, source)
    with pytest.raises(InputError, match="no such file"):
        read(collection(tmp_path, "gone.jsonl"))


def test_what_is_not_a_file_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    write_rows(tmp_path / "c" / "a.jsonl", PASSAGES)
    os.mkfifo(tmp_path / "c" / "b.jsonl")
    (tmp_path / "zero.jsonl").symlink_to("/dev/zero")
    for source, problem in (("c", "this is a pipe"), ("zero.jsonl", "this is a device")):
        with pytest.raises(InputError, match=problem):
            _ = collection(tmp_path, source).digest
        with pytest.raises(InputError, match=problem):
            read(collection(tmp_path, source))


def test_labels_count_if_the_first_row_of_json_lines_has_none(tmp_path: Path) -> None:
    first = {name: value for name, value in PASSAGES[0].items() if name != "group"}
    write_rows(tmp_path / "a.jsonl", [first, *PASSAGES[1:]])
    found = read(collection(tmp_path, "a.jsonl"))
    assert found == [replace(EXPECTED[0], group=""), *EXPECTED[1:]]
    assert any(passage.group for passage in found)
    named = [{"gender" if name == "group" else name: v for name, v in row.items()} for row in PASSAGES[1:]]
    write_rows(tmp_path / "b.jsonl", [first, *named])
    assert read(collection(tmp_path, "b.jsonl", group="gender")) == found
    with pytest.raises(InputError, match="there is no column 'gendr'"):
        read(collection(tmp_path, "b.jsonl", group="gendr"))


def test_ids_after_rows_without_any_are_refused(tmp_path: Path) -> None:
    first = {name: value for name, value in PASSAGES[0].items() if name != "id"}
    write_rows(tmp_path / "a.jsonl", [first, *PASSAGES[1:]])
    with pytest.raises(InputError, match="this row has an id, and the first row does not") as e:
        read(collection(tmp_path, "a.jsonl"))
    assert e.value.line == 2


@pytest.mark.parametrize(
    ("ours", "theirs"), [("group", "Group"), ("group", "groups"), ("group", "gender"), ("id", "ID")]
)
def test_a_column_that_is_easily_meant_for_an_optional_one_is_not_left_out(
    tmp_path: Path, ours: str, theirs: str
) -> None:
    rows = [{theirs if name == ours else name: value for name, value in row.items()} for row in PASSAGES]
    write_rows(tmp_path / "a.jsonl", rows)
    with pytest.raises(InputError, match=f"there is no column '{ours}'") as e:
        read(collection(tmp_path, "a.jsonl"))
    named = f"did you mean '{theirs}'? write ambiguity.retrieval.passages.{ours}: {theirs} in study.yaml"
    assert e.value.remedy == named
    assert read(collection(tmp_path, "a.jsonl", **{ours: theirs})) == EXPECTED


def test_a_column_beside_the_group_is_not_meant_for_it(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", [{**row, "gender": "x", "uid": 1} for row in PASSAGES])
    assert read(collection(tmp_path, "a.jsonl")) == EXPECTED


def test_a_first_row_without_values(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", [{}, *PASSAGES])
    with pytest.raises(InputError, match="there is no column 'title'"):
        read(collection(tmp_path, "a.jsonl"))


def test_columns_that_are_no_passages_are_not_read(tmp_path: Path) -> None:
    odd = pa.array([2**62] * len(PASSAGES), pa.date64())
    table = pa.Table.from_pylist(list(PASSAGES)).append_column("seen", odd)
    pq.write_table(table, tmp_path / "a.parquet")
    assert read(collection(tmp_path, "a.parquet")) == EXPECTED


def test_characters_that_nobody_sees(tmp_path: Path) -> None:
    row = {"id": "a", "title": "Ann\u202e", "text": "A\x1b[31m comet.\nTwo.", "group": "\x07"}
    shown = Passage(id="a", title="Ann", text="A [31m comet.\nTwo.", group=" ")
    write_rows(tmp_path / "a.jsonl", [row])
    assert read(collection(tmp_path, "a.jsonl")) == [shown]
    for name, value in (("id", "a\x1b"), ("title", "A\0"), ("text", "\0")):
        write_rows(tmp_path / "a.jsonl", [PASSAGES[1], {**row, name: value}])
        with pytest.raises(InputError, match=f"character.* in {name}") as e:
            read(collection(tmp_path, "a.jsonl"))
        assert e.value.line == 2


def test_every_reading_is_of_the_content_of_the_digest(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", PASSAGES)
    found = collection(tmp_path, "a.jsonl")
    _ = found.digest
    write_rows(tmp_path / "a.jsonl", [{**row, "text": "Other."} for row in PASSAGES])
    with pytest.raises(InputError, match="the collection changed while it was read"):
        next(found.passages())
