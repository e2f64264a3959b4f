"""Causal language models as a kind of models: they continue texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nextset.errors import ModelError
from nextset.forms import NLI, FormName
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import SCORED_FORMS, FormScorer
from nextset.scoring.kinds.kind_protocol import ModelKind
from nextset.scoring.model_server.stored_answers import AnswerReader
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Scorer
from nextset.study.scoring_settings import ModelSettings

__all__ = [
    "CAUSAL_LM",
    "CausalLmKind",
    "WritingKind",
    "local_prompt_options",
    "message_options",
    "wordings_digest",
]


VLLM = "vllm"
"""The engine in scoring.engine that asks only models of this kind."""


def wordings_digest(asking: Asking) -> Mapping[str, Any]:
    """Return the digest of the wordings; raises ModelError if the study's file has none for the form."""
    from nextset.scoring.prompt_wordings import own_prompts

    digest = (asking.prompts or own_prompts()).digest(asking.form)
    return {"prompts": digest, **SCORED_FORMS[asking.form].prompt_options(asking.scoring)}


def message_options(model: ModelSettings, answer_tokens: int) -> dict[str, Any]:
    """Return the settings, if they are set, of the messages that a model on this machine reads and thinks
    about: its system message, and the limit of its thoughts."""
    options: dict[str, Any] = {}
    if model.system_prompt:
        options["system_prompt"] = model.system_prompt
    if model.thinking:
        options["thinking"] = {"tokens": answer_tokens}
    return options


def local_prompt_options(asking: Asking) -> Mapping[str, Any]:
    """Return the digest of the wordings, and the options of messages of a model on this machine."""
    return {**wordings_digest(asking), **message_options(asking.model, asking.server.answer_tokens)}


def _load(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    if asking.scoring.engine == VLLM:
        from nextset.scoring.generative.engine_scorer import EngineScorer

        return EngineScorer.load(source, asking, device)
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
    by_wording = FormScorer(_load, local_prompt_options)
    other_uses = "fill.model, which writes, and fill.fluency.model: neither has to pass canaries"

    def reused(self, scorer: Scorer[Any], asking: Asking) -> Scorer[Any] | None:
        """Return the same model for a different form or wordings; the weights are not loaded again."""
        from nextset.scoring.generative.causal_scorer import CausalScorer
        from nextset.scoring.generative.engine_scorer import EngineScorer

        return scorer.reworded(asking) if isinstance(scorer, CausalScorer | EngineScorer) else None

    def engine(self, asking: Asking) -> str:
        """Return vllm if the study says so: these models are the ones that vLLM can ask."""
        return VLLM if asking.scoring.engine == VLLM else ""

    def check_engine(self, source: ModelSource, asking: Asking) -> None:
        """Raise DependencyMissing without vLLM, and ModelError for a model that it cannot ask."""
        if asking.scoring.engine != VLLM:
            return
        from nextset.scoring.engines.vllm_engine import require_vllm, vllm_folder

        require_vllm()
        vllm_folder(source)
        if asking.model.thinking or asking.model.remote_code:
            setting = "thinking" if asking.model.thinking else "remote_code"
            raise ModelError(
                f"{source.name} has the setting {setting}, which models in vLLM do not have",
                remedy="set scoring.engine: local",
            )

    def answer_reader(self, source: ModelSource, asking: Asking) -> AnswerReader | None:
        """Return a function that reads the stored thoughts of a model that thinks."""
        from nextset.scoring.generative.thought_store import ThoughtStore

        store = ThoughtStore.of(source, asking)
        return None if store is None else store.read


CAUSAL_LM = CausalLmKind()
"""Causal language models."""
