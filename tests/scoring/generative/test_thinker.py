"""A system message and thoughts before the choices, in the chat template of a tiny model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import InputError, ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.generative.causal_scorer import CausalScorer
from nextset.scoring.generative.causal_writer import CausalWriter
from nextset.scoring.kinds.causal_lm import CAUSAL_LM
from nextset.scoring.model_kinds import check_settings, options_of
from nextset.scoring.model_server.token_usage import Usage
from nextset.scoring.models.sources import locate
from nextset.scoring.prompts.thought_tags import open_thoughts, thoughts_end
from nextset.scoring.scorer_protocol import ChoiceQuestion, Pair
from nextset.scoring.writer_protocol import WritingRequest
from nextset.study.scoring_settings import ModelSettings, ScoringSettings, ServerSettings
from tests.scoring.generative.tiny_causal import CHAT, save_gpt2, save_llama, save_thinker

PAIRS = [Pair("It rains.", "The road is wet."), Pair("A cat sleeps.", "Nobody is there.")]
SHORT = ScoringSettings(server=ServerSettings(answer_tokens=6))
REFUSES = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no') }}{% endif %}"
"""The beginning of a template that accepts no system message."""


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_llama(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def thinking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_thinker(tmp_path_factory.mktemp("thinking"))


def scorer(folder: Path, scoring: ScoringSettings = SHORT, **model: Any) -> CausalScorer:
    return CausalScorer.load(locate(str(folder)), Asking("nli", scoring, ModelSettings(**model)))


def test_a_system_message_is_a_message_of_its_own(llama: Path) -> None:
    found = scorer(llama, system_prompt="Be brief.")
    assert found.tokens.before("Hi.") == "<s><|system|>Be brief.<|end|><|user|>Hi.<|end|><|assistant|>"


@pytest.mark.parametrize(
    "template",
    [
        CHAT.replace("{% for", REFUSES + "{% for"),
        CHAT.replace("in messages %}", "in messages if m['role'] == 'user' %}"),
    ],
)  # fmt: skip
def test_a_template_without_one_gets_it_in_the_users_message(tmp_path: Path, template: str) -> None:
    folder = save_llama(tmp_path)
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    found = scorer(folder, system_prompt="Be brief.")
    assert found.tokens.before("Hi.") == "<s><|user|>Be brief.\n\nHi.<|end|><|assistant|>"


def test_without_a_template_it_is_text_before_the_prompt(tmp_path: Path) -> None:
    found = scorer(save_gpt2(tmp_path), system_prompt="Be brief.")
    assert found.tokens.before("Hi.") == "Be brief.\n\nHi."


def test_a_system_message_changes_the_scores_and_the_cache_key(llama: Path) -> None:
    plain, brief, off = scorer(llama), scorer(llama, system_prompt="Be brief."), scorer(llama, thinking=False)
    assert not np.allclose(plain.scores(plain.encoded(PAIRS)), brief.scores(brief.encoded(PAIRS)), atol=1e-6)
    assert options_of("causal_lm", plain.asking) == options_of("causal_lm", off.asking)
    assert options_of("causal_lm", brief.asking)["system_prompt"] == "Be brief."


def test_thoughts_stand_between_prompt_and_choices(thinking: Path) -> None:
    found = scorer(thinking, thinking=True)
    encoded = found.encoded(PAIRS)
    thoughts = found.thoughts(encoded)
    assert [len(each) for each in thoughts] == [len(p.rows) for p in encoded]
    for each in (thought for one in thoughts for thought in one):
        assert each.tokens <= 6
        assert each.text.endswith("</think>\n\n")
    (prompt, *_), (thought, *_) = encoded[0].prompts, thoughts[0]
    before = found.tokens.before(prompt.prompt, thought.text)
    assert before.endswith(f"<|assistant|><think>\n{thought.text}")
    # the scores are those of a plain model whose prompt ends with the same thoughts
    (rows,) = found.tokens.rows([prompt], [thought.text])
    assert (
        rows[0].ids[: len(found.tokens.ids_before(prompt.prompt, thought.text))][:-1]
        == (found.tokens.ids_before(prompt.prompt, thought.text)[:-1])
    )


def test_thoughts_in_batches_as_alone_and_again(thinking: Path) -> None:
    found = scorer(thinking, thinking=True)
    scores = found.scores(found.encoded(PAIRS))
    np.testing.assert_allclose(scores, found.alone(found.encoded(PAIRS)), atol=1e-5)
    other = scorer(thinking, thinking=True)
    np.testing.assert_array_equal(scores, other.scores(other.encoded(PAIRS)))
    without = scorer(thinking)
    assert not np.allclose(scores, without.scores(without.encoded(PAIRS)), atol=1e-6)
    assert without.thoughts(without.encoded(PAIRS)) == [(), ()]


def test_thoughts_are_stored_with_the_likeliest_choice(
    thinking: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever they are stored, the scores are the same."""
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    quiet = scorer(thinking, SHORT.model_copy(update={"traces": False}), thinking=True)
    silent = quiet.scores(quiet.encoded(PAIRS))
    assert not list(tmp_path.glob("answers*"))
    first = scorer(thinking, thinking=True)
    np.testing.assert_array_equal(first.scores(first.encoded(PAIRS)), silent)
    reader = CAUSAL_LM.answer_reader(locate(str(thinking)), first.asking)
    assert reader is not None
    for prompted, thoughts in zip(first.encoded(PAIRS), first.thoughts(first.encoded(PAIRS)), strict=True):
        for prompt, thought in zip(prompted.prompts, thoughts, strict=True):
            (stored,) = reader(prompt) or ()
            assert f"{stored.completion.thoughts}\n</think>\n\n" == thought.text or not thought.cut_off
            assert stored.completion.usage == Usage(0, 0, thought.tokens, thought.tokens)
            (alone,) = first.alone([replace(prompted, rows=prompted.rows[:1], prompts=(prompt,))])
            assert stored.choice == int(np.argmax(alone[:3]))


def test_a_model_thinks_about_each_order_of_the_options(thinking: Path) -> None:
    asked = ChoiceQuestion("Ann met Bob.", "Who was late?", ("Ann", "Bob"), -1)
    asking = Asking("choice", SHORT, ModelSettings(thinking=True))
    found = CausalScorer.load(locate(str(thinking)), asking)
    encoded = found.encoded([asked])
    assert [len(each) for each in found.thoughts(encoded)] == [4]
    assert found.scores(encoded)[0, :2].sum() == pytest.approx(1)


def test_stored_thoughts_are_not_written_again(
    thinking: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    first, again = scorer(thinking, thinking=True), scorer(thinking, thinking=True)
    scores = first.scores(first.encoded(PAIRS))
    np.testing.assert_array_equal(again.scores(again.encoded(PAIRS)), scores)
    quick = [s.thinkers(s.precisions.quick) for s in (first, again) if s.thinkers is not None]
    assert [bool(thinker.kept) for thinker in quick] == [True, False]


def test_a_model_that_opens_no_thoughts_is_scored_as_without(llama: Path) -> None:
    thinks, plain = scorer(llama, thinking=True), scorer(llama)
    assert {t.text for one in thinks.thoughts(thinks.encoded(PAIRS)) for t in one} == {""}
    np.testing.assert_array_equal(thinks.scores(thinks.encoded(PAIRS)), plain.scores(plain.encoded(PAIRS)))


def test_thoughts_leave_room_for_the_choices(thinking: Path) -> None:
    found = scorer(thinking, ScoringSettings(server=ServerSettings(answer_tokens=4096)), thinking=True)
    (encoded,) = found.encoded(PAIRS[:1])
    (thought, *_) = found.thoughts([encoded])[0]
    assert thought.cut_off
    (rows,) = found.tokens.rows(encoded.prompts[:1], [thought.text])
    assert max(len(row.ids) for row in rows) <= found.precisions.quick.max_length


def test_a_model_without_a_chat_template_cannot_be_told_to_think(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no chat template"):
        scorer(save_gpt2(tmp_path), thinking=True)


def test_a_writer_thinks_before_its_text(thinking: Path) -> None:
    writer = CausalWriter.load(locate(str(thinking)), SHORT, ModelSettings(thinking=True))
    (found,) = writer.write([WritingRequest("Write.", 5, 0.0, 0)])
    thoughts, _, text = found.text.partition("</think>\n\n")
    assert thoughts
    assert found.answer == text.strip()


def test_only_models_that_write_use_the_settings() -> None:
    for model in (ModelSettings(system_prompt="Be brief."), ModelSettings(thinking=True)):
        with pytest.raises(InputError, match="does not use"):
            check_settings(locate("builtin:nli-bart"), model)


@given(thoughts=st.text(st.characters(exclude_characters="<>[]◁▷|"), max_size=30))
@pytest.mark.parametrize("opened", ["<think>", "[THINK]", "◁think▷", "<|START_THINKING|>", "<unused94>"])
def test_an_opened_thought_is_closed_by_its_own_tag(opened: str, thoughts: str) -> None:
    closing = open_thoughts(f"prompt {opened}{thoughts}")
    assert closing is not None
    whole = f"{opened}{thoughts}{closing}"
    assert thoughts_end(whole) == len(whole)
    assert open_thoughts(whole) is None
    assert (thoughts_end(thoughts), open_thoughts(thoughts)) == (None, None)
