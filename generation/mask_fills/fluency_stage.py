"""The artifact out/fluency: the fluency of filled and plain hypotheses by a language model."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import Progress
from nextset.errors import ModelError
from nextset.generation.mask_fills.fluency import Fluency
from nextset.records.arrow_schema import table_of
from nextset.scoring.kinds.kind_protocol import MODEL_KINDS
from nextset.scoring.model_kinds import kind_of
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.study_models import located_model
from nextset.study.fluency_settings import FluencySettings
from nextset.study.model_key import model_key
from nextset.study.study_folder import Study

if TYPE_CHECKING:
    from nextset.scoring.masks.filler import MaskFiller

__all__ = ["check_fluency_model", "fluency_recipe", "score_fluency"]

SENTENCES = 512
"""Sentences per shard."""
SELECTION = ("fluency", "keep", "marks", "meaning")
"""The settings of the items that do not change the scores."""


def check_fluency_model(study: Study) -> None:
    """Raise ModelError if the study names a model for fluency that gives no probabilities of sentences."""
    chosen = study.settings.fill.fluency_settings
    if chosen is not None and chosen.model is not None:
        with model_key(study.file, "fill", "fluency", "model"):
            _kind(located_model(study, chosen.model))


def fluency_recipe(study: Study, items: Recipe, chosen: FluencySettings) -> Recipe:
    """Return the recipe of the fluency of the items of recipe ``items``, scored by the ``chosen`` model."""
    check_fluency_model(study)
    model = chosen.model or study.settings.fill.model
    settings = {name: value for name, value in items.settings.items() if name not in SELECTION}
    models = {**items.models, study.model_label(model): located_model(study, model).identity}
    return Recipe("fluency", 2, items.inputs, {**settings, "by": study.model_label(model)}, models)


def score_fluency(
    study: Study,
    recipe: Recipe,
    chosen: FluencySettings,
    hypotheses: Callable[[], Sequence[str]],
    filler: Callable[[], MaskFiller],
    progress: Progress,
) -> Artifact:
    """Score ``hypotheses`` into out/fluency, by ``filler`` unless the study names a different model."""

    @functools.cache
    def ask() -> Callable[[Sequence[str]], Sequence[Fluency]]:
        if chosen.model is None or chosen.model == study.settings.fill.model:
            return functools.partial(_masked, filler())
        source = located_model(study, chosen.model)
        if _kind(source) == "masked_lm":
            from nextset.scoring.masks.filler import MaskFiller

            return functools.partial(_masked, MaskFiller.load(source))
        from nextset.scoring.generative.causal_likelihood import CausalLikelihood

        causal = CausalLikelihood.load(source)
        return lambda texts: [
            Fluency(t, f.mean, f.tokens) for t, f in zip(texts, causal.of_sentences(texts), strict=True)
        ]

    def sentences(chunk: Sequence[str]) -> PartResult:
        return PartResult(table_of(ask()(chunk) if chunk else [], Fluency))

    def plan() -> list[Part]:
        distinct = sorted(set(hypotheses()))
        chunks = [distinct[i : i + SENTENCES] for i in range(0, len(distinct), SENTENCES)] or [[]]
        return [Part("sentences", functools.partial(sentences, chunk)) for chunk in chunks]

    return build(study.out / "fluency", recipe, plan, progress=progress("fill"))


def _masked(filler: MaskFiller, texts: Sequence[str]) -> list[Fluency]:
    scores = filler.pseudo_log_likelihood(texts)
    return [Fluency(text, f.mean, f.tokens) for text, f in zip(texts, scores, strict=True)]


def _kind(source: ModelSource) -> str:
    kind = kind_of(source)
    if kind not in ("masked_lm", "causal_lm"):
        raise ModelError(
            f"{source.name} is a model of the kind {MODEL_KINDS[kind].noun}, which cannot score fluency",
            remedy="set fill.fluency.model to a masked or a causal language model",
        )
    return kind
