"""Spanish *a el* is *al*, *de el* is *del*; a name keeps its article: *de El Salvador*."""

from __future__ import annotations

from nextset.generation.sound_rules.contraction import contraction

__all__ = ["spanish_contractions"]

spanish_contractions = contraction({("a", "el"): "al", ("de", "el"): "del"})
"""The two contractions of Spanish (RAE, Diccionario panhispánico de dudas: *al*, *del*); *él* has none."""
