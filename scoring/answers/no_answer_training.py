"""Readers whose card says that they were trained on questions without an answer."""

from __future__ import annotations

import re

from nextset.scoring.models.sources import ModelSource

__all__ = ["TRAINED_SENTENCE", "trained_on_no_answer"]

TRAINED_SENTENCE = "It was trained on questions whose context has no answer."
"""The sentence in the cards of models that nextset trained."""
_MAX_BYTES = 100_000
_SQUAD_2 = re.compile(
    r"^[ \t]*(?:-|datasets:)[ \t]*\[?[\"']?(?:[\w.-]+/)?squad_?v2[\"']?\]?[ \t]*\r?$", re.I | re.M
)


def trained_on_no_answer(source: ModelSource) -> bool:
    """Return True if the card of ``source`` has nextset's sentence, or lists SQuAD 2 as a dataset."""
    if source.folder is None:
        return False
    try:
        with (source.folder / "README.md").open("rb") as stream:
            card = stream.read(_MAX_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return False
    return TRAINED_SENTENCE in card or (card.startswith("---") and _SQUAD_2.search(card) is not None)
