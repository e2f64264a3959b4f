"""A digest of a language pack's texts, which shows whether they changed after a native speaker's check."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from nextset.generation.questions.pack_choices.choice_pieces import ChoicePiece, MaskPiece, WordPiece
from nextset.generation.questions.pack_choices.choice_template import PackChoices
from nextset.generation.questions.question_set import QuestionSet, Subject
from nextset.generation.slots import Piece, Run, Slot

__all__ = ["texts_digest"]


def texts_digest(
    sets: Iterable[QuestionSet], rules: Sequence[str], choices: PackChoices | None = None
) -> str:
    """Return 16 hex digits: BLAKE2b over the subjects and the texts of a pack's templates.

    ``rules`` are the names of the pack's sound rules, and ``choices`` its templates of choices. Clusters,
    sources, comments and the order of entries are ignored.
    """
    parts: set[str] = {json.dumps(["rules", *rules])}
    for s in sets:
        place = [s.name, s.form, s.pairs]
        for subject in (one for listed in s.subjects for one in listed):
            parts.add(json.dumps([*place, *_person(subject)]))
        for t in s.templates:
            asked = sorted((a.attribute.name, a.text, a.negated) for a in t.by_attribute)
            mask = sorted(t.mask_form)
            parts.add(json.dumps([*place, t.id, [_piece(piece) for piece in t.context], mask, asked]))
    if choices is not None:
        parts.update(json.dumps(part) for part in _choice_parts(choices))
    return blake2b("\n".join(sorted(parts)).encode(), digest_size=8).hexdigest()


def _choice_parts(choices: PackChoices) -> Iterator[list[object]]:
    yield ["unknown", *sorted(choices.unknown)]
    for t in choices.templates:
        texts = [[_choice_piece(piece) for piece in text] for text in t.texts.all]
        yield ["choice", t.category, t.id, texts, [[name, *sorted(t.words[name])] for name in t.words]]
        yield from (
            ["choice", t.category, t.id, *_person(s)] for _, people in t.people.of_cues() for s in people
        )


def _person(subject: Subject) -> list[object]:
    forms = sorted([sorted(key), text, list(subject.answer(key))] for key, text in subject.forms.items())
    return [subject.name, subject.gender, sorted(subject.within), forms]


def _choice_piece(piece: ChoicePiece) -> list[object]:
    if isinstance(piece, WordPiece):
        return ["word", piece.name]
    return ["mask", str(piece.constraint)] if isinstance(piece, MaskPiece) else _piece(piece)


def _piece(piece: Piece) -> list[object]:
    if isinstance(piece, Slot):
        return [piece.name, sorted(piece.features or ())]
    return [piece.subject, *piece.values] if isinstance(piece, Run) else [piece]
