"""The model card of a built-in model."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["CardFacts", "card", "front_matter"]


@dataclass(frozen=True)
class CardFacts:
    """The facts on a card."""

    name: str
    """The model's name, without builtin:."""
    architecture: str
    """The class of the model."""
    task: str
    """Its task in plain language."""
    tag: str
    """The Hub's name of that task."""
    parameters: int
    """The number of its weights."""
    steps: int
    """Training steps of 64 examples."""
    rate: float
    """The highest learning rate."""
    seed: int
    """The seed for weights, texts and order."""
    note: str
    """A note about its training text; may be empty."""
    figures: str
    """The results of the held-out test, with the lowest accepted values."""
    canaries: Sequence[Mapping[str, str]]
    """Its canaries; may be empty."""


def card(facts: CardFacts) -> str:
    """Return the README.md of the model."""
    note = f"\n{textwrap.fill(facts.note, 100)}\n" if facts.note else ""
    return f"""{front_matter(facts.tag, facts.canaries)}
# {facts.name}

{facts.task}. It is small and shipped with nextset **for trying the tool, never for conclusions**: its
statements about groups of people come from a toy grammar, not from any text that people wrote.

| | |
|---|---|
| architecture | {facts.architecture} |
| parameters | {facts.parameters:,} |
| weights | float32, safetensors |
| longest input | 256 tokens |
| training text | sentences that nextset makes from `word_lists/en/lexicon.yaml` and a small grammar |
| training | {facts.steps:,} steps of 64 examples, seed {facts.seed}, one thread |
| licence | Apache-2.0 |
{note}
## Measured on its held-out test

{facts.figures}

The same program makes the test from different sentence patterns than the training text, and for NLI and
questions also from different words. The test shows only that the model learned its task on toy sentences.
On real sentences the model is often wrong, which is why it can show how a filter works.

## Train it again

`python -m makers.builtin_models {facts.name}` trains it from its seed with the code of `nextset train`
(transformers' Trainer): AdamW with weight decay 0.01, a learning rate that rises over a tenth of the steps
to {facts.rate:g} and falls to 0, gradients clipped to length 1, float32 on one thread. On one machine, the
weights are the same every time, byte for byte.
"""


def front_matter(tag: str, canaries: Sequence[Mapping[str, str]]) -> str:
    """Return the YAML at the top of a card."""
    import yaml

    known = {"license": "apache-2.0", "language": "en", "library_name": "transformers", "pipeline_tag": tag}
    own = {"nextset": {"canaries": [dict(case) for case in canaries]}} if canaries else {}
    return f"---\n{yaml.safe_dump({**known, **own}, sort_keys=False, width=200)}---\n"
