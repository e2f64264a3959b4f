"""The input and output of a derivation: the listed forms of a subject, and a derived form in two parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain, combinations

from nextset.generation.slots import Features

__all__ = ["Derivation", "DerivedForm", "base_form"]

_UNMARKED = ("nom", "sg")


@dataclass(frozen=True)
class DerivedForm:
    """A form that a rule made from a listed one."""

    stem: str
    """The word as it is before the suffix."""
    suffix: str
    """A suffix that is distinct from the word, with its apostrophe; empty if the ending changed the word."""

    @property
    def text(self) -> str:
        """The whole form."""
        return self.stem + self.suffix


Derivation = Callable[[Mapping[Features, str], Features], DerivedForm | None]
"""A function that returns a form of a subject or attribute, given its listed forms and the form's features.

It returns None if no form with these features can be derived, or if no rule is safe for the word.
"""


def base_form(forms: Mapping[Features, str], features: Features) -> str | None:
    """Return the listed form with ``features``; features for nominative and singular may be omitted in it.

    None if there is no such form, or if it is empty.
    """
    marks = chain.from_iterable(combinations(_UNMARKED, n) for n in range(len(_UNMARKED) + 1))
    listed = (forms.get(features | frozenset(mark)) for mark in marks)
    return next((text for text in listed if text is not None), None) or None
