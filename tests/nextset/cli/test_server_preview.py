"""The preview of models behind servers: what will be sent and paid, without a single request."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

import nextset
from nextset.cli.most_requests import most_requests
from nextset.cli.server_preview import ServerEstimate, estimate_servers
from nextset.cli.server_text import servers_text
from nextset.generation.preview import preview
from nextset.scoring.model_server.token_estimate import answer_text, estimated_tokens, token_counter
from nextset.scoring.models.sources import BUILTIN
from nextset.scoring.prompt_wordings import render_prompts
from nextset.scoring.scorer_protocol import Pair
from nextset.scoring.stage import score
from nextset.scoring.study_models import model_of, rows_to_score
from nextset.study.scoring_settings import ServerSettings
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
    a, b = (e for e in before if e.role == "filter")
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
    assert (a.per_minute, b.per_minute, b.at_once) == (10, None, 2)
    # two reminders follow each of the answers
    assert (a.requests_at_most, b.written_at_most) == (3 * a.requests, 3 * b.requests * 4096)
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
    before = estimate_servers(study, preview(study, 0))
    expected = sum(e.requests for e in before if e.role == "filter")
    score(study)
    assert len(server.requests) == expected
    a, b = (e for e in estimate_servers(study, preview(study, 0)) if e.role == "filter")
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


def test_the_rows_that_a_release_adds_are_counted(server: ScriptedServer, tmp_path: Path) -> None:
    study = served(tmp_path / "small")
    previewed = preview(study, 1)
    added = [e for e in estimate_servers(study, previewed) if e.role == "rows that the release adds"]
    # the candidates are the plain rows, each with one counterpart, in three wordings
    assert previewed.added == previewed.items["hypothesis"] > 0
    assert [(e.model, e.prompts) for e in added] == [
        (m, 3 * previewed.added) for m in ("openai:a", "openai:b")
    ]


def test_variables_that_are_not_set_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_BASE_URL", "LAB_SERVER", "LAB_KEY"):
        monkeypatch.delenv(variable, raising=False)
    study = served(tmp_path / "small")
    text = study.file.read_text(encoding="utf-8")
    text = text.replace("server: {batch: true}", "server: {address: LAB_SERVER, key: LAB_KEY}")
    study.file.write_text(text, encoding="utf-8")
    text = servers_text(estimate_servers(Study.load(study.folder), preview(study, 1)))
    assert "warning: openai:a needs OPENAI_BASE_URL, not set here" in text
    assert "warning: openai:b needs LAB_SERVER, LAB_KEY, not set here" in text


SECTIONS = """format: 1
name: small
scoring: {server: {price_per_million_input_tokens: 1, price_per_million_output_tokens: 1}}
models: {"openai:m": {canaries_waived: a script}}
"""
SELECTIONAL = "ambiguity: {selectional: {questions: ['builtin:en'], models: ['openai:m']}}\n"


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v1", ""])
def test_a_model_that_answers_questions_of_a_section(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    (tmp_path / "study.yaml").write_text(SECTIONS + SELECTIONAL, encoding="utf-8")
    study = Study.load(tmp_path)
    (estimate,) = estimate_servers(study, preview(study, 1))
    assert (estimate.role, estimate.prompts) == ("selectional", preview(study, 1).scorings["selectional"])
    if address:
        assert estimate.read > estimate.requests == estimate.requests_at_most > 0
        assert estimate.cost == pytest.approx((estimate.read + estimate.written) / 1e6, abs=1e-6)
    assert servers_text([estimate])


ESTIMATE = ServerEstimate(
    "openai:m", "filter", "api.example.org", True, 120, True, 20, 100, 300, 9000, True, 800, False, 409_600,
    0.17, 41.05, 400.0, 4,
)  # fmt: skip


def test_the_text_says_where_texts_go_and_what_they_cost() -> None:
    text = servers_text([ESTIMATE])
    assert "the texts leave this machine: openai:m is at api.example.org" in text
    assert "openai:m, filter: 120 prompts, 20 answered already; 100 requests, at most 300" in text
    assert (
        "  9,000 tokens read, 800 written (a bare choice each, without thinking; at most 409,600); "
        "cost 0.1700, at most 41.05" in text
    )
    assert "about 7 min at 2 s per request, 4 at once" in text
    assert "estimated" not in text
    unknown = dataclasses.replace(ESTIMATE, model="openai:n", cost=None, counted=False)
    both = servers_text([ESTIMATE, unknown])
    assert "  openai:m: 100 requests, at most 300; cost 0.1700" in both
    assert "  all: 200 requests, at most 600; cost unknown, at most 82.10" in both
    assert "estimated: a token per 4 bytes of UTF-8" in both
    assert servers_text([]) == ""


def test_limits_that_a_run_may_reach_are_named() -> None:
    text = servers_text([ESTIMATE], ServerSettings(max_cost=40.0, max_requests=299))
    assert "your max_cost is 40.00: the run may stop before the end; the next run resumes" in text
    assert "your max_requests is 299: the run may stop" in text
    assert "your max" not in servers_text([ESTIMATE], ServerSettings(max_cost=42.0, max_requests=300))


def test_a_reminder_repeats_the_prompt_and_the_answers_before_it() -> None:
    server = ServerSettings(
        answer_tokens=100, price_per_million_input_tokens=1, price_per_million_output_tokens=2
    )
    most = most_requests(10, 50, 8, server)
    # 10 prompts are asked 3 times; answers and reminders of 108 tokens are repeated once, then twice
    assert (most.requests, most.written) == (30, 3000)
    assert most.cost == pytest.approx((10 * (3 * 50 + 3 * 108) + 2 * 3000) / 1e6)


def test_tokens_are_counted_where_the_tokenizer_is_here(tmp_path: Path) -> None:
    counter = token_counter(f"openai:{BUILTIN / 'nli-electra'}", tmp_path)
    assert counter is not None
    assert counter("A dog sleeps.") > 3
    assert token_counter("openai:gpt-that-nobody-has", tmp_path) is None
    assert estimated_tokens("abcdefgh") == 2
    assert answer_text(("yes", "maybe")) == '{"answer": "maybe"}'
    assert answer_text(()) == ""
