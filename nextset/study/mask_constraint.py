"""The grammar of mask constraints, such as ``{{MASK:adj like dirty, filthy, unlike clean, tidy}}``."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
_KEYWORDS = ("in", "not", "only", "like", "unlike")
LIST_NAME = re.compile(rf"(?!(?:{'|'.join(_KEYWORDS)})\Z)[a-z][a-z0-9_]{{0,63}}")
"""The name of a list of words."""

_ANCHORS = re.compile(r"(?:(?P<rest>.*?) )??(?P<only>only )?like (?P<like>.+?)(?:,? unlike (?P<unlike>.+))?")
_REMEDY = (
    "write {{MASK}}, {{MASK:adj}}, {{MASK:adj|noun.plural}}, {{MASK:in NAME_OF_A_LIST}}, "
    "{{MASK:adj not NAME_OF_A_LIST}} or {{MASK:adj like dirty, filthy, unlike clean, tidy}}"
)
_KNOWN = f"use a category ({', '.join(CATEGORIES)}) or a form ({', '.join(FORMS)})"


@dataclass(frozen=True)
class MaskConstraint:
    """The words that a mask takes, and what they make of its sentence; an empty one takes every word."""

    categories: tuple[str, ...] = ()
    """Categories or forms, such as adj or noun.plural; a word needs one of them; empty for all."""
    within: str = ""
    """The name of the list that a word must be in; may be empty."""
    without: str = ""
    """The name of the list that a word must not be in; may be empty."""
    like: tuple[str, ...] = ()
    """Words, or names of lists of words, with which the sentence makes the template's claim."""
    unlike: tuple[str, ...] = ()
    """Words, or names of lists of words, with which it makes the opposite claim."""
    only: bool = False
    """True if the mask takes only the words of ``like`` and ``unlike``."""

    def __str__(self) -> str:
        parts = ["|".join(self.categories), self.within and f"in {self.within}"]
        parts += [self.without and f"not {self.without}", "only" if self.only else ""]
        anchors = [f"{key} {', '.join(words)}" for key, words in self._anchors if words]
        return " ".join(p for p in (*parts, ", ".join(anchors)) if p)

    @property
    def _anchors(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return (("like", self.like), ("unlike", self.unlike))

    @property
    def lists(self) -> tuple[str, ...]:
        """The names of the lists that words must be in, or must not be in."""
        return tuple(name for name in (self.within, self.without) if name)

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of its lists and its anchors, of which any may be the name of a list."""
        return (*self.lists, *self.like, *self.unlike)

    @property
    def listed(self) -> bool:
        """Whether the mask takes only words that are listed."""
        return bool(self.within) or self.only

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
    anchors = _ANCHORS.fullmatch(text)
    rest = text if anchors is None else anchors["rest"] or ""
    words = rest.split(" ") if rest else []
    if not {"unlike", "only"}.isdisjoint(words):
        raise WrongValue(
            f"{text[:80]!r} has unlike or only without like after only or before unlike",
            "write the words that make the claim first: only like dirty, filthy, unlike clean, tidy",
        )
    categories = () if words[:1] in ([], ["in"], ["not"]) else tuple(words.pop(0).split("|"))
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
    if anchors is None:
        return MaskConstraint(categories, named["in"], named["not"])
    like, unlike = (tuple(anchors[key].split(", ")) if anchors[key] else () for key in ("like", "unlike"))
    _check_anchors(text, (*like, *unlike))
    only = bool(anchors["only"])
    if only and named["in"]:
        raise WrongValue(
            f"{text!r} has in and only", "remove only: in names the list that all words are of; or remove in"
        )
    return MaskConstraint(categories, named["in"], named["not"], like, unlike, only)


def _check_anchors(text: str, words: Sequence[str]) -> None:
    """Raise WrongValue for an empty or repeated word, and for a keyword in place of a word."""
    seen: set[str] = set()
    for word in words:
        if not word or "," in word or not {"like", "unlike", "only"}.isdisjoint(word.split(" ")):
            raise WrongValue(
                f"{text[:80]!r} has {word[:60]!r} in place of a word",
                "write words or names of lists, with commas: like dirty, filthy, unlike clean, tidy",
            )
        if word in seen:
            raise WrongValue(
                f"{word!r} is repeated in {text[:80]!r}", "write it once, after like or after unlike"
            )
        seen.add(word)


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
    """Raise WrongValue for spaces at an end, around ``|``, before a comma, or two in a row."""
    bare = re.sub(r"\s*([|.])\s*", r"\1", " ".join(text.split()))
    bare = re.sub(r"\s*,\s*", ", ", bare).strip(" ,") if "," in bare else bare
    if text != bare:
        extra = "extra spaces or commas" if "," in text else "extra spaces"
        raise WrongValue(f"{extra} in {text!r}", f"write {bare!r}" if bare else _REMEDY)
