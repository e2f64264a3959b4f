"""The rendered texts of a template of choices for two people and the words of its lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nextset.generation.questions.pack_choices.choice_pieces import ChoicePiece, MaskPiece, WordPiece
from nextset.generation.questions.question_set import Subject
from nextset.generation.slots import Run, Slot, form_key
from nextset.generation.sound_rules.text_edits import SoundRule, apply_rules
from nextset.letter_case import begins_sentence, capitalised
from nextset.scoring.masks.word_pattern import MASK

__all__ = ["ChoiceRenderer"]


@dataclass(frozen=True)
class ChoiceRenderer:
    """A renderer of texts in one language."""

    language: str
    """BCP 47 tag."""
    gender: str
    """The gender that both people share; may be empty."""
    rules: Sequence[SoundRule]
    """The sound rules, which act at the borders of slots and words."""

    def text(self, pieces: Sequence[ChoicePiece], people: Sequence[Subject], words: Mapping[str, str]) -> str:
        """Return the text of ``pieces`` with ``people`` in [subj1] and [subj2]; masks stay open.

        A slot, word or choice of words that begins a sentence gets a capital.
        """
        text = ""
        borders: list[int] = []
        for piece in pieces:
            if isinstance(piece, str):
                text += piece
                continue
            if isinstance(piece, MaskPiece):
                text += MASK
                continue
            value = self._value(piece, people, words)
            at = len(text)
            text += capitalised(value, self.language) if self._begins(text, value) else value
            borders += (at, len(text))
        return apply_rules(text, self.rules, borders) if self.rules and borders else text

    def option(self, pieces: Sequence[ChoicePiece], person: Subject) -> str:
        """Return ``person`` as an option, with a capital."""
        return capitalised(self.text(pieces, (person, person), {}), self.language)

    def _begins(self, text: str, value: str) -> bool:
        return bool(value) and begins_sentence(text, len(text), self.language)

    def _value(
        self, piece: Slot | Run | WordPiece, people: Sequence[Subject], words: Mapping[str, str]
    ) -> str:
        if isinstance(piece, WordPiece):
            return words[piece.name]
        if isinstance(piece, Run):
            return dict(piece.values)[_person(piece.subject, people).gender]
        person = _person(piece.name, people)
        key = form_key(person.forms, piece.features or frozenset(), self.gender)
        assert key is not None, "the reader looked every form up"
        return person.forms[key]


def _person(slot: str, people: Sequence[Subject]) -> Subject:
    return people[0] if slot == "subj1" else people[1]
