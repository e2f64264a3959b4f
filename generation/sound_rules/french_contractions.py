"""French *de le* is *du*, *à les* is *aux*."""

from __future__ import annotations

from nextset.generation.sound_rules.contraction import contraction
from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule

__all__ = ["FRENCH_CONTRACTION", "french_contractions"]

french_contractions = contraction(
    {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
)
"""The contractions of French. A place needs a small article, *le Caire*, which becomes *du Caire*. A capital
article counts as part of a surname, *de Le Corbusier*."""

FRENCH_CONTRACTION = NamedSoundRule(
    "french-contraction",
    french_contractions,
    change="*de le* → *du*, *de les* → *des*, *à le* → *au*, *à les* → *aux*",
    examples=("de le Maroc", "à les Pays-Bas"),
    languages=("fr",),
)
