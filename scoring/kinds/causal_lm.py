"""Causal language models as a kind of models: they continue texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nextset.forms import NLI, FormName
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import SCORED_FORMS, FormScorer
from nextset.scoring.kinds.kind_protocol import ModelKind
from nextset.scoring.model_server.stored_answers import AnswerReader
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Scorer

__all__ = ["CAUSAL_LM", "CausalLmKind", "WritingKind", "wordings_digest"]


def wordings_digest(asking: Asking) -> Mapping[str, Any]:
    """Return the digest of the wordings; raises ModelError if the study's file has none for the form."""
    from nextset.scoring.prompt_wordings import own_prompts

    return {"prompts": (asking.prompts or own_prompts()).digest(asking.form)}


def _load(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.generative.causal_scorer import CausalScorer

    return CausalScorer.load(source, asking, device)


class WritingKind(ModelKind):
    """Models that write; they are asked about every form that has wordings."""

    usual_form = NLI.name
    writes = True
    by_wording: FormScorer
    """The scorer for every form with wordings."""

    def scorer(self, form: FormName) -> FormScorer | None:
        """Return the scorer for a form with wordings."""
        return self.by_wording if SCORED_FORMS[form].wording is not None else super().scorer(form)


class CausalLmKind(WritingKind):
    """Models that continue texts; they are asked about every form that has wordings."""

    name = "causal_lm"
    noun = "causal language model"
    place = 4
    endings = ("ForCausalLM", "LMHeadModel")
    by_wording = FormScorer(_load, wordings_digest)
    other_uses = "fill.model, which writes, and fill.fluency.model: neither has to pass canaries"

    def reused(self, scorer: Scorer[Any], asking: Asking) -> Scorer[Any] | None:
        """Return the same model for a different form or wordings; the weights are not loaded again."""
        from nextset.scoring.generative.causal_scorer import CausalScorer

        return scorer.reworded(asking) if isinstance(scorer, CausalScorer) else None

    def answer_reader(self, source: ModelSource, asking: Asking) -> AnswerReader | None:
        """Return a function that reads the stored thoughts of a model that thinks."""
        from nextset.scoring.generative.thought_store import ThoughtStore

        store = ThoughtStore.of(source, asking)
        return None if store is None else store.read


CAUSAL_LM = CausalLmKind()
"""Causal language models."""
