"""Manifests and journals that were altered: every change is found, and the error says what to delete."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pydantic import ConfigDict

from nextset.artifacts.artifact import Recipe, is_current, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.manifest import Manifest, read_manifest
from nextset.errors import DamagedShard, MissingStage, NewerFormat
from nextset.files.json_records import DigestedRecord

RECIPE = Recipe("filter", 1, {"in": "a"}, {"threshold": 0.1})


def made(folder: Path) -> Path:
    """An artifact with a table, a file and a snapshot."""
    parts: list[Part | FilePart] = [
        Part("rows", lambda: PartResult(pa.table({"x": [1, 2]}), {"dropped": 3})),
        FilePart("index.html", lambda: b"page"),
    ]
    build(folder, RECIPE, lambda: parts, snapshots={"a.yaml": b"text"})
    return folder


def test_every_flipped_bit_of_a_manifest_is_found_and_the_remedy_names_the_folder(tmp_path: Path) -> None:
    manifest = made(tmp_path / "filter") / "manifest.json"
    raw = manifest.read_bytes()
    for place in range(0, len(raw), 3):
        flipped = bytearray(raw)
        flipped[place] ^= 1 << place % 8
        manifest.write_bytes(flipped)
        with pytest.raises(DamagedShard, match=r"manifest\.json is damaged: ") as damaged:
            open_artifact(tmp_path / "filter")
        assert damaged.value.remedy == f"delete {tmp_path / 'filter'} and run `nextset filter STUDY` again"
        assert len(str(damaged.value)) < 500
    manifest.write_bytes(raw)
    assert is_current(tmp_path / "filter", RECIPE)


def test_every_flipped_bit_of_a_journal_line_makes_its_shard_again(tmp_path: Path) -> None:
    """A line with another count would be believed: the shard itself is as its hash says."""
    done: list[int] = []

    def part(i: int, fails: bool) -> Part:
        def make() -> PartResult:
            if fails:
                raise KeyboardInterrupt
            done.append(i)
            return PartResult(pa.table({"x": [i]}), {"dropped": 3})

        return Part("rows", make)

    folder = tmp_path / "filter"
    journal = tmp_path / "filter.partial" / "journal.jsonl"
    with pytest.raises(KeyboardInterrupt):
        build(folder, RECIPE, lambda: [part(0, False), part(1, True)])
    raw = journal.read_bytes()
    for place in range(1, len(raw), 7):  # the first byte is the line break that separates lines
        flipped = bytearray(raw)
        flipped[place] ^= 1 << place % 8
        journal.write_bytes(flipped)
        done.clear()
        with pytest.raises(KeyboardInterrupt):
            build(folder, RECIPE, lambda: [part(0, False), part(1, True)])
        assert done == [0], (place, flipped)
    assert build(folder, RECIPE, lambda: [part(0, False), part(1, False)]).counts == {"dropped": 6}


def rewritten(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest and give it the digest of its new content."""

    class Anything(DigestedRecord):
        model_config = ConfigDict(extra="allow")

    fields = json.loads((folder / "manifest.json").read_bytes())
    fields.pop("digest")
    change(fields)
    (folder / "manifest.json").write_bytes(Anything(**fields).as_bytes(2))


WRONG: dict[str, Callable[[dict[str, Any]], None]] = {
    "shards: Input should be a valid array": lambda m: m.update(shards={"a": 1}),
    "shards.0.rows: Input should be a valid integer": lambda m: m["shards"][0].update(rows="2"),
    "shards.0.sha256: ": lambda m: m["shards"][0].update(sha256="0"),
    "shards.0.file: String should match": lambda m: m["shards"][0].update(file="../../study.yaml"),
    "shards.1.file: String should match": lambda m: m["shards"][1].update(file="/etc/passwd"),
    "shards.0.extra: Unexpected keyword": lambda m: m["shards"][0].update(extra=1),
    "snapshots: Input should be an object": lambda m: m.update(snapshots=["a"]),
    "snapshots.../x.": lambda m: m.update(snapshots={"../x": "0" * 64}),
    "format: Input should be 2": lambda m: m.update(format=0),
    "key: Input should be a valid string": lambda m: m.update(key=1),
}


@pytest.mark.parametrize("why", WRONG)
def test_a_manifest_of_other_types_is_refused_even_with_the_right_digest(tmp_path: Path, why: str) -> None:
    rewritten(made(tmp_path / "filter"), WRONG[why])
    with pytest.raises(DamagedShard) as damaged:
        read_manifest(tmp_path / "filter")
    assert why in str(damaged.value)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "not JSON"),
        (b"[]", "Input should be an object"),
        (b"[" * 5000, "nested too deeply"),
        (b'{"key": "\xff"}', "not UTF-8"),
        (b'{"key": "a", "key": "b"}', "the key 'key' is repeated"),
    ],
)
def test_what_is_no_manifest_is_named(tmp_path: Path, raw: bytes, why: str) -> None:
    (made(tmp_path / "filter") / "manifest.json").write_bytes(raw)
    with pytest.raises(DamagedShard, match=why):
        read_manifest(tmp_path / "filter")


@pytest.mark.parametrize("name", ["index.html", "snapshots/a.yaml"])
def test_a_file_that_is_no_longer_made_is_not_a_traceback(tmp_path: Path, name: str) -> None:
    folder = made(tmp_path / "filter")
    (folder / name).write_bytes(b"?")
    with pytest.raises(DamagedShard, match="no longer makes it") as damaged:
        build(folder, RECIPE, lambda: [])
    assert "delete" in damaged.value.remedy


def test_a_manifest_without_a_digest_is_of_an_earlier_version_and_made_again(tmp_path: Path) -> None:
    folder = made(tmp_path / "filter")
    fields = json.loads((folder / "manifest.json").read_bytes())
    fields.pop("digest")
    (folder / "manifest.json").write_text(json.dumps({**fields, "format": 1}), encoding="utf-8")
    with pytest.raises(MissingStage, match="made by an earlier version of nextset") as old:
        open_artifact(folder)
    assert "nextset run STUDY" in old.value.remedy
    made(folder)
    assert isinstance(read_manifest(folder), Manifest)


@pytest.mark.parametrize("novel", [{}, {"parts": []}], ids=["only the number", "also keys"])
def test_a_manifest_in_a_newer_format_is_not_damaged_and_is_not_replaced(
    tmp_path: Path, novel: dict[str, Any]
) -> None:
    manifest = made(tmp_path / "filter") / "manifest.json"
    fields = {**json.loads(manifest.read_bytes()), **novel, "format": 3, "made_with": {"nextset": "0.9.1"}}
    raw = json.dumps(fields).encode()
    manifest.write_bytes(raw)
    for use in (open_artifact, made, lambda folder: is_current(folder, RECIPE)):
        with pytest.raises(NewerFormat, match=r"version of nextset \(0\.9\.1\) wrote .* reads format 2") as e:
            use(tmp_path / "filter")
        assert e.value.remedy.startswith("install nextset 0.9.1, which reads the file")
        assert "do not delete" in e.value.remedy
    assert manifest.read_bytes() == raw


def test_a_journal_and_a_key_that_are_not_utf_8_cost_the_work_and_nothing_else(tmp_path: Path) -> None:
    work = tmp_path / "filter.partial"
    work.mkdir()
    (work / "key").write_bytes(b"\xff")
    (work / "journal.jsonl").write_bytes(b"\xff\xfe\n")
    made(tmp_path / "filter")
    (work / "rows").mkdir(parents=True)
    (work / "key").write_bytes(Recipe("filter", 2).key.encode())
    (work / "journal.jsonl").write_bytes(b"\xff\xfe\n[]\n{}\n")
    parts = [Part("rows", lambda: PartResult(pa.table({"x": [1]})))]
    assert build(tmp_path / "filter", Recipe("filter", 2), lambda: parts).built == "made"


def test_a_pipe_in_place_of_a_file_is_damage(tmp_path: Path) -> None:
    folder = made(tmp_path / "filter")
    (folder / "rows" / "00000.parquet").unlink()
    os.mkfifo(folder / "rows" / "00000.parquet")
    artifact = open_artifact(folder)
    assert artifact.damaged(deep=False) == artifact.damaged(deep=True) == ("rows/00000.parquet",)
    with pytest.raises(DamagedShard, match="missing, truncated or altered"):
        artifact.table("rows")


def test_sizes_are_compared_always_and_contents_if_asked(tmp_path: Path) -> None:
    folder = made(tmp_path / "filter")
    artifact = open_artifact(folder)
    assert artifact.damaged(deep=True) == ()
    (folder / "index.html").write_bytes(b"pagf")
    assert (artifact.damaged(deep=False), artifact.damaged(deep=True)) == ((), ("index.html",))
    (folder / "index.html").write_bytes(b"pag")
    assert artifact.damaged(deep=False) == ("index.html",)
    (folder / "snapshots" / "a.yaml").write_bytes(b"texT")
    assert artifact.damaged(deep=False) == ("index.html", "snapshots/a.yaml")
