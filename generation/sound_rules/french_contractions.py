"""French *de le* is *du*, *à les* is *aux*."""

from __future__ import annotations

from nextset.generation.sound_rules.contraction import contraction

__all__ = ["french_contractions"]

french_contractions = contraction(
    {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
)
"""The contractions of French. A place needs a small article, *le Caire*, which becomes *du Caire*. A capital
article counts as part of a surname, *de Le Corbusier*."""
