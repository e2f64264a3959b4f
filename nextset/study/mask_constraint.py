"""The grammar of mask constraints, such as ``{{MASK:adj|noun.plural}}``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nextset.files.yaml_values import WrongValue

__all__ = ["CATEGORIES", "FORMS", "LIST_NAME", "MaskConstraint", "parse_constraint", "parse_form"]

CATEGORIES = {
    "adj": ("positive", "comparative", "superlative"),
    "adv": (),
    "noun": ("singular", "plural"),
    "verb": ("base", "past", "third", "ing", "participle"),
}
"""The categories of words, and the forms of each."""
FORMS = tuple(f"{category}.{form}" for category, forms in CATEGORIES.items() for form in forms)
"""The forms as written in a mask, such as verb.base."""
LIST_NAME = re.compile(r"(?!(?:in|not)\Z)[a-z][a-z0-9_]{0,63}")
"""The name of a list of words."""

_REMEDY = (
    "write {{MASK}}, {{MASK:adj}}, {{MASK:adj|noun.plural}}, {{MASK:in NAME_OF_A_LIST}} or "
    "{{MASK:adj not NAME_OF_A_LIST}}"
)
_KNOWN = f"use a category ({', '.join(CATEGORIES)}) or a form ({', '.join(FORMS)})"


@dataclass(frozen=True)
class MaskConstraint:
    """The words that a mask takes; an empty constraint takes every word."""

    categories: tuple[str, ...] = ()
    """Categories or forms, such as adj or noun.plural; a word needs one of them; empty for all."""
    within: str = ""
    """The name of the list that a word must be in; may be empty."""
    without: str = ""
    """The name of the list that a word must not be in; may be empty."""

    def __str__(self) -> str:
        parts = ("|".join(self.categories), self.within and f"in {self.within}")
        return " ".join(p for p in (*parts, self.without and f"not {self.without}") if p)

    @property
    def lists(self) -> tuple[str, ...]:
        """The names of the lists in the constraint."""
        return tuple(name for name in (self.within, self.without) if name)

    def takes(self, category: str) -> bool:
        """Return whether one of its categories is ``category`` or a form of it."""
        return any(c.partition(".")[0] == category for c in self.categories)


def parse_constraint(text: str) -> MaskConstraint:
    """Return the constraint in ``text``, such as ``adj|verb.ing not colours``; an empty one for empty text.

    Raises WrongValue with a remedy for any other text.
    """
    _refuse_spaces(text)
    if not text:
        return MaskConstraint()
    words = text.split(" ")
    categories = () if words[0] in ("in", "not") else tuple(words.pop(0).split("|"))
    for at, category in enumerate(categories):
        if category not in (*CATEGORIES, *FORMS):
            raise WrongValue(f"{category!r} in {text!r} is neither a category nor a form", _KNOWN)
        if category in categories[:at]:
            raise WrongValue(f"{category!r} is repeated in {text!r}", "write it once")
    named = {"in": "", "not": ""}
    for key in ("in", "not"):
        if words[:1] == [key] and words[1:2] not in ([], [""]):
            named[key] = words[1]
            del words[:2]
    if words:
        raise WrongValue(f"{text!r} is not a constraint of a mask", _REMEDY)
    for name in filter(None, named.values()):
        if not LIST_NAME.fullmatch(name):
            raise WrongValue(
                f"{name!r} is not the name of a list",
                "name a list in small letters, digits and _, such as occupations",
            )
    if named["in"] and named["in"] == named["not"]:
        raise WrongValue(f"{text!r} excludes every word", "name two different lists")
    return MaskConstraint(categories, named["in"], named["not"])


def parse_form(text: str) -> str:
    """Return the form that ``text`` names, such as verb.base; empty for the word unchanged.

    Raises WrongValue with a remedy for any other text.
    """
    _refuse_spaces(text)
    if text and text not in FORMS:
        raise WrongValue(
            f"{text!r} is not a form",
            f"write {{{{MASK}}}}, or {{{{MASK:FORM}}}} with one of {', '.join(FORMS)}",
        )
    return text


def _refuse_spaces(text: str) -> None:
    """Raise WrongValue for spaces at an end, around ``|``, or two in a row."""
    bare = re.sub(r"\s*([|.])\s*", r"\1", " ".join(text.split()))
    if text != bare:
        raise WrongValue(f"extra spaces in {text!r}", f"write {bare!r}" if bare else _REMEDY)
