"""A whole study with a model on this machine that thinks before its choices are scored."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import nextset
from nextset.artifacts.answer_usage import stage_usage
from nextset.artifacts.artifact import open_artifact
from nextset.records.answer_traces import AnswerTrace
from nextset.records.arrow_schema import arrow_schema
from nextset.scoring.cache.folder import cache_folder
from nextset.scoring.model_server.answer_cache_contents import answers_file, list_answers
from nextset.scoring.trace_stage import NOT_STORED
from tests.scoring.generative.tiny_causal import save_thinker

MODEL = "./thinker"

pytestmark = pytest.mark.slow


def started(folder: Path) -> nextset.Study:
    """A newcomer's study in which the audit asks a tiny model that thinks at most six tokens."""
    study = nextset.new_study(folder)
    save_thinker(folder / "thinker")
    written = study.file.read_text(encoding="utf-8")
    study.file.write_text(
        f"{written}\naudit: {{models: ['{MODEL}']}}\n"
        f"scoring: {{server: {{answer_tokens: 6}}}}\n"
        f"models: {{'{MODEL}': {{thinking: true, canaries_waived: its weights are random}}}}\n",
        encoding="utf-8",
    )
    return nextset.Study.load(folder)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nextset.Study]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEXTSET_CACHE", str(tmp_path_factory.mktemp("cache")))
        study = started(tmp_path_factory.mktemp("thoughts") / "mine")
        nextset.run(study)
        yield study


def test_prompts_about_released_items_have_their_thoughts(ran: nextset.Study) -> None:
    traces = open_artifact(ran.out / "traces")
    table = traces.table("traces")
    assert table.schema == arrow_schema(AnswerTrace)
    rows = table.to_pylist()
    released = open_artifact(ran.out / "release").table("items", ["id"])["id"].to_pylist()
    wordings = sorted({row["wording"] for row in rows})
    assert wordings == list(range(1, len(wordings) + 1))
    asked = [(row["item_id"], row["wording"]) for row in rows]
    assert len(asked) == len(set(asked))
    prompts = {(item, wording) for item in released for wording in wordings}
    assert set(asked) <= prompts
    assert len(asked) > 0.9 * len(prompts)  # about a few, the model ends its thoughts at once
    assert traces.counts.get(NOT_STORED, 0) == 0
    assert all(0 < row["tokens"] <= 6 and row["answer"] for row in rows)
    assert any(row["text"] for row in rows)
    assert {(row["model"], row["outcome"], row["sample"]) for row in rows} == {("thinker", "", 1)}


def test_the_report_has_its_section(ran: nextset.Study) -> None:
    measures = {
        (row["measure"], row["part"]): row["value"]
        for row in open_artifact(ran.out / "audit").table("measures").to_pylist()
    }
    assert 0 < measures["trace_tokens", "all"] <= 6
    assert measures["trace_characters", "all"] > 0
    page = (ran.out / "report" / "index.html").read_text(encoding="utf-8")
    assert "Thinking before answers" in page


def test_the_store_has_them_under_the_models_name(ran: nextset.Study) -> None:
    (entry,) = list_answers()
    assert entry.model == MODEL
    assert entry.answers >= open_artifact(ran.out / "traces").table("traces").num_rows
    assert entry.read == entry.uncounted == entry.undated == 0
    assert stage_usage(ran.out) == []  # no server was used


def test_a_run_that_was_killed_goes_on_to_the_same_table(ran: nextset.Study) -> None:
    """A killed run leaves some thoughts, and no scores or results."""
    before = open_artifact(ran.out / "traces").table("traces")
    scores = open_artifact(ran.out / "score_audit").table("scores")
    with closing(sqlite3.connect(answers_file())) as db, db:
        db.execute("DELETE FROM completions WHERE rowid % 2")
    shutil.rmtree(cache_folder())
    for stage in ("score_audit", "traces", "audit"):
        shutil.rmtree(ran.out / stage)
    nextset.run(ran)
    assert open_artifact(ran.out / "traces").table("traces").equals(before)
    assert open_artifact(ran.out / "score_audit").table("scores").equals(scores)
