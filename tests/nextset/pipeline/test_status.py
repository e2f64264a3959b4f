"""`nextset status`: what it says is done is there; with --deep every byte is as it was written."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import nextset
from nextset.artifacts.artifact import Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.cli.app import app
from nextset.generation.mask_fills.stage import fill_recipe
from nextset.pipeline import status_record
from nextset.pipeline.stage_list import STEPS, stages_of
from nextset.pipeline.status import stale_before
from nextset.pipeline.status_record import StatusRecord


def generated(folder: Path) -> nextset.Study:
    """A study whose only result is out/generate."""
    study = nextset.new_study(folder)
    nextset.generate(study)
    return study


def state(study: nextset.Study, *, deep: bool = False) -> tuple[str, str]:
    found = nextset.status(study, deep=deep)[0]
    assert found.stage == "generate"
    return found.state, found.why


def test_what_is_done_has_its_files_and_deep_their_bytes(tmp_path: Path) -> None:
    study = generated(tmp_path / "small")
    assert state(study, deep=True) == ("done", "")
    shard = study.out / "generate" / "items" / "00000.parquet"
    raw = shard.read_bytes()
    shard.write_bytes(raw[:100] + bytes([raw[100] ^ 1]) + raw[101:])
    assert state(study) == ("done", "")
    assert state(study, deep=True) == ("damaged", "items/00000.parquet")
    shard.unlink()
    assert state(study) == ("damaged", "items/00000.parquet")
    shard.write_bytes(raw)
    snapshot = study.out / "generate" / "snapshots" / "women_are_to_caring.yaml"
    assert snapshot.read_bytes() == (study.folder / "templates" / "women_are_to_caring.yaml").read_bytes()
    snapshot.write_bytes(b"!" + snapshot.read_bytes()[1:])
    assert state(study) == ("damaged", "snapshots/women_are_to_caring.yaml")
    assert nextset.generate(study).remade == ("snapshots/women_are_to_caring.yaml",)
    assert state(study, deep=True) == ("done", "")


def test_a_damaged_manifest_says_what_to_delete_and_an_old_one_is_stale(tmp_path: Path) -> None:
    study = generated(tmp_path / "small")
    manifest = study.out / "generate" / "manifest.json"
    raw = manifest.read_bytes()
    manifest.write_bytes(raw.replace(b'"rows": ', b'"rows": 1', 1))
    found, why = state(study)
    assert found == "damaged"
    assert f"(delete {study.out / 'generate'} and run `nextset generate STUDY` again)" in why
    written = json.loads(raw)
    del written["digest"]
    manifest.write_text(json.dumps({**written, "format": 1}), encoding="utf-8")
    assert state(study) == ("stale", "made by an earlier version of nextset")
    manifest.write_text(json.dumps({**written, "format": 3}), encoding="utf-8")
    found, why = state(study)
    assert found == "newer"
    assert "do not delete" in why
    manifest.write_text(json.dumps({**written, "format": 1}), encoding="utf-8")
    nextset.generate(study)
    assert state(study) == ("done", "")
    manifest.unlink()
    assert state(study) == ("missing", "")


def test_what_a_stage_reads_is_out_of_date_once_settings_before_it_change(tmp_path: Path) -> None:
    study = generated(tmp_path / "small")
    assert stale_before(study, "score") is None  # missing, which the stage says itself
    items = open_artifact(study.out / "generate").table("items")
    build(study.out / "fill", fill_recipe(study), lambda: [Part("items", lambda: PartResult(items))])
    assert stale_before(study, "score") is None
    text = study.file.read_text(encoding="utf-8")
    study.file.write_text(text.replace("fill: {", "fill: {mask: noun, "), encoding="utf-8")
    changed = nextset.Study.load(study.folder)
    found = stale_before(changed, "score")
    assert found is not None
    assert (found.stage, found.state) == ("fill", "stale")
    assert stale_before(changed, "fill") is None


def test_a_finished_stage_whose_server_is_not_at_hand_is_not_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    study = generated(tmp_path / "small")
    text = study.file.read_text(encoding="utf-8")
    study.file.write_text(text.replace("builtin:nli-electra", "openai:some-model"), encoding="utf-8")
    study = nextset.Study.load(study.folder)
    items = open_artifact(study.out / "generate").table("items")
    build(study.out / "fill", fill_recipe(study), lambda: [Part("items", lambda: PartResult(items))])
    build(study.out / "score", Recipe("score", 1), lambda: [Part("scores", lambda: PartResult(items))])
    states = {s.stage: s for s in nextset.status(study)}
    assert [states[name].state for name in ("generate", "fill", "score")] == ["done", "done", "unchecked"]
    assert states["score"].why.startswith(
        "finished and whole, but whether it is up to date cannot be checked: "
    )
    assert "OPENAI_BASE_URL" in states["score"].why
    assert states["filter"].state == "missing"


def test_what_nextset_did_not_write_is_damage(tmp_path: Path) -> None:
    study = generated(tmp_path / "small")
    items = study.out / "generate" / "items"
    shutil.copy(items / "00000.parquet", items / "00009.parquet")
    assert state(study) == ("damaged", "items/00009.parquet (nextset did not write this file)")
    (items / "00009.parquet").unlink()
    assert state(study) == ("done", "")
    partial = study.out / "generate.partial"
    partial.symlink_to("gone")
    assert state(study)[0] == "damaged"
    assert f"{partial} is in the way: it is a link" in state(study)[1]


def test_a_result_that_is_not_a_stage_is_listed_if_it_is_damaged(tmp_path: Path) -> None:
    study = generated(tmp_path / "small")
    other = study.out / "score_held_out"
    (study.out / "generate").rename(other)
    nextset.generate(study)
    assert "score_held_out" not in {s.stage for s in nextset.status(study, deep=True)}
    (other / "items" / "00000.parquet").write_bytes(b"")
    last = nextset.status(study)[-1]
    assert (last.stage, last.state, last.why) == ("score_held_out", "damaged", "items/00000.parquet")


def test_a_result_that_is_not_a_stage_is_listed_if_it_is_unfinished(tmp_path: Path) -> None:
    study = generated(tmp_path / "small")
    (study.out / "passage_vectors-bert.partial").mkdir()
    last = nextset.status(study)[-1]
    assert (last.stage, last.state) == ("passage_vectors-bert", "unfinished")
    assert last.why == "run it again to resume"


@pytest.fixture
def settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> nextset.Study:
    """A study with a template outside its folder, whose files count as settled; the cache is empty."""
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(status_record, "RACY", -3_600_000_000_000)
    study = nextset.new_study(tmp_path / "small")
    (study.folder / "templates").rename(tmp_path / "templates")
    text = study.file.read_text(encoding="utf-8")
    study.file.write_text(text.replace("[templates]", "[../templates]"), encoding="utf-8")
    nextset.generate(study.folder)
    return nextset.Study.load(study.folder)


def recorded(study: nextset.Study, *options: str) -> tuple[bool, str]:
    """Whether the command reads the record, and what it prints."""
    is_kept = StatusRecord(study.folder, trust_code=False).read() is not None
    done = CliRunner().invoke(app, ["status", str(study.folder), *options])
    assert done.exit_code == 0, done.output
    return is_kept, done.stdout


def edited(file: Path) -> None:
    """An edit that keeps the size and the time of the file."""
    before = file.stat()
    file.write_bytes(file.read_bytes().replace(b"# ", b"#\t", 1))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_the_record_of_a_status_says_what_a_full_look_says(settled: nextset.Study) -> None:
    for options in ((), ("--all",), ("--json",)):
        full = recorded(settled, "--deep", *options)[1]
        recorded(settled)
        assert recorded(settled, *options) == (True, full)
    lines = recorded(settled)[1].splitlines()
    assert [line.split()[0] for line in lines[:7]] == [*STEPS, "next:"]
    assert lines[0].split()[:2] == ["generate", "done"]
    assert lines[6] == f"next: nextset run {settled.folder}"
    assert len(recorded(settled, "--all")[1].splitlines()) == len(stages_of(settled))


def test_no_change_leaves_the_record_valid(
    settled: nextset.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(of: str) -> None:
        (template,) = (tmp_path / "templates").glob("*.yaml")
        shard = settled.out / "generate" / "items" / "00000.parquet"
        (record,) = (tmp_path / "cache" / "digests").glob("status-*")
        changes: dict[str, Callable[[], object]] = {
            "study": lambda: settled.file.write_bytes(settled.file.read_bytes() + b"# more"),
            "template": lambda: edited(template),
            "new file": lambda: (tmp_path / "templates" / "notes.txt").write_text("x"),
            "shard": lambda: shard.rename(shard.with_name("00001.parquet")),
            "variable": lambda: monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
            "package": lambda: monkeypatch.syspath_prepend(str(tmp_path)),
            "record": lambda: record.write_bytes(record.read_bytes()[:-20]),
        }
        changes[of]()

    for of in ("study", "variable", "package", "record", "template", "new file", "shard"):
        recorded(settled)
        assert recorded(settled)[0], of
        change(of)
        assert not recorded(settled)[0], of
    assert "damaged" in recorded(settled)[1].splitlines()[0]


def test_what_is_not_settled_is_not_recorded(
    settled: nextset.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_record, "RACY", 3_600_000_000_000)  # a file changed just now
    assert recorded(settled) == (False, recorded(settled)[1])
    monkeypatch.setattr(status_record, "RACY", -3_600_000_000_000)
    (tmp_path / "a file").write_text("no folder")
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "a file"))
    assert recorded(settled) == (False, recorded(settled)[1])
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    (settled.out / "generate" / "manifest.json").write_bytes(b"{")  # its state depends on what is wrong
    assert recorded(settled)[0] == recorded(settled)[0] is False
    assert "next: do what the line of generate says, then" in recorded(settled)[1]


def test_a_result_reads_as_pandas_and_dataset_and_shows_itself_briefly(tmp_path: Path) -> None:
    study = generated(tmp_path / "small")
    made = open_artifact(study.out / "generate")
    rows = made.rows("items")
    assert repr(made).startswith(f"<Artifact generate: items {rows}, masked ")
    assert len(made.to_pandas("items")) == made.to_dataset("items").num_rows == rows
    assert made.to_dataset("items")[0] == made.table("items").to_pylist()[0]


@pytest.mark.slow
def test_each_table_with_rows_is_a_folder_that_datasets_opens(tmp_path: Path) -> None:
    from datasets import load_dataset

    made = open_artifact(generated(tmp_path / "small").out / "generate")
    for table in (t for t in made.tables if made.rows(t)):
        loaded: Any = load_dataset(str(made.folder / table), cache_dir=str(tmp_path / "cache"))
        assert list(loaded) == ["train"]
        assert loaded["train"].features == made.to_dataset(table).features
        assert loaded["train"].to_list() == made.table(table).to_pylist()
