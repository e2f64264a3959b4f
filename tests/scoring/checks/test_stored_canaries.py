"""A refusal that rests on stored answers says so, and after the remedy a repaired server is asked again."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from nextset.records.nli_items import LABELS
from nextset.scoring.asked_model import Model
from nextset.scoring.asking import Asking
from nextset.scoring.cache.contents import prune_cache
from nextset.scoring.canaries.cases import FailedCanaries
from nextset.scoring.canaries.pair_canaries import PairCanaries
from nextset.scoring.checks.canaries import canaries_of
from nextset.scoring.checks.run_check import check_clear_cases
from nextset.scoring.model_server.answer_cache_contents import prune_answers
from nextset.scoring.models.sources import locate
from nextset.scoring.prompt_wordings import render_prompts
from nextset.study.scoring_settings import ScoringSettings
from tests.scoring.model_server.scripted_server import Reply, scripted

pytestmark = pytest.mark.slow


def test_a_repaired_server_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted(lambda request: request.choices[0]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        model = Model.of(locate("openai:m"), Asking("nli", ScoringSettings()))
        canaries = canaries_of(model.source, model.asking)
        assert isinstance(canaries, PairCanaries)
        right: dict[str, str] = {}
        for case, label in zip(canaries.inputs, canaries.labels, strict=True):
            for prompt in render_prompts(model.asking, [case])[0]:
                right[prompt.prompt] = prompt.choices[LABELS.index(label)]
        with pytest.raises(FailedCanaries, match=r"^openai:m gets only"):
            check_clear_cases(model)
        asked = len(server.requests)
        server.answer = lambda request: right[request.prompt]
        with pytest.raises(FailedCanaries) as second:
            check_clear_cases(model)
        assert len(server.requests) == asked
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        assert str(second.value).startswith(
            f"{asked:,} of the {asked:,} answers to its canaries were stored on {today}, and not asked "
            "again. openai:m gets only "
        )
        assert "`nextset cache prune --answers --model openai:m`, and run again" in second.value.remedy
        prune_answers(model="openai:m")
        prune_cache(model="openai:m")
        assert "canary pairs right" in check_clear_cases(model)
        assert len(server.requests) == 2 * asked


@pytest.mark.parametrize(
    ("reply", "remedy"),
    [
        (Reply("It is", finish_reason="length"), "raise answer_tokens under server"),
        (Reply("Bananas are yellow."), "change the wording (scoring.prompts)"),
    ],
)
def test_the_remedy_is_that_of_the_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: Reply, remedy: str
) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with scripted(lambda request: reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        model = Model.of(locate("openai:m"), Asking("nli", ScoringSettings()))
        with pytest.raises(FailedCanaries) as e:
            check_clear_cases(model)
    assert remedy in e.value.remedy
    assert "order of its labels" not in e.value.message
