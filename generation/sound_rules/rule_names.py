"""The sound rules that a language pack can name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from nextset.generation.sound_rules.english_articles import articles_by_sound
from nextset.generation.sound_rules.text_edits import SoundRule

__all__ = ["RULES", "named_rules"]

Aspirated = frozenset[str]
"""First words, in lower case, that begin with a consonant sound though not with a consonant letter."""


def _plain(rule: SoundRule, _: Aspirated) -> SoundRule:
    return rule


RULES: Mapping[str, Callable[[Aspirated], SoundRule]] = {"a-an": partial(_plain, articles_by_sound)}
"""From the words that a pack marks with ``h: aspire`` to the rule, by its name."""


def named_rules(names: Sequence[str], aspirated: Aspirated) -> tuple[SoundRule, ...]:
    """Return the rules ``names`` in their order; raises KeyError for a name that is none."""
    return tuple(RULES[name](aspirated) for name in names)
