"""Models that are asked by batches: a scorer with reminders, a writer, and a study."""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nextset.artifacts.made_folder import making
from nextset.artifacts.part_progress import shares_noted
from nextset.cli.new import new_study
from nextset.scoring.asking import Asking
from nextset.scoring.model_server.server_scorer import ServerScorer
from nextset.scoring.model_server.server_writer import ServerWriter
from nextset.scoring.models.sources import locate
from nextset.scoring.prompt_wordings import own_prompts
from nextset.scoring.scorer_protocol import Pair, YesNoQuestion
from nextset.scoring.writer_protocol import WritingRequest
from nextset.study.scoring_settings import ModelSettings, ScoringSettings, ServerSettings
from tests.scoring.model_server.batch_server import BatchServer, batch_server, reply

KEY = "sk-secret-0123456789abcdef"
PAIRS = [Pair(f"{word} sat on the mat.", "Somebody sat.") for word in ("Anna", "Boris", "Cleo", "Dan", "Eve")]
PROMPTS = 3 * len(PAIRS)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    """A server whose model answers with a choice by the hash of the prompt, some only when reminded."""
    with batch_server() as running:
        running.answer = answer
        monkeypatch.setenv("OPENAI_BASE_URL", running.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
        yield running


def answer(body: dict[str, Any]) -> str:
    """One of the choices; for a third of the prompts only after one reminder, or two."""
    choices = body["response_format"]["json_schema"]["schema"]["properties"]["answer"]["enum"]
    number = sha256(body["messages"][0]["content"].encode()).digest()[0]
    reminders = len(body["messages"]) // 2
    return "zzz" if reminders < number % 9 - 6 else str(choices[number % len(choices)])


def scorer(**server: Any) -> ServerScorer:
    """A scorer with answers on disk."""
    settings = ScoringSettings(server=ServerSettings(**server))
    return ServerScorer.load(locate("openai:m"), Asking("nli", settings))


def test_batches_have_the_numbers_of_single_requests(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batched = scorer(batch=True, max_requests=100)
    found = batched.scores(batched.encoded(PAIRS))
    sizes = [len(content.splitlines()) for content in server.files.values() if b'"url"' in content]
    assert sizes[0] == PROMPTS
    assert PROMPTS > sum(sizes[1:]) > 0  # the reminders
    assert len(sizes) == 3
    assert set(server.runs.values()) == {1}
    assert (batched.scores(batched.encoded(PAIRS)) == found).all()
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "other cache"))
    single = scorer()
    np.testing.assert_array_equal(single.scores(single.encoded(PAIRS)), found)
    assert server.steps.count("chat") == sum(sizes)
    for file in (tmp_path / "cache").iterdir():
        assert KEY.encode() not in file.read_bytes()


def test_answers_count_for_their_stage_and_its_progress(server: BatchServer, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    shares, batched = list[float](), scorer(batch=True)
    with making(tmp_path / "out" / "score"), shares_noted(shares.append):
        batched.scores(batched.encoded(PAIRS))
    with closing(sqlite3.connect(tmp_path / "out" / "usage.sqlite")) as db:
        used = db.execute("SELECT stage, count(*), sum(read) FROM usage WHERE run != '' GROUP BY stage")
        assert used.fetchall() == [("score", len(server.runs), 40 * len(server.runs))]
    assert len(shares) == 3  # the prompts, and two rounds of reminders
    assert shares == sorted(shares)
    assert (shares[0] > 0.5, shares[-1]) == (True, 1)


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_the_first_requests_are_known_before_they_are_sent(server: BatchServer, api: str) -> None:
    said = {"index": 0, "text": "yes", "message": {"content": "yes"}, "finish_reason": "stop"}
    server.answer = lambda body: {"choices": [said]}
    batched = scorer(batch=True, api=api, logprobs=True)
    encoded = batched.encoded(PAIRS)
    known = {
        r.key for of_input in encoded for p in of_input for r in itertools.chain(*batched.first_requests(p))
    }
    batched.scores(encoded)
    sent = [json.loads(line)["custom_id"] for line in server.files["file-0"].splitlines()]
    assert len(sent) == PROMPTS * (3 if api == "completions" else 1)  # a continuation for each choice
    assert set(sent) <= known


def continued(body: dict[str, Any]) -> dict[str, Any]:
    """The reply of a base model that echoes prompts, except those about Boris: choices are less likely the
    more letters they have."""
    text = body["prompt"]
    if "echo" not in body or "Boris" in text:
        logs = {"tokens": [" maybe"], "token_logprobs": [-0.1], "top_logprobs": [{" maybe": -0.1}]}
        return {"choices": [{"text": " maybe", "finish_reason": "stop", "logprobs": logs}]}
    head, choice = text.rsplit(" ", 1)
    logs = {"tokens": [head, f" {choice}", "."], "token_logprobs": [None, -1.0 * len(choice), -1.0]}
    return {"choices": [{"text": text + ".", "finish_reason": "length", "logprobs": logs}]}


def base_scorer() -> ServerScorer:
    """A scorer with a base model and one wording, whose choices are yes, maybe and no."""
    settings = ScoringSettings(server=ServerSettings(batch=True, logprobs=True, api="completions"))
    asking = Asking("qa", settings, ModelSettings(), own_prompts().only("qa", 1))
    return ServerScorer.load(locate("openai:m"), asking)


def test_batches_have_the_log_probabilities_of_single_requests(server: BatchServer) -> None:
    server.answer = continued
    texts = [YesNoQuestion(f"{word} sat.", "Did somebody sit?") for word in ("Anna", "Boris")]
    batched = base_scorer()
    found = batched.scores(batched.encoded(texts))
    powers = np.exp([-len(choice) for choice in ("yes", "maybe", "no")])
    np.testing.assert_allclose(found[0, :3], powers / powers.sum())
    np.testing.assert_allclose(found[1, :3], [0, 1, 0])
    assert ["echo" in body for body in server.bodies] == [True] * 6 + [False]


def test_a_refused_echo_in_a_batch_is_followed_by_answers(server: BatchServer) -> None:
    server.answer = continued
    server.endings.append("rows 400 echo is not supported")  # two of the three choices
    texts = [YesNoQuestion("Anna sat.", "Did somebody sit?")]
    batched = base_scorer()
    found = batched.scores(batched.encoded(texts))
    np.testing.assert_allclose(found[0, :3], [0, 1, 0])
    assert ["echo" in body for body in server.bodies] == [True, False]


def test_a_model_that_thinks_gets_all_tokens(server: BatchServer) -> None:
    def thinking(body: dict[str, Any]) -> dict[str, Any]:
        short = body["max_tokens"] < 4096
        return reply("<think>Let me see", "length") if short else reply(f"<think>So.</think>{answer(body)}")

    server.answer = thinking
    batched = scorer(batch=True)
    found = batched.scores(batched.encoded(PAIRS))
    tokens = [body["max_tokens"] for body in server.bodies]
    assert tokens[: 2 * PROMPTS] == [256] * PROMPTS + [4096] * PROMPTS
    assert set(tokens[2 * PROMPTS :]) == {4096}  # the reminders
    np.testing.assert_allclose(found[:, :3].sum(axis=1), 1)


def test_nothing_is_stored_without_the_cache(server: BatchServer, tmp_path: Path) -> None:
    settings = ScoringSettings(server=ServerSettings(batch=True), cache=False)
    batched = ServerScorer.load(locate("openai:m"), Asking("nli", settings))
    batched.scores(batched.encoded(PAIRS))
    assert not (tmp_path / "cache").exists() or not list((tmp_path / "cache").iterdir())


def test_a_writer_sends_batches(server: BatchServer) -> None:
    server.answer = lambda body: f"A text about {body['messages'][-1]['content']}."
    writer = ServerWriter.of(locate("openai:m"), ScoringSettings(server=ServerSettings(batch=True)))
    texts = writer.write([WritingRequest(p, 64, 1.0, 0) for p in ("cats", "dogs", "cats")])
    assert [text.text for text in texts] == [f"A text about {p}." for p in ("cats", "dogs", "cats")]
    assert server.steps == ["upload", "create", "look", "download"]


@pytest.mark.slow
def test_a_study_runs_with_batches(server: BatchServer, tmp_path: Path, root: Path) -> None:
    study = new_study(tmp_path / "study")
    text = study.file.read_text(encoding="utf-8")
    text = text.replace("[builtin:nli-electra, builtin:nli-roberta, builtin:nli-bart]", "['openai:m']")
    text = text.replace(
        "  held_out: [builtin:nli-albert]   # is the result hard for another model too?\n", ""
    )
    text += "models: {'openai:m': {canaries_waived: It answers at random., server: {batch: true}}}\n"
    study.file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "nextset", "run", str(study.folder), "--until", "filter"]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "a batch of" in done.stderr
    assert KEY not in done.stdout + done.stderr
    shards = sorted((study.folder / "out" / "score").rglob("*.parquet"))
    scores = pa.concat_tables([pq.read_table(shard) for shard in shards], promote_options="default")
    assert scores.num_rows > 10
    assert set(server.runs.values()) == {1}
    assert "chat" not in server.steps
