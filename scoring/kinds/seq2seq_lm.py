"""Encoder-decoder language models as a kind of models: the encoder reads a prompt, the decoder an answer."""

from __future__ import annotations

from typing import Any

from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import FormScorer
from nextset.scoring.kinds.causal_lm import WritingKind, local_prompt_options
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Scorer

__all__ = ["SEQ2SEQ_LM", "Seq2SeqLmKind"]


def _load(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.generative.seq2seq_scorer import Seq2SeqScorer

    return Seq2SeqScorer.load(source, asking, device)


class Seq2SeqLmKind(WritingKind):
    """Models such as T5 and BART; they are asked about every form that has wordings.

    Other classes that end in ForConditionalGeneration read images or sounds too, and are no text models.
    """

    name = "seq2seq_lm"
    noun = "encoder-decoder language model"
    place = 4
    endings = (
        "T5ForConditionalGeneration",
        "BartForConditionalGeneration",
        "PegasusForConditionalGeneration",
        "LEDForConditionalGeneration",
        "SwitchTransformersForConditionalGeneration",
    )
    by_wording = FormScorer(_load, local_prompt_options)
    may_fill_masks = True

    def reused(self, scorer: Scorer[Any], asking: Asking) -> Scorer[Any] | None:
        """Return the same model for a different form or wordings; the weights are not loaded again."""
        from nextset.scoring.generative.seq2seq_scorer import Seq2SeqScorer

        return scorer.reworded(asking) if isinstance(scorer, Seq2SeqScorer) else None


SEQ2SEQ_LM = Seq2SeqLmKind()
"""Encoder-decoder language models."""
