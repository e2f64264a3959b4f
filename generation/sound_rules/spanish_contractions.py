"""Spanish *a el* is *al*, *de el* is *del*; a name keeps its article: *de El Salvador*."""

from __future__ import annotations

from nextset.generation.sound_rules.contraction import contraction
from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule

__all__ = ["SPANISH_CONTRACTION", "spanish_contractions"]

spanish_contractions = contraction({("a", "el"): "al", ("de", "el"): "del"})
"""The two contractions of Spanish (RAE, Diccionario panhispánico de dudas: *al*, *del*); *él* has none."""

SPANISH_CONTRACTION = NamedSoundRule(
    "spanish-contraction",
    spanish_contractions,
    change="*a el* → *al*, *de el* → *del*, but not before *El*",
    examples=("de el Reino Unido", "a el peruano"),
    languages=("es",),
)
