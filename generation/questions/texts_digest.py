"""A digest of a language pack's texts, which shows whether they changed after a native speaker's check."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from nextset.generation.questions.question_set import QuestionSet
from nextset.generation.slots import Piece, Run, Slot

__all__ = ["texts_digest"]


def texts_digest(sets: Iterable[QuestionSet], rules: Sequence[str]) -> str:
    """Return 16 hex digits: BLAKE2b over the subjects, contexts, questions and statements of a pack.

    ``rules`` are the names of the pack's sound rules. Clusters, sources, comments and the order of entries
    are ignored.
    """
    parts: set[str] = {json.dumps(["rules", *rules])}
    for s in sets:
        place = [s.name, s.form, s.pairs]
        for subject in (one for listed in s.subjects for one in listed):
            forms = sorted(
                [sorted(key), text, list(subject.answer(key))] for key, text in subject.forms.items()
            )
            parts.add(json.dumps([*place, subject.name, subject.gender, sorted(subject.within), forms]))
        for t in s.templates:
            asked = sorted((a.attribute.name, a.text, a.negated) for a in t.by_attribute)
            mask = sorted(t.mask_form)
            parts.add(json.dumps([*place, t.id, [_piece(piece) for piece in t.context], mask, asked]))
    return blake2b("\n".join(sorted(parts)).encode(), digest_size=8).hexdigest()


def _piece(piece: Piece) -> list[object]:
    if isinstance(piece, Slot):
        return [piece.name, sorted(piece.features or ())]
    return [piece.subject, *piece.values] if isinstance(piece, Run) else [piece]
