"""The thoughts of a model on this machine: stored once per prompt, found by everything that decides them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nextset.redaction import hide
from nextset.scoring.asking import Asking
from nextset.scoring.generative.thought_store import ThoughtStore
from nextset.scoring.kinds.causal_lm import CAUSAL_LM
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.prompt_wordings import Rendered
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

SOURCE = ModelSource("./thinker", Path("thinker"), "1" * 64, "2" * 64)
PROMPT = Rendered("Is it wet? yes, maybe or no", ("yes", "maybe", "no"))
ASKING = Asking("nli", ScoringSettings(), ModelSettings(thinking=True))


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))


def store(asking: Asking = ASKING, source: ModelSource = SOURCE) -> ThoughtStore:
    found = ThoughtStore.of(source, asking)
    assert found is not None
    return found


def test_thoughts_come_back_without_their_tags() -> None:
    hide("planted-secret-3")
    store().put(PROMPT, "It rains, planted-secret-3. </think>\n\n", 7, 2)
    store().put(PROMPT, "Something else.</think>", 3, 0)  # the first thoughts stay
    reader = CAUSAL_LM.answer_reader(SOURCE, ASKING)
    assert reader is not None
    (answer,) = reader(PROMPT) or ()
    assert answer.completion.thoughts == "It rains, ***."
    assert (answer.thinking_tokens, answer.choice, answer.outcome) == (7, 2, None)


def test_thoughts_of_other_prompts_models_and_settings_are_not_found() -> None:
    store().put(PROMPT, "It rains.</think>", 7, 2)
    assert store().read(replace(PROMPT, prompt="Is it dry?")) is None
    assert store(source=replace(SOURCE, identity="3" * 64)).read(PROMPT) is None
    told = replace(ASKING, model=ModelSettings(thinking=True, system_prompt="Be brief."))
    assert store(told).read(PROMPT) is None
    coarse = replace(ASKING, scoring=ScoringSettings(precision="bfloat16"))
    assert store(coarse).read(PROMPT) is None


@pytest.mark.parametrize(
    "asking",
    [
        replace(ASKING, model=ModelSettings()),
        replace(ASKING, scoring=ScoringSettings(traces=False)),
        replace(ASKING, scoring=ScoringSettings(cache=False)),
    ],
)
def test_without_thinking_or_a_store_there_is_nothing(asking: Asking) -> None:
    assert ThoughtStore.of(SOURCE, asking) is None
    assert CAUSAL_LM.answer_reader(SOURCE, asking) is None
