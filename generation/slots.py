"""The grammar of question templates: ``[subj1:dem]``, ``[p_act:neg]``, ``[mask]``, ``[g?m=…|f=…]``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = [
    "CASES", "GRAMMAR", "Features", "Piece", "Run", "Slot", "SlotError", "features", "form_key", "genders",
    "in_gender", "parse", "plain_text",
]  # fmt: skip

Features = frozenset[str]
"""The features of a form, such as {dem, f}; the base form has none."""

CASES = frozenset(
    {"nom", "acc", "dat", "gen", "ins", "loc", "abl", "pre", "voc", "erg", "obl", "dir", "com", "ess"}
)
"""The features that are grammatical cases; the two subjects of a context may differ in case."""
GRAMMAR = CASES | {"sg", "du", "pl", "m", "f", "n", "c", "def", "indef"}
"""The features that a pack can make its defaults: cases, numbers, genders and definiteness."""

SLOTS = ("subj1", "subj2", "p_act", "l_act", "mask")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"([a-z]+_?[a-z0-9]*)(?::([\w.]+))?")
_RUN = re.compile(r"(?:(subj[12])\.)?g\?(.*)", re.DOTALL)


class SlotError(ValueError):
    """A text breaks the grammar; the message says how and where."""


@dataclass(frozen=True)
class Slot:
    """A position for a subject, an attribute or the mask."""

    name: str
    """One of `SLOTS`."""
    features: Features | None
    """The form that the slot needs; None for a mask that takes the form of the context."""


@dataclass(frozen=True)
class Run:
    """A choice of words by gender."""

    subject: str
    """subj1 or subj2; empty for the gender that both subjects share."""
    values: tuple[tuple[str, str], ...]
    """Pairs of a gender and its words, in the order of the text."""


Piece = str | Slot | Run


def features(key: str) -> Features:
    """Return the features of a form's key: ``neg.pl`` and ``pl.neg`` are the same; base and "" have none.

    Raises SlotError.
    """
    if key in ("", "base"):
        return frozenset()
    parts = key.split(".")
    if (
        "base" in parts
        or not all(re.fullmatch(r"[A-Za-z0-9]+", p) for p in parts)
        or len(set(parts)) < len(parts)
    ):
        raise SlotError(f"{key!r} is not a form: write features separated by dots, such as dem.f")
    return frozenset(parts)


def parse(text: str, defaults: Features = frozenset()) -> tuple[Piece, ...]:
    """Return the pieces of ``text``; raises SlotError for a bracket or brace outside a slot.

    ``defaults`` are the default features; the returned slots do not have them.
    """
    pieces: list[Piece] = []
    at = 0
    for match in _BRACKETS.finditer(text):
        pieces.append(_plain(text[at : match.start()]))
        pieces.append(_piece(match[1], defaults))
        at = match.end()
    pieces.append(_plain(text[at:]))
    return tuple(p for p in pieces if p != "")


def _plain(text: str) -> str:
    stray = next((c for c in text if c in "[]{}"), None)
    if stray:
        raise SlotError(f"{text[:60]!r} has a stray {stray!r}")
    return text


def _piece(inside: str, defaults: Features) -> Piece:
    run = _RUN.fullmatch(inside)
    if run:
        parts = [part.partition("=") for part in run[2].split("|")]
        values = tuple((gender, _plain(words)) for gender, _, words in parts)
        if len(values) < 2 or len({g for g, _ in values}) < len(values):
            raise SlotError(f"[{inside}] needs words for two genders or more: [g?m=…|f=…]")
        if not all(equals and re.fullmatch(r"[a-z]+", gender) for gender, equals, _ in parts):
            raise SlotError(f"[{inside}] has a part without a gender: [g?m=…|f=…]")
        return Run(run[1] or "", values)
    slot = _SLOT.fullmatch(inside)
    if not slot or slot[1] not in SLOTS:
        raise SlotError(
            f"[{inside}] is not a slot; the slots are {', '.join(f'[{s}]' for s in SLOTS)} and [g?…]"
        )
    # [mask] takes the form of the context, [mask:nom] the form nom
    wanted = None if slot[1] == "mask" and not slot[2] else features(slot[2] or "") - defaults
    return Slot(slot[1], wanted)


def genders(texts: Iterable[tuple[Piece, ...]]) -> tuple[str, ...]:
    """Return the genders in the shared runs of ``texts``; ("",) if there are no shared runs.

    Raises SlotError if two runs name different genders.
    """
    gender_sets = {
        tuple(g for g, _ in p.values) for t in texts for p in t if isinstance(p, Run) and not p.subject
    }
    if len({frozenset(f) for f in gender_sets}) > 1:
        raise SlotError("two [g?…] of one template name different genders")
    return min(gender_sets, default=("",))


def in_gender(text: tuple[Piece, ...], gender: str) -> tuple[Piece, ...]:
    """Return ``text`` with the words for ``gender`` in its shared runs."""
    return tuple(_words(p, gender) if isinstance(p, Run) and not p.subject else p for p in text)


def _words(run: Run, gender: str) -> str:
    return dict(run.values)[gender]


def form_key(forms: Mapping[Features, str], key: Features, gender: str) -> Features | None:
    """Return the key of the form with the features ``key`` and ``gender``, else of the form without gender.

    None if neither form exists.
    """
    return next((k for k in (key | {gender} if gender else key, key) if k in forms), None)


def plain_text(text: str) -> tuple[str, tuple[int, int] | None]:
    """Return a form's text without braces, and the range between them; None if there are no braces.

    Raises SlotError if there are other brackets, several pairs of braces, or nothing between them.
    """
    before, opening, rest = text.partition("{")
    inside, closing, after = rest.partition("}")
    if opening and closing and inside.strip() == inside != "":
        text, answer = before + inside + after, (len(before), len(before) + len(inside))
    else:
        answer = None
    if any(c in text for c in "[]{}"):
        raise SlotError(f"{text!r} contains a bracket")
    return text, answer
