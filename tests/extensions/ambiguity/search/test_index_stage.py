"""The stages passage_index and retrieved: counts, reuse, kills and damage, each with the same bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import nextset.extensions.ambiguity.search.stage
from nextset.artifacts.artifact import Artifact
from nextset.errors import InputError, MissingStage, StudyError
from nextset.extensions.ambiguity.passages import LocatedPassage
from nextset.extensions.ambiguity.retrieval.stage import retrieval_recipe
from nextset.extensions.ambiguity.search import passage_chunks
from nextset.extensions.ambiguity.search.passage_collection import FileCollection
from nextset.extensions.ambiguity.search.search_stage import search_passages
from nextset.extensions.ambiguity.search.stage import index_passages
from nextset.pipeline.status import status
from nextset.study.study_folder import Study
from tests.extensions.ambiguity.search.passage_studies import PASSAGES, passage_study, write_rows

MANY: tuple[dict[str, Any], ...] = tuple(
    {"id": f"p{i}", "title": f"Title {i}", "text": f"The comet {'star ' * (i % 7)} iron {i}."}
    for i in range(23)
)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five passages in a chunk."""
    monkeypatch.setattr(passage_chunks, "CHUNK", 5)
    monkeypatch.setattr(nextset.extensions.ambiguity.search.stage, "CHUNK", 5)


def contents(artifact: Artifact) -> dict[str, bytes]:
    return {s.file: (artifact.folder / s.file).read_bytes() for s in artifact.shards}


def test_passages_and_what_is_found(tmp_path: Path) -> None:
    study = passage_study(tmp_path / "s", top_k=2)
    index = index_passages(study)
    assert index.counts == {"passages without text": 1}
    assert index.table("passages").column("group").to_pylist() == ["female", "male", "female", "", "female"]
    found = search_passages(study)
    rows = found.to_pandas("retrieved")
    assert list(zip(rows["rank"], rows["passage"], rows["passage_id"], rows["title"], strict=True)) == [
        (1, 0, "a", "Ann"),
        (2, 4, "e", "Eve"),
        (1, 2, "c", "Cora"),
    ]
    assert set(rows["retriever"]) == {"bm25"}
    assert found.counts == {"questions with fewer than 2 passages (bm25)": 2}
    assert found.table("questions").column("occupation").to_pylist() == ["astronomy", "engineering", "baking"]


def test_a_second_run_reuses_what_is_there_and_status_says_so(tmp_path: Path) -> None:
    study = passage_study(tmp_path / "s")
    assert [s.state for s in status(study)[:2]] == ["missing", "missing"]
    with pytest.raises(MissingStage):
        search_passages(study)
    index_passages(study)
    search_passages(study)
    assert [(s.stage, s.state) for s in status(study)[:2]] == [
        ("passage_index", "done"),
        ("retrieved", "done"),
    ]
    assert index_passages(study).built == search_passages(study).built == "reused"
    write_rows(study.folder / "questions.jsonl", [{"question": "Who was Ann?"}])
    assert [s.state for s in status(study)[:2]] == ["done", "stale"]
    write_rows(study.folder / "passages.jsonl", PASSAGES[:3])
    assert [s.state for s in status(study)[:2]] == ["stale", "stale"]
    assert index_passages(study).rows("passages") == 3


def test_a_study_without_bm25_has_no_posting_lists(tmp_path: Path) -> None:
    study = passage_study(tmp_path / "s", bm25=False, dense=[{"model": "gone"}])
    assert index_passages(study).tables == ("passages",)


def test_a_wrong_passage_leaves_nothing_behind(tmp_path: Path) -> None:
    study = passage_study(tmp_path / "s", passages=[*PASSAGES, PASSAGES[1]])
    with pytest.raises(InputError, match="the id 'b' is repeated"):
        index_passages(study)
    assert not list(study.out.glob("passage_index*"))


@pytest.mark.usefixtures("small_chunks")
def test_damaged_files_are_found_and_only_they_are_rebuilt(tmp_path: Path) -> None:
    study = passage_study(tmp_path / "s", passages=MANY)
    index = index_passages(study)
    before = contents(index)
    assert len(before) == 10
    (index.folder / "postings" / "00003.parquet").write_bytes(b"PAR1")
    (index.folder / "passages" / "00001.parquet").unlink()
    again = index_passages(study)
    assert (again.built, sorted(again.remade)) == (
        "repaired",
        ["passages/00001.parquet", "postings/00003.parquet"],
    )
    assert contents(again) == before


@pytest.mark.usefixtures("small_chunks")
def test_chunks_change_nothing_in_what_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = passage_study(tmp_path / "a", passages=MANY, top_k=7)
    index_passages(small)
    found = search_passages(small).table("retrieved")
    monkeypatch.undo()
    large = passage_study(tmp_path / "b", passages=MANY, top_k=7)
    assert len(index_passages(large).shards_of("passages")) == 1
    assert search_passages(large).table("retrieved") == found


def test_the_shipped_collection_and_questions(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("format: 1\nname: found\nambiguity: {retrieval: {}}\n")
    study = Study.load(tmp_path)
    assert index_passages(study).rows("passages") >= 200
    found = search_passages(study)
    assert found.rows("questions") >= 30
    titles = found.to_pandas("retrieved").groupby("question_id")["title"].first()
    questions = found.to_pandas("questions").set_index("question")["id"]
    assert titles[questions["Which astronomer discovered a comet?"]] == "Maria Mitchell"


KILLED = """
import os, sys
from nextset.extensions.ambiguity.search import passage_chunks, stage
passage_chunks.CHUNK = stage.CHUNK = 5
def tick(done, total):
    print(done, flush=True)
    if done == int(sys.argv[2]):
        os.kill(os.getpid(), 9)
stage.index_passages(sys.argv[1], lambda name: tick)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("after", [1, 4, 9])
def test_a_killed_run_resumes_to_the_same_bytes(tmp_path: Path, root: Path, after: int) -> None:
    whole = index_passages(passage_study(tmp_path / "whole", passages=MANY))
    study = passage_study(tmp_path / "killed", passages=MANY)
    run = subprocess.run(
        [sys.executable, "-c", KILLED, study.folder, str(after)],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        check=False,
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    ticks: list[tuple[int, int]] = []
    resumed = index_passages(study, lambda name: lambda done, total: ticks.append((done, total)))
    assert resumed.built == "resumed"
    assert ticks[0] == (after, 10)
    assert contents(resumed) == contents(whole)
    assert resumed.digest == whole.digest


def test_two_retrievers_of_one_name_are_refused(tmp_path: Path) -> None:
    from tests.extensions.ambiguity.search.tiny_encoders import save_bert

    save_bert(tmp_path / "bm25")
    study = passage_study(tmp_path / "s", dense=[{"model": "../bm25"}])
    index_passages(study)
    with pytest.raises(StudyError, match="two retrievers would be published as bm25"):
        search_passages(study)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("reading", [0, 1, 7])
def test_a_collection_that_changes_between_readings_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reading: int
) -> None:
    """Other texts under the same ids are written before the first reading, before the second, and in it."""
    study = passage_study(tmp_path / "s", passages=MANY)
    whole = contents(index_passages(passage_study(tmp_path / "other", passages=MANY)))
    read, count = FileCollection.passages, 0

    def passages(collection: FileCollection) -> Iterator[LocatedPassage]:
        nonlocal count
        for located in read(collection):
            if count == reading + (len(MANY) - 1 if reading else 0):
                write_rows(study.folder / "passages.jsonl", [{**row, "text": "Other."} for row in MANY])
            count += 1
            yield located

    with monkeypatch.context() as patched:
        patched.setattr(FileCollection, "passages", passages)
        with pytest.raises(InputError, match="the collection changed while it was read"):
            index_passages(study)
    assert status(study)[0].state != "done"
    write_rows(study.folder / "passages.jsonl", MANY)
    assert contents(index_passages(study)) == whole


def test_a_pipe_as_table_of_base_rates_does_not_stop_the_status(tmp_path: Path) -> None:
    study = passage_study(tmp_path / "s", base_rate="rates.csv")
    index_passages(study)
    search_passages(study)
    os.mkfifo(study.folder / "rates.csv")
    with pytest.raises(InputError, match="this is a pipe"):
        retrieval_recipe(study)


def test_what_a_killed_run_was_writing_is_removed_by_the_next(tmp_path: Path) -> None:
    study = passage_study(tmp_path / "s")
    study.out.mkdir()
    (study.out / ".0123456789abcdef.tmp").touch()
    index_passages(study)
    assert not list(study.out.glob("*.tmp"))
