"""Italian prepositions that merge with an article: *di il* is *del*, *in gli* is *negli*."""

from __future__ import annotations

from nextset.generation.sound_rules.contraction import contraction
from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule

__all__ = ["ITALIAN_CONTRACTION", "italian_contractions"]

_STEMS = {"di": "de", "a": "a", "da": "da", "in": "ne", "su": "su"}
_ENDINGS = {"il": "l", "lo": "llo", "la": "lla", "i": "i", "gli": "gli", "le": "lle", "l’": "ll’"}

italian_contractions = contraction(
    {
        (preposition, article): stem + ending
        for preposition, stem in _STEMS.items()
        for article, ending in _ENDINGS.items()
    }
)
"""The contractions of *di, a, da, in, su* with every article; *con* and *per* are written separately."""

ITALIAN_CONTRACTION = NamedSoundRule(
    "italian-contraction",
    italian_contractions,
    change="*di, a, da, in, su* with *il, lo, la, i, gli, le, l’*",
    examples=("di il Marocco", "in gli Stati Uniti"),
    languages=("it",),
)
