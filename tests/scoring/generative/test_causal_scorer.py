"""Causal language models against a plain reckoning: one text at a time, every log probability summed."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoTokenizer

from nextset.errors import ModelError
from nextset.forms import FormName
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget
from nextset.scoring.generative.causal_scorer import CausalScorer
from nextset.scoring.model_kinds import kind_of, options_of, scorer_of
from nextset.scoring.models.sources import locate
from nextset.scoring.prompt_wordings import own_prompts, render_prompts
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.scorer_protocol import (
    NLI_COLUMNS,
    SUBJECT_COLUMNS,
    Numbers,
    Pair,
    Question,
    YesNoQuestion,
)
from nextset.study.scoring_settings import ModelSettings, ScoringSettings
from tests.scoring.generative.tiny_causal import save_gpt2, save_llama

SPANS = ((0, 1), (2, 3))
PAIRS = [Pair("It rains.", "The road is wet."), Pair("A cat sleeps on the old sofa.", "Nobody is there."),
         Pair("É {x}", "ü")]  # fmt: skip
QUESTIONS = [
    Question("A man met a boy.", "Who was kind?", ("A man", "a boy"), SPANS),
    Question("People of Niger met people of Nigeria.", "Who won?", ("Niger", "Nigeria"), SPANS),
    Question("Ann-Sophie Østergaard saw Li.", "Who ran?", ("Ann-Sophie Østergaard", "Li"), SPANS),
]


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model of each kind; the Llama has a chat template."""
    target = tmp_path_factory.mktemp(request.param)
    return save_gpt2(target) if request.param == "gpt2" else save_llama(target)


def scorer(folder: Path, form: FormName, **model: Any) -> CausalScorer:
    return CausalScorer.load(locate(str(folder)), Asking(form, ScoringSettings(), ModelSettings(**model)))


def plain(folder: Path, inputs: list[Pair] | list[YesNoQuestion] | list[Question], form: FormName) -> Numbers:
    """The same numbers, the long way."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder)
    rows = []
    for prompts in render_prompts(Asking(form, ScoringSettings()), inputs):
        each = []
        for prompt in prompts:
            logs = _logs(tokenizer, model, prompt)
            each.append([math.exp(log) / sum(map(math.exp, logs)) for log in logs])
        rows.append([*np.mean(each, axis=0), 0.0])
    return np.array(rows)


def _logs(tokenizer: Any, model: Any, prompt: Rendered) -> list[float]:
    texts = [choice + ("\n" if "Nigeria" in prompt.choices else "") for choice in prompt.choices]
    if tokenizer.chat_template:
        message = [{"role": "user", "content": prompt.prompt}]
        head = tokenizer.apply_chat_template(message, add_generation_prompt=True, return_dict=False)
        before = tokenizer.decode(head)
        ids = [tokenizer(before + text, add_special_tokens=False).input_ids for text in texts]
    else:
        head = tokenizer(prompt.prompt).input_ids
        ids = [tokenizer(f"{prompt.prompt} {text}").input_ids for text in texts]
    start = next(i for i in range(len(head) + 1) if len({tuple(row[: i + 1]) for row in (head, *ids)}) > 1)
    found = []
    for row in ids:
        with torch.inference_mode():
            logs = torch.log_softmax(model(torch.tensor([row])).logits[0].double(), dim=-1)
        found.append(sum(float(logs[i - 1, row[i]]) for i in range(start, len(row))))
    return found


def test_pairs_as_reckoned_plainly(folder: Path) -> None:
    found = scorer(folder, "nli")
    assert found.columns == NLI_COLUMNS
    np.testing.assert_allclose(found.scores(found.encoded(PAIRS)), plain(folder, PAIRS, "nli"), atol=1e-5)


def test_yes_no_questions_as_computed_plainly(folder: Path) -> None:
    asked = [YesNoQuestion(pair.premise, f"Is it so: {pair.hypothesis}?") for pair in PAIRS]
    found = scorer(folder, "qa")
    assert found.columns == NLI_COLUMNS
    scores = found.scores(found.encoded(asked))
    np.testing.assert_allclose(scores, plain(folder, asked, "qa"), atol=1e-5)
    np.testing.assert_allclose(scores[:, :3].sum(axis=1), 1.0)


def test_the_mean_over_the_wordings_is_that_of_each_alone(folder: Path) -> None:
    whole = scorer(folder, "nli")
    encoded = whole.encoded(PAIRS)
    each = []
    for i in (1, 2, 3):
        alone = whole.reworded(replace(whole.asking, prompts=own_prompts().only("nli", i)))
        each.append(alone.alone(alone.encoded(PAIRS)))
    np.testing.assert_allclose(np.mean(each, axis=0), whole.alone(encoded), atol=1e-12)


def test_another_wording_or_form_loads_no_weights_again(folder: Path) -> None:
    source, asking = locate(str(folder)), Asking("nli", ScoringSettings())
    first = scorer_of(source, asking)
    assert isinstance(first, CausalScorer)
    for other in (
        replace(asking, prompts=own_prompts().only("nli", 2)),
        replace(asking, form="question"),
        asking,
    ):
        found = scorer_of(source, other)
        assert isinstance(found, CausalScorer)
        assert found.asking == other
        assert found.precisions is first.precisions
    again = scorer_of(source, replace(asking, scoring=ScoringSettings(precision="bfloat16")))
    assert isinstance(again, CausalScorer)
    assert again.precisions is not first.precisions


def test_questions_as_reckoned_plainly(folder: Path) -> None:
    found = scorer(folder, "question")
    assert found.columns == SUBJECT_COLUMNS
    scores = found.scores(found.encoded(QUESTIONS))
    np.testing.assert_allclose(scores, plain(folder, QUESTIONS, "question"), atol=1e-5)
    np.testing.assert_allclose(scores[:, :3].sum(axis=1), 1.0)


@pytest.fixture(scope="module")
def loaded(folder: Path) -> CausalScorer:
    return scorer(folder, "question")


@pytest.mark.slow
@settings(deadline=None, max_examples=8)
@given(data=st.data(), tokens=st.integers(1, 3000))
def test_batches_change_next_to_nothing_and_alone_nothing(
    loaded: CausalScorer, data: st.DataObject, tokens: int
) -> None:
    some = data.draw(st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=6))
    encoded = loaded.encoded(some)
    alone = loaded.alone(encoded)
    batched = CausalScorer(loaded.precisions, loaded.asking, loaded.tokens, Budget(tokens))
    np.testing.assert_allclose(batched.scores(encoded), alone, atol=1e-5)
    for i, question in enumerate(some):
        assert (loaded.alone(loaded.encoded([question]))[0] == alone[i]).all()


def test_nothing_in_nothing_out(loaded: CausalScorer) -> None:
    assert loaded.scores(loaded.encoded([])).shape == (0, 4)
    assert loaded.alone([]).shape == (0, 4)


def test_choices_of_one_token_are_read_from_one_row(folder: Path) -> None:
    found = scorer(folder, "nli")
    (encoded,) = found.encoded(PAIRS[:1])
    for wording in encoded.rows:
        assert sorted(read.choice for row in wording for read in row.reads) == [0, 1, 2]
        one = sum(len(read.tokens) == 1 for row in wording for read in row.reads)
        assert len(wording) <= 3 - max(0, one - 1)


def test_a_date_in_the_chat_template_stands_still(tmp_path: Path) -> None:
    folder = save_llama(tmp_path)
    file = folder / "chat_template.jinja"
    template = file.read_text(encoding="utf-8")
    file.write_text("{{ strftime_now('%d %b %Y') }} " + template, encoding="utf-8")
    found = scorer(folder, "nli")
    assert found.tokens.before("Hello").startswith("26 Jul 2024 <s>")


def test_the_chat_template_is_part_of_what_a_model_is(tmp_path: Path) -> None:
    folder = save_llama(tmp_path)
    before = locate(str(folder))
    with (folder / "chat_template.jinja").open("a", encoding="utf-8") as f:
        f.write("!")
    assert locate(str(folder)).identity != before.identity
    assert locate(str(folder)).digest == before.digest


def test_the_premise_of_a_yes_no_question_is_cut(tmp_path: Path) -> None:
    found = scorer(save_gpt2(tmp_path), "qa", too_long="truncate")
    (encoded,) = found.encoded([YesNoQuestion("The quick brown fox jumps. " * 40, "Is it brown?")])
    assert encoded.truncated
    assert found.scores([encoded])[:, 3].tolist() == [1.0]


LONG = [
    Pair("The quick brown fox jumps over the lazy dog. " * 12, "It is brown."),
    Pair("short", "short"),
    Pair("Nothing is as long as this. " * 20, "It is long."),
]


def test_all_that_are_too_long_are_listed(tmp_path: Path) -> None:
    found = scorer(save_gpt2(tmp_path), "nli")
    with pytest.raises(ModelError) as told:
        found.encoded(LONG)
    listed = str(told.value).splitlines()[1:]
    assert ["quick" in listed[0], "Nothing" in listed[1], len(listed)] == [True, True, 2]
    assert "too_long: truncate" in told.value.remedy


def test_on_request_the_premise_is_cut_as_little_as_fits(tmp_path: Path) -> None:
    found = scorer(save_gpt2(tmp_path), "nli", too_long="truncate")
    encoded = found.encoded(LONG)
    assert [p.truncated for p in encoded] == [True, False, True]
    most = found.precisions.quick.max_length
    assert all(most - 3 <= p.longest <= most for p in encoded if p.truncated)
    assert found.scores(encoded)[:, 3].tolist() == [1.0, 0.0, 1.0]


def test_a_prompt_that_does_not_fit_without_its_premise_is_refused(tmp_path: Path) -> None:
    found = scorer(save_gpt2(tmp_path, positions=40), "nli", too_long="truncate")
    with pytest.raises(ModelError, match="without its first text"):
        found.encoded(LONG[1:2])


def test_choices_that_read_alike_are_refused(loaded: CausalScorer) -> None:
    with pytest.raises(ModelError, match="have the same tokens"):
        loaded.encoded([Question("Li met Li.", "Who ran?", ("Li", "Li"), SPANS)])


def test_statements_are_refused_by_name(folder: Path) -> None:
    with pytest.raises(ModelError, match="'statement'"):
        scorer(folder, "statement")


def test_such_a_model_is_known_by_its_config_and_its_wordings(folder: Path) -> None:
    source, asking = locate(str(folder)), Asking("nli", ScoringSettings())
    assert isinstance(scorer_of(source, asking), CausalScorer)
    other = own_prompts().having("nli", own_prompts().wordings("nli")[:2])
    kind = kind_of(source)
    assert options_of(kind, asking) == options_of(kind, replace(asking, prompts=own_prompts()))
    assert options_of(kind, asking) != options_of(kind, replace(asking, prompts=other))


def test_scores_that_are_not_finite_stop(tmp_path: Path) -> None:
    folder = save_llama(tmp_path)
    model = AutoModelForCausalLM.from_pretrained(folder)
    with torch.no_grad():
        model.lm_head.weight[0, 0] = float("nan")
    model.save_pretrained(folder)
    found = scorer(folder, "nli")
    with pytest.raises(ModelError, match="not finite"):
        found.scores(found.encoded(PAIRS))


@pytest.mark.parametrize("template", ["{{ raise_exception('no') }}", "{{ messages | nothing }}", "{% for"])
def test_a_chat_template_that_fails_is_a_model_error(tmp_path: Path, template: str) -> None:
    scorer = CausalScorer.load(
        locate(str(save_llama(tmp_path))), Asking("nli", ScoringSettings(), ModelSettings())
    )
    scorer.tokens.tokenizer.chat_template = template
    with pytest.raises(ModelError, match="chat template"):
        scorer.encoded(PAIRS)
