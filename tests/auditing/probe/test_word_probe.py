"""Probes of masks: the words and probabilities of a study's filler, and what cannot be asked."""

from __future__ import annotations

import pytest

import nextset
from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.masks.masked_text import Prompt
from nextset.scoring.models.sources import locate

MASKED, NLI = "builtin:masked-lm", "builtin:nli-electra"
TEXT = "Maria works as a {{MASK}}."


def test_the_words_are_those_of_a_study() -> None:
    (answer,) = nextset.probe_words(f"  {TEXT} ", models=MASKED, top=5).answers
    (fills,) = MaskFiller.load(locate(MASKED)).fill([Prompt.alone(TEXT)], top_k=5)
    assert answer.model == MASKED
    assert [(w.words, w.probabilities) for w in answer.words] == [(f.words, f.scores) for f in fills]
    assert len(answer.words) == 5
    probabilities = [w.probabilities[0] for w in answer.words]
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0 < sum(probabilities) <= 1


def test_several_masks_and_models_named_twice() -> None:
    probe = nextset.probe_words("{{MASK}} works as a {{MASK}}.", models=[MASKED, MASKED], top=2)
    assert probe.text == "{{MASK}} works as a {{MASK}}."
    (answer,) = probe.answers
    assert [(len(w.words), len(w.probabilities)) for w in answer.words] == [(2, 2), (2, 2)]


@pytest.mark.parametrize(
    ("text", "top", "message"),
    [
        ("", 8, "the text is empty"),
        ("A dog.", 8, r"the text has no \{\{MASK\}\}"),
        ("A {{MASK}} of {subject1}.", 8, "the placeholder {subject1}"),
        ("A {{MASK:adj}} dog.", 8, r"the text has no \{\{MASK\}\}"),
        ("A {{MASK}}\0.", 8, "not text"),
        ("{{MASK}} " * 5000, 8, "at most 20,000 are allowed"),
        (TEXT, 0, "0 words cannot be shown"),
        (TEXT, 1001, "1001 words cannot be shown"),
    ],
)
def test_texts_that_cannot_be_asked(text: str, top: int, message: str) -> None:
    with pytest.raises(nextset.InputError, match=message):
        nextset.probe_words(text, models=MASKED, top=top)


def test_models_that_cannot_be_asked() -> None:
    with pytest.raises(nextset.ModelError, match="cannot be asked about masked statements"):
        nextset.probe_words(TEXT, models=[MASKED, NLI])
    with pytest.raises(nextset.ModelError, match="there is no built-in model 'none'"):
        nextset.probe_words(TEXT, models="builtin:none")
    with pytest.raises(nextset.ModelError, match="reads at most 256 tokens"):
        nextset.probe_words("a dog sleeps " * 500 + "{{MASK}}.", models=MASKED)
