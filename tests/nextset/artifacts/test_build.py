"""Artifacts: killed at any point, damaged in any way, made twice."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from nextset.artifacts.artifact import Recipe, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.errors import ArtifactError, DamagedShard, MissingStage, StudyError

KILLED = Path(__file__).with_name("killed_build.py")


class Kitchen:
    """Makes parts and remembers which were made."""

    def __init__(self) -> None:
        self.made: list[int] = []

    def part(self, i: int) -> Part:
        def make() -> PartResult:
            self.made.append(i)
            return PartResult(pa.table({"x": list(range(i * 10, i * 10 + 5))}), {"dropped": i})

        return Part("rows", make)

    def plan(self, n: int = 4) -> Sequence[Part | FilePart]:
        return [*(self.part(i) for i in range(n)), FilePart("note.txt", lambda: b"note")]


RECIPE = Recipe("test", 1, {"in": "a"}, {"k": 1})


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_what_was_made_is_read_back(tmp_path: Path) -> None:
    kitchen = Kitchen()
    artifact = build(tmp_path / "a", RECIPE, kitchen.plan, snapshots={})
    assert artifact.built == "made"
    assert artifact.table("rows")["x"].to_pylist()[:6] == [0, 1, 2, 3, 4, 10]
    assert artifact.rows("rows") == 20
    assert artifact.counts == {"dropped": 0 + 1 + 2 + 3}
    assert (tmp_path / "a" / "note.txt").read_bytes() == b"note"


def test_the_same_recipe_makes_nothing_again(tmp_path: Path) -> None:
    kitchen = Kitchen()
    build(tmp_path / "a", RECIPE, kitchen.plan)
    again = build(tmp_path / "a", RECIPE, kitchen.plan)
    assert again.built == "reused"
    assert kitchen.made == [0, 1, 2, 3]


def test_another_recipe_makes_it_anew(tmp_path: Path) -> None:
    kitchen = Kitchen()
    first = build(tmp_path / "a", RECIPE, kitchen.plan)
    second = build(tmp_path / "a", Recipe("test", 1, {"in": "a"}, {"k": 2}), lambda: kitchen.plan(2))
    assert second.built == "made"
    assert (first.rows("rows"), second.rows("rows")) == (20, 10)
    assert not (tmp_path / "a" / "rows" / "00003.parquet").exists()


def test_equal_content_has_an_equal_digest_whatever_made_it(tmp_path: Path) -> None:
    a = build(tmp_path / "a", RECIPE, Kitchen().plan)
    b = build(tmp_path / "b", Recipe("other", 7), Kitchen().plan)
    assert a.digest == b.digest
    assert a.key != b.key


def test_a_failing_part_costs_no_finished_work(tmp_path: Path) -> None:
    kitchen = Kitchen()
    build(tmp_path / "a", RECIPE, kitchen.plan)
    before = content(tmp_path / "a")

    def bad() -> PartResult:
        raise ZeroDivisionError

    changed = Recipe("test", 1, {"in": "b"})
    with pytest.raises(ZeroDivisionError):
        build(tmp_path / "a", changed, lambda: [kitchen.part(0), Part("rows", bad)])
    assert content(tmp_path / "a") == before
    # What the failed run had finished is not made again.
    kitchen.made.clear()
    resumed = build(tmp_path / "a", changed, lambda: [kitchen.part(0), kitchen.part(1)])
    assert resumed.built == "resumed"
    assert kitchen.made == [1]


@pytest.mark.parametrize("damage", ["truncate", "alter", "delete"])
def test_only_the_damaged_shard_is_made_again(tmp_path: Path, damage: str) -> None:
    kitchen = Kitchen()
    build(tmp_path / "a", RECIPE, kitchen.plan)
    before = content(tmp_path / "a")
    shard = tmp_path / "a" / "rows" / "00002.parquet"
    raw = shard.read_bytes()
    if damage == "delete":
        shard.unlink()
    else:
        shard.write_bytes(raw[: len(raw) // 2] if damage == "truncate" else raw[:-1] + b"!")
    with pytest.raises(DamagedShard, match=r"rows/00002\.parquet"):
        open_artifact(tmp_path / "a").table("rows")
    kitchen.made.clear()
    repaired = build(tmp_path / "a", RECIPE, kitchen.plan)
    assert repaired.built == "repaired"
    assert repaired.remade == ("rows/00002.parquet",)
    assert kitchen.made == [2]
    assert content(tmp_path / "a") == before


def test_a_damaged_snapshot_is_named_and_written_again(tmp_path: Path) -> None:
    name = "text.yaml"
    build(tmp_path / "a", RECIPE, Kitchen().plan, snapshots={name: b"text"})
    (tmp_path / "a" / "snapshots" / name).write_bytes(b"other")
    with pytest.raises(DamagedShard, match=name):
        open_artifact(tmp_path / "a").snapshot(name)
    build(tmp_path / "a", RECIPE, Kitchen().plan, snapshots={name: b"text"})
    assert open_artifact(tmp_path / "a").snapshot(name) == b"text"


def test_a_manifest_cut_in_half_or_nested_too_deeply_is_named(tmp_path: Path) -> None:
    build(tmp_path / "a", RECIPE, Kitchen().plan)
    manifest = tmp_path / "a" / "manifest.json"
    for damaged in (manifest.read_bytes()[:100], b"[" * 5000):
        manifest.write_bytes(damaged)
        with pytest.raises(DamagedShard, match=r"manifest\.json"):
            open_artifact(tmp_path / "a")


@pytest.mark.parametrize("extra", ["rows/00009.parquet", "notes.txt", "more"])
def test_a_file_that_nextset_did_not_write_is_named_and_kept(tmp_path: Path, extra: str) -> None:
    folder = tmp_path / "a"
    build(folder, RECIPE, Kitchen().plan)
    (folder / ".DS_Store").write_bytes(b"")
    assert open_artifact(folder).others() == ()
    if extra == "more":
        (folder / extra).symlink_to(folder / "rows")
    else:
        (folder / extra).write_bytes((folder / "rows" / "00000.parquet").read_bytes())
    assert open_artifact(folder).others() == (extra,)
    with pytest.raises(DamagedShard, match=f"files that nextset did not write: {extra}"):
        build(folder, RECIPE, Kitchen().plan)
    (folder / extra).unlink()
    assert build(folder, RECIPE, Kitchen().plan).built == "reused"


def test_a_stray_file_and_a_link_in_the_work_folder_stay_out_of_the_result(tmp_path: Path) -> None:
    work, elsewhere = tmp_path / "a.partial", tmp_path / "elsewhere"
    elsewhere.mkdir()
    work.mkdir()
    (work / "key").write_bytes(RECIPE.key.encode())
    (work / "00009.parquet").write_bytes(b"stray")
    (work / "rows").symlink_to(elsewhere)
    build(tmp_path / "a", RECIPE, Kitchen().plan)
    assert open_artifact(tmp_path / "a").others() == ()
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize("garbage", ["no JSON", "another recipe", "a shard is missing"])
def test_only_a_whole_result_of_this_recipe_replaces_a_finished_one(tmp_path: Path, garbage: str) -> None:
    folder, work = tmp_path / "a", tmp_path / "a.partial"
    build(folder, RECIPE, Kitchen().plan)
    before = content(folder)
    build(work, RECIPE if garbage == "a shard is missing" else Recipe("other", 1), lambda: Kitchen().plan(2))
    if garbage == "no JSON":
        (work / "manifest.json").write_text("{", encoding="utf-8")
    (work / "rows" / "00000.parquet").unlink()
    kitchen = Kitchen()
    assert build(folder, RECIPE, kitchen.plan).built == "reused"
    assert content(folder) == before
    assert kitchen.made == []
    assert not work.exists()


def test_a_result_that_was_moved_aside_returns_if_the_next_one_is_not_whole(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    build(folder, RECIPE, Kitchen().plan)
    folder.rename(tmp_path / "a.old")
    (tmp_path / "a.partial").mkdir()
    assert build(folder, RECIPE, Kitchen().plan).built == "reused"


@pytest.mark.parametrize("name", ["a", "a.partial", "a.old"])
@pytest.mark.parametrize("what", ["a link", "a link that leads nowhere", "a loop", "a file"])
def test_what_is_in_the_place_of_a_folder_is_named_and_kept(tmp_path: Path, name: str, what: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / ".a.tmp").write_bytes(b"mine")
    place = tmp_path / name
    if what == "a file":
        place.write_bytes(b"mine")
    else:
        place.symlink_to({"a link": "elsewhere", "a loop": name}.get(what, "gone"))
    with pytest.raises(ArtifactError, match=f"{name} is in the way") as e:
        build(tmp_path / "a", RECIPE, Kitchen().plan)
    assert f"move or remove {place}" in e.value.remedy
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted({"elsewhere", name})
    assert (tmp_path / "elsewhere" / ".a.tmp").read_bytes() == b"mine"


def test_a_refusal_before_the_first_shard_leaves_nothing_to_resume(tmp_path: Path) -> None:
    def refused() -> Sequence[Part | FilePart]:
        raise StudyError("no", remedy="none")

    with pytest.raises(StudyError):
        build(tmp_path / "a", RECIPE, refused)
    assert not list(tmp_path.iterdir())


def test_a_stage_that_has_not_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingStage, match="fill has not run") as caught:
        open_artifact(tmp_path / "fill")
    assert "nextset fill" in caught.value.remedy


@pytest.mark.slow
def test_killed_at_any_point_it_ends_with_the_same_bytes(tmp_path: Path) -> None:
    """SIGKILL at every file operation of a build, also while a finished artifact is replaced."""
    done = subprocess.run([sys.executable, KILLED, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["different"] == []
    assert result["killed"] >= 25
