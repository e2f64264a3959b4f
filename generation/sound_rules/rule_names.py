"""The table of the sound rules that a language pack can name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from graphlib import TopologicalSorter
from typing import Annotated

from pydantic import BeforeValidator

from nextset.files.yaml_values import WrongValue
from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule
from nextset.generation.sound_rules.text_edits import SoundRule
from nextset.open_table import OpenTable

__all__ = ["SOUND_RULES", "RuleName", "named_rules", "packages_of_rules", "rules_of_language"]

SOUND_RULES: OpenTable[NamedSoundRule] = OpenTable("nextset.sound_rules", "sound rule")
"""The sound rules of nextset and of installed packages, by name."""


def _known(value: object) -> object:
    if not isinstance(value, str) or value not in SOUND_RULES:
        *names, last = map(repr, SOUND_RULES.names)
        raise WrongValue("not a known value", f"write {', '.join(names)} or {last}")
    return value


RuleName = Annotated[str, BeforeValidator(_known)]
"""A name in `SOUND_RULES`."""


def rules_of_language(language: str) -> tuple[RuleName, ...]:
    """Return the rules that the normal spelling of ``language`` needs, in the order in which they act."""
    subtag = language.split("-")[0]
    rules = {rule.name: rule for rule in SOUND_RULES if subtag in rule.languages}
    before = {name: [other for other in rule.after if other in rules] for name, rule in rules.items()}
    return tuple(TopologicalSorter(before).static_order())


def named_rules(names: Sequence[str], aspirated: frozenset[str] = frozenset()) -> tuple[SoundRule, ...]:
    """Return the rules ``names`` in their order.

    ``aspirated`` are the words that a pack marks with ``h: aspire``, in lower case. Raises InputError for an
    unknown name.
    """
    return tuple(SOUND_RULES[name].made(aspirated) for name in names)


def packages_of_rules(names: Iterable[str]) -> dict[str, str]:
    """Return the package, with its version, of each of the rules ``names`` that is not nextset's own."""
    return {name: SOUND_RULES.package(name) for name in sorted(set(names) - set(SOUND_RULES.own_names))}
