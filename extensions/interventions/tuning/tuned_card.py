"""The model card of a tuned reader."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from nextset.extensions.interventions.settings.tuning_settings import TuningSettings
from nextset.records.clear_questions import ClearQuestions
from nextset.study.scoring_settings import CanaryPair, CardQuestion

__all__ = ["tuned_card"]


def tuned_card(
    base: str,
    settings: TuningSettings,
    clear: ClearQuestions,
    canaries: Sequence[CanaryPair | CardQuestion],
    repository: str | None,
) -> str:
    """Return the README.md of the copy of ``base`` that was tuned with ``settings``.

    ``clear`` has the numbers of canaries that the copy answers correctly, ``canaries`` are the canaries in
    the card of ``base``, and ``repository`` is the repository of ``base`` on the Hub, if it has one.
    """
    weights = ", ".join(f"{part} {weight:g}" for part, weight in settings.loss_weights.model_dump().items())
    front: dict[str, object] = {"library_name": "transformers", "pipeline_tag": "question-answering"}
    if canaries:
        cases = [case.model_dump(mode="json", exclude_defaults=True) for case in canaries]
        front["nextset"] = {"canaries": cases}
    if repository is not None:
        front["base_model"] = repository
    answered = f"{clear.after} of {clear.questions} {clear.origin}; {clear.before} before tuning"
    if not clear.questions:
        answered = "no canaries were asked"
    steps = (
        f"{settings.steps:,}; questions per step and kind of sentence: {settings.batch:,}; "
        f"twins per step: {settings.batch:,}"
    )
    return f"""---
{yaml.safe_dump(front, sort_keys=False, allow_unicode=True)}---

# {base}, tuned on interventions

An extractive reader that nextset fine-tuned on questions that do not name the answer, with ethical,
adversarial and irrelevant sentences, and on specified twins (after Zhao et al. 2021). It is meant for
measuring the effect of such training. Its answers to other texts have not been measured.

| | |
|---|---|
| base model | `{base}` |
| steps | {steps} |
| learning rate | {settings.rate:g}, AdamW |
| weights of the loss | {weights} |
| adversarial sentences | {settings.adversarial} |
| held out | {settings.held_out:.0%} of the templates and subjects of each class, and half of the sentences |
| seed | {settings.seed} |
| canaries answered correctly | {answered} |
| licence | the same as the base model's |
"""
