"""Multiple-choice models on yes/no questions, against a plain forward pass, one question at a time."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import nextset
from nextset.errors import ModelError
from nextset.scoring import multiple_choice_head
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget
from nextset.scoring.model_kinds import kind_of, options_of, scorer_of
from nextset.scoring.models.sources import locate
from nextset.scoring.prompt_wordings import own_prompts
from nextset.scoring.prompts.answer_options import AnswerOptions, AnswerTexts
from nextset.scoring.scorer_protocol import NLI_COLUMNS, YesNoQuestion
from nextset.scoring.yes_no.multiple_choice_scorer import MultipleChoiceScorer
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

PLAIN = Asking("qa", ScoringSettings())
CUT = Asking("qa", ScoringSettings(), ModelSettings(too_long="truncate"))
QUESTIONS = [
    YesNoQuestion("The nurses are gentle.", "Are nurses kind?"),
    YesNoQuestion("A surgeon opened the wooden box in the garden.", "Is the box open?"),
    YesNoQuestion("É {x}", "ü?"),
]


def plain(scorer: MultipleChoiceScorer, asked: YesNoQuestion) -> list[float]:
    loaded = scorer.precisions.quick
    texts = [f"{asked.question} {answer}" for answer in ("yes", "maybe", "no")]
    inputs = loaded.tokenizer([asked.premise] * 3, texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        logits = loaded.model(**{name: tensor[None] for name, tensor in inputs.items()}).logits
    return [*logits[0].double().softmax(-1).tolist(), 0.0]


@pytest.fixture(scope="module")
def chooser(chooser_folder: Path) -> MultipleChoiceScorer:
    return MultipleChoiceScorer.load(locate(str(chooser_folder)), PLAIN)


def test_probabilities_are_those_of_the_definition(chooser: MultipleChoiceScorer) -> None:
    expected = [plain(chooser, x) for x in QUESTIONS]
    encoded = chooser.encoded(QUESTIONS)
    assert chooser.columns == NLI_COLUMNS
    np.testing.assert_allclose(chooser.scores(encoded), expected, rtol=1e-3)
    np.testing.assert_allclose(chooser.alone(encoded), expected, rtol=1e-4)
    assert (chooser.alone(encoded[::-1])[::-1] == chooser.alone(encoded)).all()
    assert chooser.scores([]).shape == chooser.alone([]).shape == (0, 4)


@settings(deadline=None, max_examples=8)
@given(
    some=st.lists(
        st.builds(YesNoQuestion, st.text(max_size=20), st.text(max_size=10)), min_size=1, max_size=5
    ),
    tokens=st.integers(1, 500),
)
def test_batches_change_next_to_nothing_and_the_sum_is_one(
    chooser: MultipleChoiceScorer, some: list[YesNoQuestion], tokens: int
) -> None:
    encoded = chooser.encoded(some)
    found = replace(chooser, head=replace(chooser.head, budget=Budget(tokens))).scores(encoded)
    np.testing.assert_allclose(found[:, :3].sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(found, chooser.alone(encoded), atol=1e-4)


def test_the_order_of_the_answers_decides_nothing(chooser: MultipleChoiceScorer) -> None:
    """Each answer has its own probability, wherever it is in the list of answers."""
    by_answer = []
    for order in itertools.permutations(("yes", "maybe", "no")):
        texts = AnswerTexts(entailment=order[0], neutral=order[1], contradiction=order[2])
        options = AnswerOptions(choices=texts, listed=own_prompts().answers.listed)
        other = replace(chooser, options=options)
        found = other.alone(other.encoded(QUESTIONS))
        by_answer.append(found[:, [order.index(answer) for answer in ("yes", "maybe", "no")]])
    for found in by_answer[1:]:
        np.testing.assert_allclose(found, by_answer[0], atol=1e-6)


def test_too_long_questions_are_refused_or_lose_the_end_of_the_premise(chooser_folder: Path) -> None:
    source = locate(str(chooser_folder))
    scorer = MultipleChoiceScorer.load(source, PLAIN)
    most = scorer.precisions.quick.max_length
    long = YesNoQuestion("Kind nurses live abroad. " * most, "Are nurses kind?")
    with pytest.raises(ModelError, match=f"at most {most} tokens"):
        scorer.encoded([QUESTIONS[0], long])
    cutting = MultipleChoiceScorer.load(source, CUT)
    encoded = cutting.encoded([QUESTIONS[0], long])
    assert [e.truncated for e in encoded] == [False, True]
    assert {len(e.ids) for e in encoded[1].encodings} == {most}
    assert cutting.scores(encoded)[:, 3].tolist() == [0, 1]
    with pytest.raises(ModelError, match=f"at most {most} tokens"):
        cutting.encoded([YesNoQuestion("It rains.", "Are nurses kind? " * most)])


def test_bfloat16_is_near_and_alone_is_float32(chooser_folder: Path, chooser: MultipleChoiceScorer) -> None:
    source = locate(str(chooser_folder))
    quick = MultipleChoiceScorer.load(source, Asking("qa", ScoringSettings(precision="bfloat16")))
    encoded = quick.encoded(QUESTIONS)
    assert str(quick.precisions.quick.model.dtype) == "torch.bfloat16"
    exact = chooser.alone(chooser.encoded(QUESTIONS))
    assert (quick.alone(encoded) == exact).all()
    np.testing.assert_allclose(quick.scores(encoded), exact, atol=0.2)


def test_weights_that_are_not_finite_stop_the_run(chooser_folder: Path) -> None:
    scorer = MultipleChoiceScorer.load(locate(str(chooser_folder)), PLAIN)
    with torch.no_grad():
        scorer.precisions.quick.model.classifier.weight.fill_(torch.nan)
    with pytest.raises(ModelError, match="not finite"):
        scorer.scores(scorer.encoded(QUESTIONS))


def test_the_trial_batch_of_a_gpu_is_one_that_the_model_reads(chooser: MultipleChoiceScorer) -> None:
    for tokens in (1, 4096):
        multiple_choice_head._probe(chooser.precisions.quick, tokens)


def test_such_a_model_is_known_by_its_config(chooser_folder: Path) -> None:
    source = locate(str(chooser_folder))
    assert isinstance(scorer_of(source, PLAIN), MultipleChoiceScorer)
    assert options_of(kind_of(source), PLAIN)["options"] == own_prompts().answers.digest
    for form in ("nli", "question", "statement"):
        with pytest.raises(ModelError, match="multiple-choice model, which cannot be asked about"):
            scorer_of(source, replace(PLAIN, form=form))


def test_a_model_that_judges_by_its_last_token_is_refused(tmp_path: Path, chooser_folder: Path) -> None:
    import json
    import shutil

    copy = shutil.copytree(chooser_folder, tmp_path / "copy")
    file = copy / "config.json"
    file.write_text(
        json.dumps({**json.loads(file.read_text(encoding="utf-8")), "summary_type": "last"}), encoding="utf-8"
    )
    with pytest.raises(ModelError, match="by its last token"):
        MultipleChoiceScorer.load(locate(str(copy)), PLAIN)


def test_models_check_asks_it_yes_no_questions(chooser_folder: Path) -> None:
    from nextset.cli.models import checked_text

    (failed,) = nextset.check_models([str(chooser_folder)])
    assert "canary yes/no questions right (from nextset, in English)" in failed.problem
    assert "canaries_waived" in failed.remedy
    waived = ModelSettings(canaries_waived="it was not trained")
    (found,) = nextset.check_models([str(chooser_folder)], settings=waived)
    assert "multiple-choice model, asked about yes/no questions" in checked_text([found])
