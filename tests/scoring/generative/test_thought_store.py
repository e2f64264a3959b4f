"""The thoughts of a model on this machine: stored once per prompt, found by everything that decides them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.artifacts.answer_usage import answers_watched
from nextset.redaction import hide
from nextset.scoring.asking import Asking
from nextset.scoring.generative.thinker import Thoughts
from nextset.scoring.generative.thought_store import ThoughtStore
from nextset.scoring.kinds.causal_lm import CAUSAL_LM
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.answer_cache_contents import (
    answers_file,
    check_answers,
    list_answers,
    prune_answers,
)
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.model_server.stored_answers import StoredAnswer
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.prompts.rendered_prompt import Rendered
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


def put(text: str, tokens: int, choice: int, *, precision: str = "float32", device: str = "cpu") -> None:
    store().put(PROMPT, Thoughts(text, tokens, cut_off=False), choice, precision, device)


def read(asking: Asking = ASKING) -> Sequence[StoredAnswer]:
    found = store(asking).read(PROMPT)
    assert found is not None
    return found


def test_thoughts_come_back_without_their_tags() -> None:
    hide("planted-secret-3")
    put("It rains, planted-secret-3. </think>\n\n", 7, 2)
    put("Something else.</think>", 3, 0)  # the first thoughts stay
    reader = CAUSAL_LM.answer_reader(SOURCE, ASKING)
    assert reader is not None
    (answer,) = reader(PROMPT) or ()
    assert answer.completion.thoughts == "It rains, ***."
    assert (answer.thinking_tokens, answer.choice, answer.outcome) == (7, 2, None)


@pytest.mark.parametrize(("text", "tokens"), [("", None), ("</think>\n\n", 7)])
def test_a_model_that_did_not_think_has_no_text(text: str, tokens: int | None) -> None:
    put(text, 7, 0)
    (answer,) = read()
    assert (answer.completion.thoughts, answer.thinking_tokens) == ("", tokens)


def test_thoughts_of_other_prompts_models_and_settings_are_not_found() -> None:
    put("It rains.</think>", 7, 2)
    assert store().read(replace(PROMPT, prompt="Is it dry?")) is None
    assert store(source=replace(SOURCE, identity="3" * 64)).read(PROMPT) is None
    told = replace(ASKING, model=ModelSettings(thinking=True, system_prompt="Be brief."))
    assert store(told).read(PROMPT) is None
    put("It rains more.</think>", 9, 1, precision="bfloat16")
    coarse = replace(ASKING, scoring=ScoringSettings(precision="bfloat16"))
    for asking, expected in ((ASKING, "It rains."), (coarse, "It rains more.")):
        (answer,) = read(asking)
        assert answer.completion.thoughts == expected


def test_inputs_that_are_only_scored_one_by_one_have_thoughts() -> None:
    """These are always scored in float32."""
    put("It rains.</think>", 7, 2)
    (answer,) = read(replace(ASKING, scoring=ScoringSettings(precision="bfloat16")))
    assert answer.completion.thoughts == "It rains."


@settings(max_examples=30)
@given(st.text(), st.integers(0, 10_000), st.booleans())
def test_known_thoughts_are_exactly_those_that_were_written(text: str, tokens: int, cut_off: bool) -> None:
    prompt = replace(PROMPT, prompt=f"{text!r} {tokens} {cut_off}")
    thoughts = Thoughts(text, tokens, cut_off)
    store().put(prompt, thoughts, 0, "float32", "cpu")
    assert store().known(prompt, "float32", "cpu") == thoughts
    for precision, device in (("bfloat16", "cpu"), ("float32", "cuda")):
        assert store().known(prompt, precision, device) is None


def test_thoughts_with_a_hidden_secret_are_written_again() -> None:
    hide("planted-secret-4")
    put("planted-secret-4</think>", 7, 2)
    assert store().known(PROMPT, "float32", "cpu") is None
    assert store().read(PROMPT) is not None


def test_the_store_lists_and_removes_the_thoughts_of_a_model() -> None:
    put("It rains.</think>", 7, 2)
    Answers(answers_file()).put(
        AnswerRequest("1" * 32, SOURCE.name, (("user", "Wet?"),), ("yes",), 9), Completion("yes")
    )
    assert [(entry.model, entry.answers, entry.written) for entry in list_answers()] == [
        (SOURCE.name, 1, 7),
        (f"openai:{SOURCE.name}", 1, 0),
    ]
    assert check_answers().answers == 2
    assert [entry.model for entry in prune_answers(model=f"openai:{SOURCE.name}")] == [
        f"openai:{SOURCE.name}"
    ]
    assert store().read(PROMPT) is not None
    assert [entry.model for entry in prune_answers(model=SOURCE.name)] == [SOURCE.name]
    assert store().read(PROMPT) is None


def test_thoughts_are_no_use_of_a_server() -> None:
    with answers_watched() as seen:
        put("It rains.</think>", 7, 2)
        store().read(PROMPT)
    assert not seen


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
