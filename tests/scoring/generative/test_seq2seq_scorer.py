"""Encoder-decoder models against a plain computation: the loss of each choice as labels, one at a time."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget
from nextset.scoring.generative.seq2seq_scorer import Seq2SeqScorer
from nextset.scoring.model_kinds import fill_kind, kind_of, options_of, scorer_of
from nextset.scoring.models.sources import ModelSource, locate
from nextset.scoring.prompt_wordings import own_prompts, render_prompts
from nextset.scoring.scorer_protocol import NLI_COLUMNS, SUBJECT_COLUMNS, Numbers, Pair, Question
from nextset.study.scoring_settings import ModelSettings, ScoringSettings
from tests.scoring.generative.tiny_seq2seq import save_bart, save_t5

SPANS = ((0, 1), (2, 3))
PAIRS = [
    Pair("It rains.", "The road is wet."),
    Pair("A cat sleeps on the old sofa.", "Nobody is there."),
    Pair("É {x}", "ü"),
]
QUESTIONS = [
    Question("A man met a boy.", "Who was kind?", ("A man", "a boy"), SPANS),
    Question("People of Niger met people of Nigeria.", "Who won?", ("Niger", "Nigeria"), SPANS),
]


@pytest.fixture(scope="module", params=[save_t5, save_bart])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return request.param(tmp_path_factory.mktemp("seq2seq"))  # type: ignore[no-any-return]


def scorer(folder: Path, form: str, **model: Any) -> Seq2SeqScorer:
    found = scorer_of(locate(str(folder)), Asking(form, ScoringSettings(), ModelSettings(**model)))
    assert isinstance(found, Seq2SeqScorer)
    return found


def plain(folder: Path, inputs: list[Any], form: str) -> Numbers:
    """The same numbers, the long way: the loss is the mean over the tokens of a choice."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForSeq2SeqLM.from_pretrained(folder)
    rows = []
    for prompts in render_prompts(Asking(form, ScoringSettings()), inputs):
        each = []
        for prompt in prompts:
            read = tokenizer(prompt.prompt, return_tensors="pt").input_ids
            odds = []
            for choice in prompt.choices:
                labels = tokenizer(text_target=choice, return_tensors="pt").input_ids
                with torch.inference_mode():
                    loss = model(input_ids=read, labels=labels).loss
                odds.append(math.exp(-float(loss) * labels.shape[1]))
            each.append([share / sum(odds) for share in odds])
        rows.append([*np.mean(each, axis=0), 0.0])
    return np.array(rows)


def test_pairs_as_computed_plainly(folder: Path) -> None:
    found = scorer(folder, "nli")
    assert found.columns == NLI_COLUMNS
    np.testing.assert_allclose(found.scores(found.encoded(PAIRS)), plain(folder, PAIRS, "nli"), atol=1e-5)


def test_questions_as_computed_plainly(folder: Path) -> None:
    found = scorer(folder, "question")
    assert found.columns == SUBJECT_COLUMNS
    scores = found.scores(found.encoded(QUESTIONS))
    np.testing.assert_allclose(scores, plain(folder, QUESTIONS, "question"), atol=1e-5)
    np.testing.assert_allclose(scores[:, :3].sum(axis=1), 1.0)


@pytest.mark.slow
@settings(deadline=None, max_examples=8)
@given(data=st.data(), tokens=st.integers(1, 3000))
def test_batches_change_next_to_nothing_and_alone_nothing(
    folder: Path, data: st.DataObject, tokens: int
) -> None:
    found = scorer(folder, "nli")
    some = data.draw(st.lists(st.sampled_from(PAIRS), min_size=1, max_size=6))
    encoded = found.encoded(some)
    alone = found.alone(encoded)
    batched = Seq2SeqScorer(found.precisions, found.asking, Budget(tokens))
    np.testing.assert_allclose(batched.scores(encoded), alone, atol=1e-5)
    for i, pair in enumerate(some):
        assert (found.alone(found.encoded([pair]))[0] == alone[i]).all()


def test_nothing_in_nothing_out(folder: Path) -> None:
    found = scorer(folder, "question")
    assert found.scores(found.encoded([])).shape == (0, 4)


def test_a_system_message_comes_before_each_prompt(folder: Path) -> None:
    found, plainly = scorer(folder, "nli", system_prompt="Be brief."), scorer(folder, "nli")
    assert not np.allclose(found.scores(found.encoded(PAIRS)), plainly.scores(plainly.encoded(PAIRS)))
    read = list(found.encoded(PAIRS[:1])[0].encoded[0].ids)
    text = AutoTokenizer.from_pretrained(folder).decode(read, skip_special_tokens=True)
    assert str(text).startswith("Be brief.\n\n")


def test_thinking_is_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match="cannot be told to think"):
        scorer(folder, "nli", thinking=True)


def test_the_premise_is_cut_on_request(tmp_path: Path) -> None:
    folder, long = save_bart(tmp_path), Pair("The quick brown fox jumps. " * 60, "It is brown.")
    with pytest.raises(ModelError, match="reads at most 256 tokens"):
        scorer(folder, "nli").encoded([long])
    found = scorer(folder, "nli", too_long="truncate")
    cut, short = found.encoded([long, PAIRS[0]])
    assert (cut.truncated, short.truncated) == (True, False)
    assert 250 <= cut.longest <= 256
    assert found.scores([cut, short])[:, 3].tolist() == [1.0, 0.0]


def test_the_kind_and_its_key(folder: Path) -> None:
    source, asking = locate(str(folder)), Asking("nli", ScoringSettings())
    assert kind_of(source) == "seq2seq_lm"
    assert fill_kind(source) == "masked_lm"  # a BART fills masks; only loading shows it
    assert options_of("seq2seq_lm", asking)["prompts"] == own_prompts().digest("nli")


@pytest.mark.parametrize("name", ["LlavaForConditionalGeneration", "Qwen2AudioForConditionalGeneration"])
def test_models_that_read_images_or_sounds_are_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "config.json").write_text(f'{{"architectures": ["{name}"]}}', encoding="utf-8")
    with pytest.raises(ModelError, match=f"is a {name}, which nextset cannot ask"):
        kind_of(ModelSource("m", tmp_path, "", ""))
