"""`nextset models check` of a model behind a server: what was sent, and what the server says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.cli.models import checked_text
from nextset.records.nli_items import LABELS
from nextset.scoring.checks.model_check import check_models
from nextset.study.scoring_settings import CanaryPair, ModelSettings
from tests.scoring.model_server.scripted_server import Reply, Request, scripted

CANARIES = [
    CanaryPair(premise=f"Case {n}.", hypothesis=f"It is {label}.", label=label)
    for label in ("entailment", "neutral", "contradiction")
    for n in range(4)
]


def answer(request: Request) -> Reply:
    label = next(label for label in LABELS if f"It is {label}." in request.prompt)
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 3,
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    return Reply(request.choices[LABELS.index(label)], usage=usage)


@pytest.mark.slow
def test_what_was_sent_is_said_without_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings = ModelSettings(canaries=tuple(CANARIES))
    with scripted(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        first = check_models(["openai:m"], "nli", settings)
        sent = len(server.requests)
        again = check_models(["openai:m"], "nli", settings)
        assert len(server.requests) == sent
    text = checked_text(first)
    # 12 canaries in three wordings, with 10 tokens read and 3 written each
    assert sent == 36
    assert "  server     at the address of OPENAI_BASE_URL\n" in text
    assert "  sent       36 requests, 360 tokens read, 108 written\n" in text
    assert "  version    scripted-2026-01-01" in text
    assert "  thinking   shown: 72 tokens\n" in text
    assert "127.0.0.1" not in text
    assert "  sent       0 requests, 0 tokens read, 0 written; 36 answers were stored\n" in checked_text(
        again
    )
