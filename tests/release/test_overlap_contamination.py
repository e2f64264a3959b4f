from __future__ import annotations

import csv
import gzip
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.errors import InputError, ServerError
from nextset.release.overlap.canary_guid import canary_guid, with_canary
from nextset.release.overlap.contamination import find_contamination
from nextset.release.overlap.corpus_files import file_texts
from nextset.release.overlap.hub_corpus import hub_name
from nextset.release.overlap.overlap_records import ContaminationRow
from nextset.release.overlap.text_words import words

CANARY = canary_guid("pens")
PREMISE = "In 2019 two pupils of the school in the valley wrote their essays with a pen"
ITEMS = [
    {
        "id": f"{i:02}",
        "premise": f"{PREMISE} number {i}.",
        "hypothesis": f"The left-handed pupil wrote text {i}.",
    }
    for i in range(20)
]
HOSTILE = "\u202eevil\0 </script> 😀 " + "x" * 50


def compared(path: Path, items: list[dict[str, str]] = ITEMS, near: float = 0.8) -> ContaminationRow:
    batches = [pa.Table.from_pylist(items[:7]), pa.Table.from_pylist(items[7:] or items[:0])]
    batches = [batch for batch in batches if batch.num_rows]
    (row,) = find_contamination(
        "items", lambda: iter(batches), [path.name], lambda name: path.parent / name, near, CANARY
    )
    return row


ROWS = [
    {"n": "1", "text": "Nothing of the kind. " + HOSTILE, "more": ""},
    {"n": "2", "text": ITEMS[3]["premise"], "more": ITEMS[3]["hypothesis"].upper()},
    {"n": "3", "text": f"He said: {ITEMS[4]['premise']} — {ITEMS[4]['hypothesis']} And so on.", "more": ""},
    {"n": "4", "text": ITEMS[5]["premise"], "more": "An altogether different hypothesis."},
    {"n": "5", "text": ITEMS[6]["hypothesis"], "more": ""},
]


def write_csv(path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, ["n", "text", "more"])
        writer.writeheader()
        writer.writerows(ROWS)


def write_jsonl(path: Path) -> None:
    chats = [
        {"messages": [{"role": "user", "content": row["text"]}, {"content": row["more"]}]} for row in ROWS
    ]
    path.write_text("".join(json.dumps(chat) + "\n" for chat in chats))


def write_parquet(path: Path) -> None:
    table = pa.Table.from_pylist([{"n": int(r["n"]), "all": [r["text"], r["more"]]} for r in ROWS])
    pq.write_table(table, path)


def write_text(path: Path) -> None:
    path.write_text("\n\n".join(f"{r['text']}\n{r['more']}".strip() for r in ROWS), encoding="utf-8")


def write_gzip(path: Path) -> None:
    write_text(path.with_suffix(""))
    path.write_bytes(gzip.compress(path.with_suffix("").read_bytes(), mtime=0))


WRITERS: dict[str, Callable[[Path], None]] = {
    "c.csv": write_csv,
    "c.jsonl": write_jsonl,
    "c.parquet": write_parquet,
    "c.txt": write_text,
    "c.txt.gz": write_gzip,
}


@pytest.mark.parametrize("name", WRITERS)
def test_planted_items_are_counted_in_every_kind_of_file(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    row = compared(tmp_path / name)
    # Both texts of 03 and 04 are in one row. A premise has 18 words and 11 8-grams; only the last one has the
    # item's number, so 10 / 11 = 0.91 are found of every premise. A hypothesis has 7 words and is one n-gram.
    assert (row.rows, row.items, row.exact, row.near, row.overlap) == (5, 20, 2, 2, 20)
    assert (row.share, row.examples, row.canary_found) == (0.1, ("03", "04"), False)
    assert len(row.revision) == 64
    # of 12 n-grams: all of 03 and 04, the premise's 11 of 05, 10 and the hypothesis of 06, 10 of 16 others
    assert row.overlap_share == pytest.approx((2 * 12 + 11 + 11 + 16 * 10) / 12 / 20)


@pytest.mark.parametrize("name", ["c.csv", "c.jsonl", "c.parquet", "c.txt.gz"])
def test_a_file_cut_in_half_does_not_count(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError) as e:
        compared(path)
    assert e.value.file == path
    assert e.value.remedy
    assert e.value.line or name in ("c.parquet", "c.txt.gz")


def test_near_is_by_containment_of_both_texts(tmp_path: Path) -> None:
    # 24 words, 17 8-grams, in premise and hypothesis; a changed last word removes one: 16 / 17 = 0.94
    premise = " ".join(f"p{i}" for i in range(24))
    hypothesis = " ".join(f"h{i}" for i in range(24))
    items = [{"id": "a", "premise": premise, "hypothesis": hypothesis}]
    path = tmp_path / "c.txt"
    path.write_text(f"{premise} x {hypothesis.replace('h23', 'other')}")
    assert (compared(path, items, 0.94).near, compared(path, items, 0.94).exact) == (1, 0)
    assert compared(path, items, 0.95).near == 0
    path.write_text(f"{premise}\n\n{hypothesis}")
    row = compared(path, items)
    assert (row.near, row.overlap, row.overlap_share) == (0, 1, 1.0), "not in one paragraph"


@pytest.mark.slow
def test_a_huge_line_and_the_canary(tmp_path: Path) -> None:
    draw = random.Random(5)
    filler = [f"w{draw.randrange(999)}" for _ in range(200_000)]
    for i in range(20):
        at = 10_000 * i
        filler[at] = f"{ITEMS[i]['premise']} {ITEMS[i]['hypothesis']}"
    path = tmp_path / "c.txt"
    path.write_text(" ".join(filler))
    row = compared(path)
    assert (row.exact, row.canary_found) == (20, False)
    path.write_text(" ".join([*filler, CANARY.upper(), *filler]))
    assert compared(path).canary_found
    path.write_text("y" * 3_000_000 + f" canary GUID {CANARY}")
    row = compared(path)
    assert (row.near, row.canary_found) == (0, True)


SOME = st.lists(st.sampled_from(["a", "b", "left", "hand"]), min_size=1, max_size=12).map(" ".join)


@pytest.mark.slow
@settings(max_examples=40)
@given(
    texts=st.lists(st.tuples(SOME, SOME), min_size=1, max_size=6),
    documents=st.lists(SOME, max_size=6),
    near=st.sampled_from([0.3, 0.8, 1.0]),
)
def test_counts_are_those_of_all_pairs(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[tuple[str, str]],
    documents: list[str],
    near: float,
) -> None:
    items = [{"id": str(i), "premise": p, "hypothesis": h} for i, (p, h) in enumerate(texts)]
    path = tmp_path_factory.mktemp("corpus") / "c.txt"
    path.write_text("\n\n".join(documents))

    def grams(text: str) -> set[tuple[str, ...]]:
        found = words(text)
        n = min(8, len(found))
        return {tuple(found[i : i + n]) for i in range(len(found) - n + 1)}

    def contained(text: str, document: str) -> float:
        found = words(document)
        runs = {tuple(found[i:j]) for j in range(len(found) + 1) for i in range(j)}
        return len(grams(text) & runs) / len(grams(text))

    both = [[(contained(p, d), contained(h, d)) for d in documents] for p, h in texts]
    row = compared(path, items, near)
    assert row.rows == len(documents)
    assert row.exact == sum(any(min(c) == 1 for c in some) for some in both)
    assert row.near == sum(any(min(c) >= near for c in some) for some in both)
    assert row.overlap == sum(any(max(c) > 0 for c in some) for some in both)


def test_quads_are_found_by_one_of_their_four_inputs(tmp_path: Path) -> None:
    quad = {
        "id": "q",
        "context_12": "Ann met Bo at the station in the evening.",
        "context_21": "Bo met Ann at the station in the evening.",
        "statement": "{{MASK}} had forgotten the ticket at home again.",
        "statement_negated": "{{MASK}} had the ticket in the bag all day.",
    }
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps([quad["context_21"], "Ann had forgotten the ticket at home again."]))
    (row,) = find_contamination(
        "statements", lambda: iter([pa.Table.from_pylist([quad])]), ["c.jsonl"], lambda n: path, 0.8, CANARY
    )
    assert (row.items, row.exact, row.examples) == (1, 1, ("q",))


def test_numbers_are_no_texts_however_long(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"a": "one", "b": ' + "1" * 5000 + ', "c": [2, "two"]}\n')
    assert list(file_texts(path)) == ["one\ntwo"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.csv", b"a,b\n1,2\n1\n", "c.csv:3: the header and this row differ in length .2 and 1 columns"),
        ("c.csv", b'a,b\n1,2\n1,"x\n', "c.csv:3: not CSV: the quote that opens a cell"),
        ("c.csv", b"a,b\n1,\xff\n", "not UTF-8"),
        ("c.jsonl", b'{"a": 1}\n{"a": \n', "c.jsonl:2: not JSON"),
        ("c.jsonl", b"[" * 100_000, "c.jsonl:1: not JSON"),
        ("c.jsonl", b'"a"\n"\xff"\n', "c.jsonl:2: not UTF-8"),
        ("c.txt", b"a\n\xe4\n", "c.txt:2: not UTF-8"),
        ("c.txt.gz", b"a text", "damaged gzip data"),
        ("c.parquet", b"PAR1", "not a Parquet file, or damaged after row 0"),
        ("c.docx", b"", r"\.docx cannot be compared"),
    ],
)
def test_damaged_files(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as e:
        compared(tmp_path / name)
    assert re.search(message, str(e.value))
    assert e.value.remedy


def test_missing_files_and_the_hub_switched_off(tmp_path: Path) -> None:
    for name in ("absent.csv", "absent.txt.gz"):
        with pytest.raises(InputError, match="cannot be read: No such file"):
            compared(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        compared(tmp_path)
    with pytest.raises(ServerError, match="switched off by HF_HUB_OFFLINE"):
        compared(tmp_path / "someset")
    assert hub_name("org/name@v1.0.0") == ("org/name", "v1.0.0")
    assert hub_name("name") == ("name", None)
    assert hub_name("../name") is None or hub_name("a b") is None


def test_hostile_items(tmp_path: Path) -> None:
    items = [
        {"id": "a", "premise": "\u202e\0", "hypothesis": "…"},
        {"id": "b", "premise": "🙂", "hypothesis": "x" * 100_000},
    ]
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps("\ud800 🙂 " + "x" * 100_000) + "\n")
    row = compared(path, items)
    assert row.items == 2
    assert row.near == 0, "longer than a passage"


def test_the_canary_is_that_of_the_name() -> None:
    assert canary_guid("pens") == canary_guid("pens") != canary_guid("Pens")
    table = with_canary(pa.table({"id": ["a", "b"]}), CANARY)
    assert table.to_pydict() == {"id": ["a", "b"], "canary": [CANARY, CANARY]}
    assert with_canary(table, "x")["canary"].to_pylist() == ["x", "x"]
    assert table.schema.field("canary").type == pa.string()
    assert with_canary(pa.table({"id": pa.array([], pa.string())}), CANARY).num_rows == 0


def test_no_sources_need_nothing() -> None:
    def never() -> Any:
        raise AssertionError

    assert find_contamination("items", never, [], Path, 0.8, CANARY) == []


def test_sources_are_named_without_their_folders_and_none_twice(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "web.txt").write_text("Nothing of the kind.", encoding="utf-8")
    batches = [pa.Table.from_pylist(ITEMS)]

    def found(*against: str) -> list[str]:
        rows = find_contamination(
            "items", lambda: iter(batches), list(against), lambda name: tmp_path / name, 0.8, CANARY
        )
        return [row.source for row in rows]

    assert found("a/web.txt") == ["web.txt"]
    with pytest.raises(InputError, match=r"a/web\.txt and b/web\.txt .* would both be published as web\.txt"):
        found("a/web.txt", "b/web.txt")
