"""The preview of models behind servers: what will be sent and paid, without a single request."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

import nextset
from nextset.cli.server_preview import ServerEstimate, estimate_servers
from nextset.cli.server_text import servers_text
from nextset.generation.preview import preview
from nextset.scoring.model_server.token_estimate import answer_text, estimated_tokens, token_counter
from nextset.scoring.models.sources import BUILTIN
from nextset.scoring.prompt_wordings import render_prompts
from nextset.scoring.scorer_protocol import Pair
from nextset.scoring.stage import score
from nextset.scoring.study_models import model_of, rows_to_score
from nextset.study.study_folder import Study
from tests.nextset.pipeline.test_status import generated
from tests.scoring.model_server.scripted_server import ScriptedServer, scripted

MODELS = """
release: {name: small, version: 0.1.0}
validate: {judge: rule}
scoring:
  server: {price_per_million_input_tokens: 10, price_per_million_output_tokens: 100, at_once: 2}
models:
  openai:a: {canaries_waived: a script, server: {samples: 2, temperature: 0.5, requests_per_minute: 10}}
  openai:b: {canaries_waived: a script, server: {batch: true}}
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted(lambda request: request.choices[0]) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.address)
        yield running


def served(folder: Path) -> Study:
    file = generated(folder).file
    text = file.read_text(encoding="utf-8").split("\nfilter:")[0].split("\nscoring:")[0]
    text += "\nfilter: {candidates: [plain], models: ['openai:a', 'openai:b']}\n" + MODELS
    file.write_text(text, encoding="utf-8")
    return Study.load(folder)


@pytest.mark.slow
def test_what_will_be_asked_and_paid(server: ScriptedServer, tmp_path: Path) -> None:
    study = served(tmp_path / "small")
    before = estimate_servers(study, preview(study, 0))
    assert server.requests == []
    if not before[0].exact:
        nextset.generate(study)
        before = estimate_servers(study, preview(study, 0))
    a, b = before
    model = model_of(study, "openai:a", "nli")
    inputs = [x for part in rows_to_score(study).chunks() for x in _pairs(part)]
    prompts = {p for wordings in render_prompts(model.asking, inputs) for p in wordings}
    assert (a.role, a.prompts, a.stored, a.requests, a.host, a.leaves) == (
        "filter", len(prompts), 0, 2 * len(prompts), "127.0.0.1", False
    )  # fmt: skip
    assert (b.requests, a.exact, a.counted, a.measured) == (len(prompts), True, False, False)
    read = sum(len(p.prompt.encode()) / 4 for p in prompts)
    written = sum(len(answer_text(p.choices).encode()) / 4 for p in prompts)
    # two samples at 10 and 100 per million; b in a batch, at half the price
    assert a.cost == pytest.approx(2 * (10 * read + 100 * written) / 1e6)
    assert b.cost == pytest.approx((10 * read + 100 * written) / 2 / 1e6)
    # 10 requests a minute are slower than 2 s each with two at once
    assert (a.seconds, b.seconds) == (6 * a.requests, b.requests)
    assert server.requests == []


def _pairs(part: object) -> list[Pair]:
    table = part.read(("premise", "hypothesis"))  # type: ignore[attr-defined]
    return [Pair(row["premise"], row["hypothesis"]) for row in table.to_pylist()]


@pytest.mark.slow
def test_stored_answers_are_not_asked_again(server: ScriptedServer, tmp_path: Path) -> None:
    study = served(tmp_path / "small")
    nextset.generate(study)
    text = study.file.read_text(encoding="utf-8").replace(", server: {batch: true}", "")
    text = text.replace(", requests_per_minute: 10", "")
    study.file.write_text(text, encoding="utf-8")
    study = Study.load(study.folder)
    expected = sum(e.requests for e in estimate_servers(study, preview(study, 0)))
    score(study)
    assert len(server.requests) == expected
    a, b = estimate_servers(study, preview(study, 0))
    assert (a.requests, b.requests, a.stored, b.stored) == (0, 0, a.prompts, b.prompts)
    assert (a.cost, b.measured) == (0, True)


def test_without_an_address_nothing_is_known_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    study = served(tmp_path / "small")
    estimates = estimate_servers(study, preview(study, 1))
    assert {(e.host, e.leaves, e.cost) for e in estimates} == {("", True, None)}
    assert "the address of the server is not set" in servers_text(estimates)
    assert "cost unknown" in servers_text(estimates)


ESTIMATE = ServerEstimate(
    "openai:m", "filter", "api.example.org", True, 120, True, 20, 100, 9000, True, 800, False, 409_600,
    0.17, 41.05, 400.0,
)  # fmt: skip


def test_the_text_says_where_texts_go_and_what_they_cost() -> None:
    text = servers_text([ESTIMATE])
    assert "the texts leave this machine: openai:m is at api.example.org" in text
    assert "openai:m, filter: 120 prompts, 20 answered already; 100 requests" in text
    assert (
        "  9,000 tokens read, 800 written (a bare choice; at most 409,600); cost 0.1700, at most 41.05"
        in text
    )
    assert "about 7 min at 2 s per request" in text
    assert "estimated" not in text
    unknown = dataclasses.replace(ESTIMATE, model="openai:n", cost=None, counted=False)
    both = servers_text([ESTIMATE, unknown])
    assert "  openai:m: 100 requests, cost 0.1700" in both
    assert "  all: 200 requests, cost unknown, at most 82.10" in both
    assert "estimated: a token per 4 bytes of UTF-8" in both
    assert servers_text([]) == ""


def test_tokens_are_counted_where_the_tokenizer_is_here(tmp_path: Path) -> None:
    counter = token_counter(f"openai:{BUILTIN / 'nli-electra'}", tmp_path)
    assert counter is not None
    assert counter("A dog sleeps.") > 3
    assert token_counter("openai:gpt-that-nobody-has", tmp_path) is None
    assert estimated_tokens("abcdefgh") == 2
    assert answer_text(("yes", "maybe")) == '{"answer": "maybe"}'
    assert answer_text(()) == ""
