from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.errors import ArtifactError
from nextset.release.overlap.duplicate_search import find_duplicates, find_earlier_duplicates
from nextset.release.overlap.minhash_bands import bands_for
from nextset.release.overlap.ngram_bits import highest_similarity, ngram_bits
from nextset.release.overlap.ngram_file import NgramFile
from nextset.release.overlap.text_words import words
from nextset.release.overlap.word_ngrams import (
    WordHashes,
    WordRows,
    ngrams,
    window_hashes,
    word_rows,
)
from nextset.release.version_folder.release_manifest import PublishedFile, ReleaseManifest, manifest_bytes

NAMES = ("id", "premise", "hypothesis", "template_id", "set_id", "counterfactual_set")
SCHEMA = pa.schema([(name, pa.string()) for name in NAMES])


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def duplicates(rows: list[dict[str, Any]], near: float = 0.8) -> list[tuple[str, str, str, float]]:
    found = find_duplicates("items", lambda: iter([table(rows[:3]), table(rows[3:])]), near).to_pylist()
    assert {row["where"] for row in found} <= {"this version"}
    return [(row["kind"], row["id1"], row["id2"], row["similarity"]) for row in found]


def item(id_: str, premise: str, hypothesis: str, **more: str) -> dict[str, Any]:
    return {"id": id_, "premise": premise, "hypothesis": hypothesis, **more}


def grams(row: dict[str, Any]) -> set[tuple[str, ...]]:
    found = words(row["premise"]) + words(row["hypothesis"])
    return {tuple(found[i : i + 3]) for i in range(max(1, len(found) - 2))} if found else set()


def form(row: dict[str, Any]) -> tuple[list[str], list[str]] | tuple[str, str]:
    split = words(row["premise"]), words(row["hypothesis"])
    return split if any(split) else (row["premise"], row["hypothesis"])


def similar(a: dict[str, Any], b: dict[str, Any], near: float) -> float | None:
    """The similarity of two rows if they are near duplicates, else None."""
    by_design = any(a.get(k) is not None and a.get(k) == b.get(k) for k in NAMES[3:])
    one, two = grams(a), grams(b)
    if by_design or form(a) == form(b) or not one or not two:
        return None
    jaccard = len(one & two) / len(one | two)
    return jaccard if jaccard >= near else None


SOME_WORDS = st.lists(st.sampled_from(["left", "Left,", "hand", "writes", "a", "letter", "!"]), max_size=9)
ROW = st.fixed_dictionaries(
    {
        "premise": SOME_WORDS.map(" ".join),
        "hypothesis": SOME_WORDS.map(" ".join),
        "template_id": st.sampled_from([None, None, "t1", "t2"]),
        "set_id": st.sampled_from([None, None, "s1"]),
        "counterfactual_set": st.sampled_from([None, None, "c1"]),
    }
)


@pytest.mark.slow
@settings(max_examples=40)
@given(rows=st.lists(ROW, max_size=20), near=st.sampled_from([0.3, 0.5, 0.8, 1.0]), shuffle=st.randoms())
def test_what_is_found_is_what_all_pairs_give(
    rows: list[dict[str, Any]], near: float, shuffle: random.Random
) -> None:
    rows = [{"id": f"{i:02}", **row} for i, row in enumerate(rows)]
    by_id = {row["id"]: row for row in rows}
    found = duplicates(rows, near)
    for kind, id1, id2, _ in found:
        assert id1 < id2
        if kind == "exact":
            assert form(by_id[id1]) == form(by_id[id2])
            assert id1 == min(i for i in by_id if form(by_id[i]) == form(by_id[id2]))
    exact = {id2 for kind, _, id2, _ in found if kind == "exact"}
    assert exact == {b for b in by_id for a in by_id if a < b and form(by_id[a]) == form(by_id[b])}

    def names(id_: str) -> tuple[Any, ...]:
        """Rows with the same text, template and sets are one text."""
        row = by_id[id_]
        return (str(form(row)), *(row[k] for k in NAMES[3:]))

    listed = set()
    for kind, id1, id2, similarity in found:
        if kind == "near":
            assert similarity == similar(by_id[id1], by_id[id2], near)
            listed |= {names(id1), names(id2)}
    assert listed == {names(a) for a in by_id for b in by_id if a != b and similar(by_id[a], by_id[b], near)}
    mixed = list(rows)
    shuffle.shuffle(mixed)
    assert duplicates(mixed, near) == found


def test_exact_near_and_by_design() -> None:
    premise = "Two pupils in the school write their essays with a pen"
    rows = [
        item("c", premise, "The pupil who is left-handed writes slowly."),
        item("a", premise.upper() + " !", "the pupil who is left handed  writes SLOWLY"),
        item("b", premise, "The pupil who is left-handed writes slowly today."),
        item("d", premise, "The pupil who is left-handed writes badly.", template_id="t"),
        item("e", premise, "The pupil who is right-handed writes badly.", template_id="t"),
        item("f", "Something else happened", "It rained."),
    ]
    # a and c: 11 + 8 words (left handed are two), 17 3-grams; b has one more: 17 / 18
    found = duplicates(rows, near=0.9)
    assert found == [("exact", "a", "c", 1.0), ("near", "a", "b", 17 / 18)]
    # d ends in badly: 16 of 17 shared with a, 16 / 18 = 0.89; d and e are of one template
    listed = {(kind, id1, id2) for kind, id1, id2, _ in duplicates(rows, near=0.85)}
    assert ("near", "a", "d") in listed
    assert ("near", "d", "e") not in listed


def test_a_thousand_similar_items_are_a_thousand_rows_not_half_a_million() -> None:
    premise = " ".join(f"word{i}" for i in range(40))
    rows = [item(f"{i:04}", premise, f"It was number {i}.") for i in range(1000)]
    found = duplicates(rows)
    assert len(found) <= 1000
    assert {id_ for _, *ids, _ in found for id_ in ids} == {row["id"] for row in rows}


@pytest.mark.slow
def test_against_all_pairs_of_many_random_items() -> None:
    draw = random.Random(3)
    rows: list[dict[str, Any]] = []
    for i in range(300):
        text = [f"w{draw.randrange(400)}" for _ in range(20)]
        if i % 3 == 1:  # a reworded copy of the row before
            text = (rows[-1]["premise"] + " " + rows[-1]["hypothesis"]).split()
            text[draw.randrange(20)] = "other"
        rows.append(item(f"{i:03}", " ".join(text[:12]), " ".join(text[12:])))
    expected = {
        (a["id"], b["id"], s)
        for i, a in enumerate(rows)
        for b in rows[i + 1 :]
        if (s := similar(a, b, 0.7)) is not None
    }
    assert len(expected) > 30
    assert {(id1, id2, s) for _, id1, id2, s in duplicates(rows, near=0.7)} == expected


@pytest.mark.parametrize("kind", ["questions", "statements"])
def test_questions_and_statements_have_exact_duplicates_only(kind: Any) -> None:
    asked = kind.removesuffix("s")
    row = {
        "context_12": "Ann met Bo.",
        "context_21": "Bo met Ann.",
        asked: "Who was late?",
        f"{asked}_negated": "Who was early?",
    }
    swapped = {**row, "context_12": row["context_21"], "context_21": "ANN met bo"}
    other = {**row, asked: "Who was very late?"}
    batch = pa.Table.from_pylist([{"id": i, **r} for i, r in zip("abc", (row, swapped, other), strict=True)])
    found = find_duplicates(kind, lambda: iter([batch]), 0.1).to_pylist()
    assert [(r["kind"], r["id1"], r["id2"]) for r in found] == [("exact", "a", "b")]


def version(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """A dataset version's folder with one Parquet file."""
    path = "data/items/test-00000-of-00001.parquet"
    (folder / path).parent.mkdir(parents=True)
    pq.write_table(table(rows), folder / path)
    file = PublishedFile(path=path, bytes=1, sha256="0" * 64, rows=len(rows), config="items", split="test")
    manifest = ReleaseManifest(
        name="pens", version="1.0.0", previous=None, kind="items", license="", authors=(), languages=("en",),
        canary="", content_warning="", judge="people", verdicts={}, models=(), waivers=(), columns={},
        study={}, nextset="0", private=False, gated=False, files=(file,),
    )  # fmt: skip
    (folder / "manifest.json").write_bytes(manifest_bytes(manifest))
    return folder


def test_reworded_items_of_an_earlier_version(tmp_path: Path) -> None:
    premise = "Two pupils in the school write their essays with a pen"
    old = [
        item("a1", premise, "The left-handed pupil writes slowly.", template_id="t1"),
        item("a2", premise, "The right-handed pupil writes slowly.", template_id="t1"),
        item("a3", "It rained all day", "The left-handed pupil stayed at home."),
    ]
    new = [
        old[0],
        item("b1", premise + " today", "The left-handed pupil writes slowly.", template_id="t2"),
        item("b2", "It rained all day", "The left-handed pupil stayed at home!"),
        item("b3", premise, "The left-handed pupil writes quickly.", template_id="t1"),
    ]
    folder = version(tmp_path / "pens-1.0.0", old)

    def batches() -> Iterator[pa.Table]:
        return iter([table(new)])

    # b1 has 18 words and 16 3-grams, a1 17 and 15; with "today" between, 13 are shared: 13 / 18.
    # b3 is near a1, but of the same template.
    found = find_earlier_duplicates("items", batches, folder, 0.7).to_pylist()
    assert [(r["kind"], r["id1"], r["id2"], r["similarity"], r["where"]) for r in found] == [
        ("exact", "b2", "a3", 1.0, "pens-1.0.0"),
        ("near", "b1", "a1", 13 / 18, "pens-1.0.0"),
    ]
    assert find_earlier_duplicates("items", lambda: iter([table(old)]), folder, 0.1).num_rows == 0
    path = folder / "data/items/test-00000-of-00001.parquet"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ArtifactError, match=r"test-00000-of-00001\.parquet cannot be read"):
        find_earlier_duplicates("items", batches, folder, 0.7)
    with pytest.raises(ArtifactError, match="is not the folder of a dataset version"):
        find_earlier_duplicates("items", batches, tmp_path, 0.7)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  LEFT-handed, pupil’s pen.\n", ["the", "left", "handed", "pupil", "s", "pen"]),
        ("Cafe\u0301 STRASSE straße", ["café", "strasse", "strasse"]),
        ("a\0b\u202ec\u200bd \ud800 e", ["a", "bcd", "e"]),
        ("लड़की को", ["लड़की", "को"]),
        ("左手で書く", list("左手で書く")),
        ("C++ C#", ["c++", "c"]),
        ("…!?", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    import unicodedata

    assert words(text) == [unicodedata.normalize("NFC", word) for word in expected]


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=6), max_size=5), st.integers(1, 4))
def test_ngrams_have_the_same_hash_if_they_are_the_same(texts: list[list[str]], n: int) -> None:
    hashes = WordHashes()
    found = ngrams(word_rows([hashes[w] for w in text] for text in texts), n)
    expected = [
        (row, tuple(text[i : i + n]))
        for row, text in enumerate(texts)
        for i in range(max(len(text) - n + 1, min(1, len(text))))
    ]
    assert [(r, k) for r, k in zip(found.rows.tolist(), found.lengths.tolist(), strict=True)] == [
        (row, len(gram)) for row, gram in expected
    ]
    by_hash = dict(zip(found.hashes.tolist(), (gram for _, gram in expected), strict=True))
    assert len(by_hash) == len({gram for _, gram in expected})


def test_hashes_of_windows_do_not_depend_on_their_place() -> None:
    rows = WordRows(np.array([7, 1, 2, 3, 9, 1, 2, 3], np.uint64), np.array([0, 8], np.int64))
    a, b, c = window_hashes(rows, np.array([1, 5, 0]), np.array([3, 3, 3]))
    assert a == b != c


@pytest.mark.parametrize("near", [0.2, 0.5, 0.8, 0.95, 1.0])
def test_the_bands_miss_few(near: float) -> None:
    count, rows = bands_for(near)
    assert count * rows <= 252
    assert (1 - near**rows) ** count <= 1e-5


def test_a_text_without_words_hides_no_text_beside_it() -> None:
    rows = [
        item("a", "", "", set_id="s1"),
        item("b", "left left", "", template_id="t2"),
        item("c", "", "left left"),
    ]
    assert duplicates(rows, near=1.0) == [("near", "b", "c", 1.0)]


NGRAMS = st.sets(st.integers(0, 2**64 - 1) | st.integers(0, 600), min_size=1, max_size=40)


@given(one=NGRAMS, two=NGRAMS, shared=NGRAMS)
def test_no_pair_is_more_similar_than_its_bits_allow(one: set[int], two: set[int], shared: set[int]) -> None:
    a, b = one | shared, two | shared
    sizes = np.array([len(a), len(b)], np.int32)
    with TemporaryFile() as file:
        file.write(np.array([*sorted(a), *sorted(b)], np.uint64).tobytes())
        bits = ngram_bits(NgramFile(file, np.array([0, len(a)]), sizes), np.arange(2))
    (highest,) = highest_similarity(bits, sizes, np.array([0]), np.array([1]))
    assert highest >= len(a & b) / len(a | b) - 1e-12
