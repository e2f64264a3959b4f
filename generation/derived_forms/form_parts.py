"""What a derivation gets and gives: the listed forms of a subject, and a derived one in two parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain, combinations

from nextset.generation.questions.slots import Features

__all__ = ["Derivation", "DerivedForm", "base_form"]

_UNMARKED = ("nom", "sg")


@dataclass(frozen=True)
class DerivedForm:
    """A form that a rule made of a listed one."""

    stem: str
    """The word, as it stands before the suffix."""
    suffix: str
    """A suffix that can be told from the word, with its apostrophe; empty if the ending changed the word."""

    @property
    def text(self) -> str:
        """The whole form."""
        return self.stem + self.suffix


Derivation = Callable[[Mapping[Features, str], Features], DerivedForm | None]
"""From the listed forms of a subject or an attribute and the features of the wanted one to that form; None
if no form of its features can be derived, or no rule is safe for the word."""


def base_form(forms: Mapping[Features, str], features: Features) -> str | None:
    """Return the listed form with ``features``, whether or not it names nominative and singular.

    None if there is none, or if it is empty.
    """
    marks = chain.from_iterable(combinations(_UNMARKED, n) for n in range(len(_UNMARKED) + 1))
    listed = (forms.get(features | frozenset(mark)) for mark in marks)
    return next((text for text in listed if text is not None), None) or None
