"""Readers of spans on yes/no questions; each expected score is computed here from a plain forward pass."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget
from nextset.scoring.model_kinds import kind_of, options_of, scorer_of
from nextset.scoring.models.sources import locate
from nextset.scoring.prompt_wordings import own_prompts
from nextset.scoring.prompts.answer_options import AnswerOptions, AnswerTexts
from nextset.scoring.scorer_protocol import NLI_COLUMNS, YesNoQuestion
from nextset.scoring.yes_no.extractive_yes_no_scorer import ExtractiveYesNoScorer
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

PLAIN = Asking("qa", ScoringSettings())
CUT = Asking("qa", ScoringSettings(), ModelSettings(too_long="truncate"))
QUESTIONS = [
    YesNoQuestion("The nurses are gentle.", "Are nurses kind?"),
    YesNoQuestion("No, maybe yes. A surgeon opened the wooden box in the garden.", "Is the box open?"),
    YesNoQuestion("É {x} 李娜", "ü?"),
    YesNoQuestion("Men work abroad", "Should men work in a kitchen, yes or no?"),
]


def plain(scorer: ExtractiveYesNoScorer, asked: YesNoQuestion) -> list[float]:
    """One question, unbatched, by the definition: the mean over the sentences of each answer's share."""
    loaded = scorer.precisions.quick
    shares = []
    for sentence in ("Yes, no or maybe.", "Maybe, yes or no.", "No, maybe or yes."):
        context = f"{asked.premise} {sentence}"
        encoding = loaded.tokenizer(asked.question, context, return_offsets_mapping=True, return_tensors="pt")
        offsets, parts = encoding.pop("offset_mapping")[0].tolist(), encoding.sequence_ids(0)
        with torch.no_grad():
            out = loaded.model(**encoding)
        start, end = (
            logits[0].double().softmax(-1).tolist() for logits in (out.start_logits, out.end_logits)
        )
        scores = []
        for answer in ("yes", "maybe", "no"):
            at = len(asked.premise) + 1 + sentence.lower().index(answer)
            own = [
                i
                for i, (a, b) in enumerate(offsets)
                if parts[i] == 1 and max(a, at) < min(b, at + len(answer))
            ]
            scores.append(math.sqrt(start[own[0]] * end[own[-1]]))
        shares.append([score / sum(scores) for score in scores])
    return [*np.mean(shares, axis=0), 0.0]


def test_probabilities_are_those_of_the_definition(reader_folder: Path) -> None:
    scorer = ExtractiveYesNoScorer.load(locate(str(reader_folder)), PLAIN)
    expected = [plain(scorer, x) for x in QUESTIONS]
    encoded = scorer.encoded(QUESTIONS)
    assert scorer.columns == NLI_COLUMNS
    np.testing.assert_allclose(scorer.scores(encoded), expected, rtol=1e-4)
    np.testing.assert_allclose(scorer.alone(encoded), expected, rtol=1e-6)
    assert (scorer.alone(encoded[::-1])[::-1] == scorer.alone(encoded)).all()
    assert scorer.scores([]).shape == scorer.alone([]).shape == (0, 4)


@pytest.fixture(scope="module")
def reader() -> ExtractiveYesNoScorer:
    return ExtractiveYesNoScorer.load(locate("builtin:qa-roformer"), PLAIN)


@settings(deadline=None, max_examples=15)
@given(
    some=st.lists(
        st.builds(YesNoQuestion, st.text(max_size=30), st.text(max_size=20)), min_size=1, max_size=5
    ),
    tokens=st.integers(1, 500),
)
def test_batches_change_next_to_nothing_and_the_sum_is_one(
    reader: ExtractiveYesNoScorer, some: list[YesNoQuestion], tokens: int
) -> None:
    encoded = reader.encoded(some)
    found = replace(reader, budget=Budget(tokens)).scores(encoded)
    np.testing.assert_allclose(found[:, :3].sum(axis=1), 1.0, atol=1e-12)
    assert (found[:, :3] >= 0).all()
    np.testing.assert_allclose(found, reader.alone(encoded), atol=1e-5)


def test_the_order_of_the_sentences_decides_nothing(reader: ExtractiveYesNoScorer) -> None:
    """In three sentences each answer has had every place: turned round, the same three are left."""
    listed = own_prompts().answers.listed
    turned = AnswerOptions(choices=own_prompts().answers.choices, listed=(listed[2], listed[0], listed[1]))
    other = replace(reader, options=turned)
    np.testing.assert_allclose(
        other.alone(other.encoded(QUESTIONS)), reader.alone(reader.encoded(QUESTIONS)), atol=1e-12
    )


def test_answers_that_change_their_labels_change_the_columns(reader: ExtractiveYesNoScorer) -> None:
    swapped = AnswerTexts(entailment="no", neutral="maybe", contradiction="yes")
    other = replace(reader, options=AnswerOptions(choices=swapped, listed=own_prompts().answers.listed))
    found = reader.alone(reader.encoded(QUESTIONS))
    np.testing.assert_allclose(other.alone(other.encoded(QUESTIONS))[:, [2, 1, 0, 3]], found, atol=1e-12)


def test_too_long_questions_are_refused_or_lose_the_end_of_the_premise(reader_folder: Path) -> None:
    source = locate(str(reader_folder))
    scorer = ExtractiveYesNoScorer.load(source, PLAIN)
    most = scorer.precisions.quick.max_length
    long = YesNoQuestion("Kind nurses live abroad. " * most, "Are nurses kind?")
    with pytest.raises(ModelError, match=f"at most {most} tokens"):
        scorer.encoded([QUESTIONS[0], long])
    cutting = ExtractiveYesNoScorer.load(source, CUT)
    short, cut = cutting.encoded([QUESTIONS[0], long])
    assert (short.truncated, cut.truncated) == (False, True)
    assert all(most - 3 <= len(one.encoding.ids) <= most for one in cut.sentences)
    found = cutting.scores([short, cut])
    assert found[:, 3].tolist() == [0, 1]
    np.testing.assert_allclose(found[:, :3].sum(axis=1), 1.0)
    # the answers are still read where they are
    kept = cut.sentences[0]
    assert len(set(zip(kept.first, kept.last, strict=True))) == 3
    with pytest.raises(ModelError, match="even without its premise"):
        cutting.encoded([YesNoQuestion("It rains.", "Are nurses kind? " * most)])


def test_answers_that_are_one_token_are_refused(reader: ExtractiveYesNoScorer) -> None:
    from tokenizers import pre_tokenizers

    backend = reader.precisions.quick.tokenizer.backend_tokenizer
    before = backend.pre_tokenizer
    backend.pre_tokenizer = pre_tokenizers.Split(" or ", "removed")
    try:
        with pytest.raises(ModelError, match="as different tokens"):
            reader.encoded([QUESTIONS[0]])
    finally:
        backend.pre_tokenizer = before


def test_weights_that_are_not_finite_stop_the_run(reader_folder: Path) -> None:
    scorer = ExtractiveYesNoScorer.load(locate(str(reader_folder)), PLAIN)
    with torch.no_grad():
        scorer.precisions.quick.model.qa_outputs.bias.fill_(torch.nan)
    with pytest.raises(ModelError, match="not finite"):
        scorer.scores(scorer.encoded(QUESTIONS))


def test_the_form_decides_how_a_reader_is_asked() -> None:
    source = locate("builtin:qa-roformer")
    assert isinstance(scorer_of(source, PLAIN), ExtractiveYesNoScorer)
    question = Asking("question", ScoringSettings())
    assert not isinstance(scorer_of(source, question), ExtractiveYesNoScorer)
    kind = kind_of(source)
    assert options_of(kind, PLAIN)["options"] == own_prompts().answers.digest
    assert "options" not in options_of(kind, question)


def test_spans_are_read_in_float32_whatever_the_study_says(reader: ExtractiveYesNoScorer) -> None:
    quick = ExtractiveYesNoScorer.load(
        locate("builtin:qa-roformer"), Asking("qa", ScoringSettings(precision="bfloat16"))
    )
    assert (quick.scores(quick.encoded(QUESTIONS)) == reader.scores(reader.encoded(QUESTIONS))).all()
