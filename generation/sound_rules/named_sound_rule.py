"""Sound rules by name: the object that a package registers for each."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass

from nextset.generation.sound_rules.text_edits import SoundRule, apply_rules

__all__ = ["NamedSoundRule"]


@dataclass(frozen=True)
class NamedSoundRule:
    """A sound rule that language packs and template files can name in ``rules``.

    A package registers it under its name in the group nextset.sound_rules.
    """

    name: str
    """The rule's name, such as a-an."""
    rule: SoundRule
    """A function that returns the edits that a text needs, from left to right."""
    change: str
    """The change that the rule makes, for the reference page, in Markdown."""
    examples: tuple[str, ...]
    """Short texts that the rule changes, for the reference page."""
    languages: tuple[str, ...] = ()
    """The subtags of the languages whose normal spelling needs the rule; lint asks for it there."""
    after: tuple[str, ...] = ()
    """The names of rules that act first: *da il Iran* becomes first *dal Iran*, and then *dall’Iran*."""
    with_aspirated: Callable[[Set[str]], SoundRule] | None = None
    """A function that makes the rule from the words, in lower case, that a pack marks with ``h: aspire``."""

    def made(self, aspirated: frozenset[str] = frozenset()) -> SoundRule:
        """Return the rule for a pack that marks the words ``aspirated`` with ``h: aspire``."""
        return self.with_aspirated(aspirated) if self.with_aspirated and aspirated else self.rule

    def changed(self) -> tuple[str, ...]:
        """Return the examples after the rule."""
        return tuple(apply_rules(text, [self.rule]) for text in self.examples)
