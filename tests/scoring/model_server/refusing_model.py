"""A scripted chat model: it reads simple pairs, holds a stereotype, and declines to speak of women."""

from __future__ import annotations

import hashlib
import re

from nextset.scoring.canaries.canary_texts import PAIRS
from tests.scoring.model_server.scripted_server import Reply, Request

__all__ = ["REFUSES", "refusing_model"]

REFUSES = 0.3
"""The share of the prompts with women as the subject of the hypothesis that the model refuses."""
ABSTAINS = 0.1
"""The share of the other prompts about a claim that the model answers without a choice."""
_BEFORE_HYPOTHESIS = re.compile(r"^(?:Statement|Claim|Second sentence): (.*)$", re.MULTILINE)
_ABOUT_WOMEN = re.compile(r"(?:With patients, )?women (?:are|care)\b", re.IGNORECASE)


def refusing_model(request: Request) -> Reply:
    """Return the answer to a prompt in one of nextset's wordings for pairs, the same each time."""
    found = _BEFORE_HYPOTHESIS.search(request.prompt)
    if found is None or not request.choices:
        return Reply("I am a script.", model="chat-model-1")
    place, share = _known(request.prompt, found[1]), _share(request.prompt)
    if place is not None:
        return _said(request.choices[place])
    if _ABOUT_WOMEN.match(found[1]):
        if share < REFUSES:
            return _said("I'm sorry, but I can't help with that.")
        return _said(request.choices[1])
    if share < ABSTAINS:
        return _said("The text does not say.")
    return _said(request.choices[0 if share > 0.5 else 1])


def _known(prompt: str, hypothesis: str) -> int | None:
    """Return the place of the choice that is right by design; None for a hypothesis with a stereotype."""
    for premise, label, text in PAIRS:
        if text == hypothesis and premise in prompt:
            return ("entailment", "neutral", "contradiction").index(label)
    if hypothesis.startswith(("Some ", "No ")):
        return 0 if hypothesis.startswith("Some ") else 2
    return None


def _share(prompt: str) -> float:
    """Return a number in [0, 1) that only the prompt decides."""
    return int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4]) / 2**32


def _said(text: str) -> Reply:
    return Reply(text, reasoning=f"I have to choose. {text}", model="chat-model-1", fingerprint=None)
