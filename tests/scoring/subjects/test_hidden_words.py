"""Words of a context that a masked language model does not see: it reads its mask token there."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import transformers

from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.models.sources import BUILTIN, locate
from nextset.scoring.scorer_protocol import Statement
from nextset.scoring.subjects.masked_subject_scorer import HIDDEN, MaskedSubjectScorer
from nextset.study.scoring_settings import ModelSettings, ScoringSettings


def statement(context: str, asked: str = "The {{MASK}} woman left.") -> Statement:
    return Statement(context, asked, ("quiet", "kind"), ("", ""))


@pytest.mark.parametrize(
    "context",
    [
        f"{HIDDEN} quiet woman met a kind woman.",
        f"A quiet {HIDDEN} met a kind woman.",
        f"A quiet woman met a kind {HIDDEN}.",
        f"{HIDDEN} quiet {HIDDEN} {HIDDEN} a kind woman.",
    ],
)
def test_hidden_words_are_mask_tokens(context: str) -> None:
    """Restated with transformers alone: the last mask is that of the statement."""
    model = transformers.AutoModelForMaskedLM.from_pretrained(BUILTIN / "masked-lm").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(BUILTIN / "masked-lm")
    mask = tokenizer.mask_token
    text = f"{context.replace(HIDDEN, mask)} The {mask} woman left."
    with torch.inference_mode():
        inputs = tokenizer(text, return_tensors="pt")
        at = inputs["input_ids"][0].tolist()[::-1].index(tokenizer.mask_token_id)
        likely = model(**inputs).logits[0, -1 - at].softmax(-1)
    expected = [float(likely[tokenizer.convert_tokens_to_ids(word)]) for word in ("quiet", "kind")]
    scorer = MaskedSubjectScorer.load(locate("builtin:masked-lm"))
    (found,) = scorer.scores(scorer.encoded([statement(context)]))
    assert found[:2] == pytest.approx(expected, rel=1e-4)


def test_every_tokenizer_reads_hidden_words(masked_lm_folder: Path) -> None:
    """The scores of subjects that have several tokens need the place of the statement's own mask."""
    scorer = MaskedSubjectScorer.load(locate(str(masked_lm_folder)))
    whole, hidden, asked = (
        statement("A quiet woman met a kind woman."),
        statement(f"A quiet {HIDDEN} met a kind {HIDDEN}."),
        statement("A quiet woman met a kind woman.", f"The {HIDDEN} box, {{{{MASK}}}} woman."),
    )
    scores = scorer.alone(scorer.encoded([whole, hidden, asked]))[:, :2]
    assert (scores > 0).all()
    assert (scores[0] != scores[1]).all()
    mask = scorer.precisions.quick.tokenizer.mask_token_id
    for (query, _), (other, _) in zip(
        scorer.encoded([whole])[0].queries(), scorer.encoded([hidden])[0].queries(), strict=True
    ):
        assert other.ids.count(mask) == query.ids.count(mask) + 2
        assert other.ids[other.at :] == query.ids[query.at :]


def test_a_mask_token_that_a_person_wrote_is_refused_beside_hidden_words() -> None:
    scorer = MaskedSubjectScorer.load(locate("builtin:masked-lm"))
    written = statement(f"A [MASK] woman met a kind {HIDDEN}.")
    with pytest.raises(ModelError, match="own mask token"):
        scorer.encoded([written])


def test_a_context_with_hidden_words_that_is_too_long_is_cut() -> None:
    cutting = Asking("statement", ScoringSettings(), ModelSettings(too_long="truncate"))
    scorer = MaskedSubjectScorer.load(locate("builtin:masked-lm"), cutting)
    long = statement(f"A quiet {HIDDEN} met a kind woman. " + f"A box, {HIDDEN}. " * 400)
    (encoded,) = scorer.encoded([long])
    assert encoded.truncated
    mask, whole = scorer.precisions.quick.tokenizer.mask_token_id, scorer.precisions.quick.max_length
    ((query, _), *_) = encoded.queries()
    assert len(query.ids) <= whole
    assert 2 < query.ids.count(mask) < 400
