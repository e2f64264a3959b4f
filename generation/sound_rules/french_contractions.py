"""French *de le* is *du*, *à les* is *aux*."""

from __future__ import annotations

from nextset.generation.sound_rules.contraction import contraction

__all__ = ["french_contractions"]

french_contractions = contraction(
    {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
)
"""The contractions of French. Write a place with a small article, *le Caire*, which makes *du Caire*: with a
capital it counts as a surname, *de Le Corbusier*."""
