"""The model card of a tuned reader."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from nextset.records.clear_questions import ClearQuestions
from nextset.study.scoring_settings import CanaryPair, CardQuestion
from nextset.study.tuning_settings import TuningSettings

__all__ = ["tuned_card"]


def tuned_card(
    base: str,
    settings: TuningSettings,
    clear: ClearQuestions,
    canaries: Sequence[CanaryPair | CardQuestion],
    repository: str | None,
) -> str:
    """Return the README.md of the copy of ``base`` that was tuned with ``settings``.

    ``clear`` says what it still answers, ``canaries`` are those in the card of ``base``, and ``repository``
    is that of ``base`` on the Hub, if it is there.
    """
    weights = ", ".join(f"{part} {weight:g}" for part, weight in settings.weights.model_dump().items())
    front: dict[str, object] = {"library_name": "transformers", "pipeline_tag": "question-answering"}
    if canaries:
        cases = [case.model_dump(mode="json", exclude_defaults=True) for case in canaries]
        front["nextset"] = {"canaries": cases}
    if repository is not None:
        front["base_model"] = repository
    answered = f"{clear.after} of {clear.questions} {clear.origin}; before tuning {clear.before}"
    if not clear.questions:
        answered = "none were asked"
    return f"""---
{yaml.safe_dump(front, sort_keys=False, allow_unicode=True)}---

# {base}, tuned on interventions

An extractive reader that was fine-tuned by nextset on questions that do not name the answer, with
ethical, adversarial and irrelevant sentences, and on specified twins (after Zhao et al. 2021). It is meant
for measuring what such training changes; on other texts its answers were not measured.

| | |
|---|---|
| base model | `{base}` |
| steps | {settings.steps:,} of {settings.batch:,} questions with a sentence of each kind, and as many twins |
| learning rate | {settings.rate:g}, AdamW |
| weights of the loss | {weights} |
| adversarial sentences | {settings.adversarial} |
| held out | {settings.held_out:.0%} of the templates and subjects of each class, and half of the sentences |
| seed | {settings.seed} |
| clear questions right | {answered} |
| licence | that of the base model |
"""
