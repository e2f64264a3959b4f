"""The model card of a tuned reader."""

from __future__ import annotations

import yaml

from nextset.study.tuning_settings import TuningSettings

__all__ = ["tuned_card"]


def tuned_card(base: str, settings: TuningSettings) -> str:
    """Return the README.md of the copy of ``base`` that was tuned with ``settings``."""
    weights = ", ".join(f"{part} {weight:g}" for part, weight in settings.weights.model_dump().items())
    front = {"library_name": "transformers", "pipeline_tag": "question-answering", "base_model": base}
    if base.startswith("builtin:"):
        del front["base_model"]  # it is no repository of the Hub
    return f"""---
{yaml.safe_dump(front, sort_keys=False)}---

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
| licence | that of the base model |
"""
