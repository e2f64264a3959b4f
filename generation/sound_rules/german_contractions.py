"""German prepositions that merge with an article: *in dem* is *im*, *zu der* is *zur*."""

from __future__ import annotations

from nextset.generation.sound_rules.contraction import contraction
from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule

__all__ = ["GERMAN_CONTRACTION", "german_contractions"]

german_contractions = contraction(
    {
        ("in", "dem"): "im",
        ("in", "das"): "ins",
        ("an", "dem"): "am",
        ("an", "das"): "ans",
        ("zu", "dem"): "zum",
        ("zu", "der"): "zur",
        ("von", "dem"): "vom",
        ("bei", "dem"): "beim",
    }
)
"""The contractions of every register; colloquial ones such as *aufs* and *hinterm* are left to the writer.

If *in dem* means *in that one* in a pack, it should not name the rule: a demonstrative does not merge.
"""

GERMAN_CONTRACTION = NamedSoundRule(
    "german-contraction",
    german_contractions,
    change="*in dem* → *im*, *zu der* → *zur*, and similar",
    examples=("in dem Irak", "zu der Türkin"),
    languages=("de",),
)
