"""The grammar of a choice template's texts: slots and runs as in question templates, words and masks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nextset.generation.slots import Features, Piece, Run, Slot, SlotError, parse
from nextset.study.mask_constraint import MaskConstraint, parse_constraint

__all__ = [
    "PEOPLE",
    "ChoicePiece",
    "MaskPiece",
    "WordPiece",
    "masks_in",
    "parsed_text",
    "slots_in",
    "subject_runs",
    "with_gender",
    "words_in",
]

PEOPLE = ("subj1", "subj2")
"""The slots of the two people."""
_BRACES = re.compile(r"\{\{([^{}]*)\}\}")
_WORD = re.compile(r"[A-Z][A-Z0-9_]{0,63}")


@dataclass(frozen=True)
class WordPiece:
    """A position for a word of a list."""

    name: str
    """The list's name, such as PLACE."""


@dataclass(frozen=True)
class MaskPiece:
    """A position that a model fills."""

    constraint: MaskConstraint
    """The words that the mask takes."""


ChoicePiece = Piece | WordPiece | MaskPiece


def parsed_text(text: str, defaults: Features = frozenset()) -> tuple[ChoicePiece, ...]:
    """Return the pieces of ``text``; ``defaults`` are the default features, which slots omit.

    Raises SlotError for a bracket or brace outside a slot, and WrongValue for a constraint of a mask.
    """
    pieces: list[ChoicePiece] = []
    at = 0
    for match in _BRACES.finditer(text):
        pieces += _slots(text[at : match.start()], defaults)
        pieces.append(_in_braces(match[1]))
        at = match.end()
    pieces += _slots(text[at:], defaults)
    return tuple(pieces)


def _slots(text: str, defaults: Features) -> tuple[Piece, ...]:
    pieces = parse(text, defaults)
    for piece in pieces:
        if isinstance(piece, Slot) and piece.name not in PEOPLE:
            raise SlotError(f"[{piece.name}] is not a person: the slots are [subj1], [subj2] and [g?…]")
    return pieces


def _in_braces(inside: str) -> WordPiece | MaskPiece:
    name, colon, constraint = inside.partition(":")
    if name == "MASK":
        if colon and not constraint:
            raise SlotError("{{MASK:}} names no kind of word: write {{MASK:adj}} or {{MASK}}")
        return MaskPiece(parse_constraint(constraint))
    if not _WORD.fullmatch(inside):
        raise SlotError(f"{{{{{inside[:60]}}}}} is not a name: write capitals, as in {{{{PLACE}}}}")
    return WordPiece(inside)


def slots_in(text: tuple[ChoicePiece, ...]) -> Iterator[Slot]:
    """Yield the slots of ``text`` from left to right."""
    return (piece for piece in text if isinstance(piece, Slot))


def subject_runs(text: tuple[ChoicePiece, ...]) -> Iterator[Run]:
    """Yield the choices of words by the gender of one person in ``text``."""
    return (piece for piece in text if isinstance(piece, Run) and piece.subject)


def words_in(text: tuple[ChoicePiece, ...]) -> Iterator[str]:
    """Yield the names of the lists of words in ``text``, from left to right."""
    return (piece.name for piece in text if isinstance(piece, WordPiece))


def masks_in(text: tuple[ChoicePiece, ...]) -> Iterator[MaskConstraint]:
    """Yield the constraints of the masks in ``text``, from left to right."""
    return (piece.constraint for piece in text if isinstance(piece, MaskPiece))


def with_gender(text: tuple[ChoicePiece, ...], gender: str) -> tuple[ChoicePiece, ...]:
    """Return ``text`` with the words for ``gender`` in its shared runs."""
    pieces = (dict(p.values)[gender] if isinstance(p, Run) and not p.subject else p for p in text)
    return tuple(piece for piece in pieces if piece != "")
