"""What models behind servers cost: by hand, over resumed runs, and when a server changes its model."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import nextset
from nextset.artifacts.answer_usage import (
    USAGE_FILE,
    AnswerUsage,
    ServerVersion,
    flush_usage,
    note_usage,
    stage_usage,
)
from nextset.artifacts.artifact import Recipe, is_current
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.made_folder import making
from nextset.pipeline.server_costs import cost_lines, money, server_costs, version_warnings
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import NliItem
from nextset.scoring.models.recorded_servers import recorded_server
from nextset.scoring.stage import score, score_recipe
from nextset.study.scoring_settings import ModelServerSettings, RequestSettings
from nextset.study.server_prices import token_price
from nextset.study.study_folder import Study
from tests.records import ITEM
from tests.scoring.model_server.scripted_server import Reply, Request, ScriptedServer, scripted

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 10,
    "prompt_tokens_details": {"cached_tokens": 40},
    "completion_tokens_details": {"reasoning_tokens": 6},
}
STUDY = """format: 1
name: costs
release: {{name: costs, version: 0.1.0}}
validate: {{judge: rule}}
scoring: {{server: {{price_per_million_input_tokens: 10, price_per_million_output_tokens: 100}}}}
models:
  openai:a: {{canaries_waived: the server is a script{a}}}
  openai:b: {{canaries_waived: the server is a script}}
filter: {{candidates: [plain], models: [openai:a, openai:b]}}
"""
A_PRICES = ", server: {price_per_million_cached_input_tokens: 1, price_per_million_thinking_tokens: 50}"


def study(folder: Path, items: int = 4, a: str = A_PRICES) -> Study:
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(STUDY.format(a=a), encoding="utf-8")
    loaded = Study.load(folder)
    texts = [f"A nurse slept {n} hours." for n in range(items)]
    rows = [replace(ITEM, id=f"{n:032x}", premise=text) for n, text in enumerate(texts)]
    table = table_of(rows, NliItem)
    recipe = Recipe("generate", 1, settings={"items": items})
    build(loaded.out / "generate", recipe, lambda: [Part("items", lambda: PartResult(table))])
    return loaded


def choice(request: Request) -> Reply:
    return Reply(request.choices[0], usage=USAGE)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted(choice) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.address)
        yield running


@pytest.mark.slow
def test_the_sums_by_hand(server: ScriptedServer, tmp_path: Path) -> None:
    loaded = study(tmp_path / "s")
    score(loaded)
    sent = {name: sum(r.body["model"] == name for r in server.requests) for name in ("a", "b")}
    assert sent["a"] == sent["b"] > 0
    costs = server_costs(loaded)
    a, b = costs.rows
    n = sent["a"]
    assert (a.model, a.stage, a.answers, a.read, a.cached, a.written, a.thinking) == (
        "openai:a", "score", n, 100 * n, 40 * n, 10 * n, 6 * n
    )  # fmt: skip
    # a: 60 fresh × 10 + 40 cached × 1 + 4 written × 100 + 6 thoughts × 50, in millionths
    assert a.cost == a.paid == pytest.approx(n * (600 + 40 + 400 + 300) / 1e6)
    # b has no prices of its own: 100 × 10 + 10 × 100
    assert b.cost == pytest.approx(n * 2000 / 1e6)
    assert costs.cost == costs.paid == pytest.approx(n * 3340 / 1e6)
    assert cost_lines(costs)[-1].split()[0] == "total"
    assert score(loaded).built == "reused"
    assert server_costs(loaded) == costs


@pytest.mark.slow
def test_answers_that_were_stored_cost_nothing_in_this_run(server: ScriptedServer, tmp_path: Path) -> None:
    score(study(tmp_path / "first"))
    sent = len(server.requests)
    for scores in (tmp_path / "cache" / "scores").glob("*.sqlite"):
        scores.unlink()  # only the answers are there
    again = study(tmp_path / "again")
    score(again)
    assert len(server.requests) == sent
    costs = server_costs(again)
    assert costs.cost == pytest.approx(sum(row.answers for row in costs.rows) / 2 * 3340 / 1e6)
    assert (costs.paid, sum(row.paid_answers for row in costs.rows)) == (0, 0)


@pytest.mark.slow
def test_a_run_that_fails_and_goes_on_counts_each_answer_once(server: ScriptedServer, tmp_path: Path) -> None:
    def fails(request: Request) -> Reply:
        return choice(request) if request.number < 5 else Reply("no", status=401)

    server.answer = fails
    loaded = study(tmp_path / "s")
    with pytest.raises(nextset.ModelError):
        score(loaded)
    first = sum(use.answers for use in stage_usage(loaded.out))
    assert first == 5
    server.answer = choice
    score(loaded)
    costs = server_costs(loaded)
    answers = sum(row.answers for row in costs.rows)
    assert (
        answers == sum(row.paid_answers for row in costs.rows) == len({str(r.body) for r in server.requests})
    )


@pytest.mark.slow
def test_without_a_price_or_a_count_the_cost_is_unknown(server: ScriptedServer, tmp_path: Path) -> None:
    server.answer = lambda request: Reply(request.choices[0], usage={})
    loaded = study(tmp_path / "s", 1)
    score(loaded)
    costs = server_costs(loaded)
    assert costs.cost is None
    assert costs.rows[0].uncounted == costs.rows[0].answers
    assert any("without a count of tokens" in line for line in cost_lines(costs))


@pytest.mark.parametrize(
    ("settings", "tokens", "price"),
    [
        ({}, (0, 0, 0, 0), None),
        ({"price_per_million_input_tokens": 2}, (5, 0, 0, 0), None),
        ({"price_per_million_input_tokens": 2, "price_per_million_output_tokens": 8}, (5, 5, 3, 2), 34e-6),
        (
            {"price_per_million_input_tokens": 2, "price_per_million_output_tokens": 8, "batch": True},
            (5, 5, 3, 2),
            17e-6,
        ),
    ],
)
def test_the_price_of_tokens(
    settings: dict[str, Any], tokens: tuple[int, int, int, int], price: float | None
) -> None:
    written = RequestSettings.model_validate(settings, strict=False)
    assert token_price(written, *tokens) == (None if price is None else pytest.approx(price))


def version(name: str, fingerprint: str, first: str, last: str) -> ServerVersion:
    return ServerVersion("openai:m", name, fingerprint, first, last, 3)


@pytest.mark.parametrize(
    ("versions", "warning"),
    [
        ([], ""),
        ([version("m-05", "f", "2026-05-01", "2026-07-01")], ""),
        (
            [
                version("m-05", "f", "2026-05-01", "2026-06-01"),
                version("m-05", "g", "2026-06-02", "2026-07-01"),
                version("m-08", "h", "2026-08-01", "2026-08-03"),
            ],
            "openai:m answered as m-05 until 2026-07-01, and as m-08 since 2026-08-01",
        ),
        (
            [
                version("m", "fp_1", "2026-05-01", "2026-05-01"),
                version("m", "fp_2", "2026-06-01", "2026-06-02"),
            ],
            "openai:m answered as fp_1 until 2026-05-01, and as fp_2 since 2026-06-01",
        ),
    ],
)
def test_a_silent_change_of_the_model_is_said(versions: list[ServerVersion], warning: str) -> None:
    warnings = version_warnings(versions)
    assert len(warnings) == bool(warning)
    assert all(text.startswith(warning) for text in warnings)


def note(out: Path, key: int, name: str, *, paid: bool) -> None:
    with making(out / "score"):
        note_usage(AnswerUsage("openai:m", f"{key:032x}", name, name, "", (1, 0, 1, 0)), paid=paid)
    flush_usage()


def test_an_answer_counts_once_however_often_it_is_used(tmp_path: Path) -> None:
    note_usage(AnswerUsage("openai:m", "ab", "", "", "", None), paid=True)  # outside a stage
    note(tmp_path, 1, "2026-01-01", paid=False)
    note(tmp_path, 1, "2026-01-01", paid=False)
    note(tmp_path, 2, "2026-01-01", paid=True)
    note(tmp_path, 2, "2026-01-01", paid=False)
    assert [use.answers for use in stage_usage(tmp_path)] == [2]
    assert [use.answers for use in stage_usage(tmp_path, "run")] == [1]
    note(tmp_path, 1, "2026-01-01", paid=True)  # it was removed from the store, and asked and paid again
    assert [use.answers for use in stage_usage(tmp_path, "study")] == [2]


@pytest.mark.parametrize("damage", [b"garbage" * 1000, b""])
def test_a_damaged_count_stops_no_run(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    note(tmp_path, 1, "2026-01-01", paid=True)
    (tmp_path / USAGE_FILE).write_bytes(damage)
    assert stage_usage(tmp_path) == []
    note(tmp_path, 2, "2026-01-01", paid=True)
    assert (USAGE_FILE in caplog.text) == bool(damage)


def test_no_text_and_no_address_is_in_the_count(tmp_path: Path) -> None:
    note(tmp_path, 1, "2026-01-01", paid=True)
    with closing(sqlite3.connect(tmp_path / USAGE_FILE)) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(usage)")]
    assert columns == ["stage", "model", "key", "date", "version", "fingerprint", "read", "cached",
                       "written", "thinking", "run"]  # fmt: skip


@pytest.mark.parametrize(
    ("cost", "text"), [(None, "unknown"), (0, "0.00"), (0.01234, "0.0123"), (1234.5, "1,234.50")]
)
def test_money_as_text(cost: float | None, text: str) -> None:
    assert money(cost) == text


@pytest.mark.slow
def test_without_the_address_a_finished_study_is_done(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = study(tmp_path / "s", 1)
    current = score(loaded).key
    file = loaded.file.read_text(encoding="utf-8")
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert is_current(loaded.out / "score", score_recipe(loaded))
    assert (score(loaded).built, score(loaded).key) == ("reused", current)
    # a model of another name was never asked, even if it has the label of one that was
    renamed = file.replace("openai:a", "openai:new").replace("{canaries", "{label: openai-a, canaries", 1)
    loaded.file.write_text(renamed, encoding="utf-8")
    with pytest.raises(nextset.ModelError, match="OPENAI_BASE_URL"):
        score(Study.load(loaded.folder))
    # what is not answered yet cannot be asked
    more = study(tmp_path / "s", 3)
    with pytest.raises(nextset.ModelError, match="OPENAI_BASE_URL, the address of the server, is not set"):
        score(more)
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    assert score(more).built == "made"
    stored = (more.out / "servers.json").read_text(encoding="utf-8")
    assert server.address not in stored
    (more.out / "servers.json").write_text("{", encoding="utf-8")
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(nextset.ModelError, match="OPENAI_BASE_URL"):
        score(more)


@pytest.mark.parametrize(
    "written", ["[" * 100_000, "{", "[]", '{"openai:m": 1}', "\xff", '{"a": ' + "9" * 5000 + "}"]
)
def test_a_damaged_record_of_servers_has_none(tmp_path: Path, written: str) -> None:
    (tmp_path / "servers.json").write_bytes(written.encode("latin-1"))
    assert recorded_server(tmp_path, "openai:m", ModelServerSettings()) is None


@pytest.mark.slow
def test_a_model_that_the_study_no_longer_names_is_in_no_sum(server: ScriptedServer, tmp_path: Path) -> None:
    score(study(tmp_path / "s", 1))
    file = tmp_path / "s" / "study.yaml"
    lines = file.read_text(encoding="utf-8").replace("[openai:a, openai:b]", "[openai:a]").splitlines()
    kept = [line for line in lines if not line.startswith("  openai:b")]
    file.write_text("\n".join(kept), encoding="utf-8")
    costs = server_costs(Study.load(tmp_path / "s"))
    assert {row.model for row in costs.rows} == {"openai:a"}
    assert costs.earlier == ("openai:b",)
    assert cost_lines(costs)[-1] == "earlier models: openai:b"


@pytest.mark.slow
def test_an_error_of_a_later_stage_has_the_line_of_the_model(server: ScriptedServer, tmp_path: Path) -> None:
    server.answer = lambda request: Reply("no", status=401)
    study(tmp_path / "s", 1)
    file = tmp_path / "s" / "study.yaml"
    waived = "canaries_waived: the server is a script"
    file.write_text(file.read_text(encoding="utf-8").replace(waived, "label: m", 1), encoding="utf-8")
    with pytest.raises(nextset.ModelError) as e:
        score(Study.load(tmp_path / "s"))
    assert str(e.value).startswith(f"{file}:9: filter.models: openai:a: ")
