"""The number of tokens of a subject in its context or at a mask, according to a model's own tokenizer."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.scoring.masks.whole_words import mask_takes_blank, pieces_by_itself, tokens_over
from nextset.scoring.masks.word_pattern import MASK
from nextset.scoring.models.own_tokenizer import own_tokenizer
from nextset.scoring.models.sources import ModelSource

__all__ = ["MaskPlace", "Place", "candidate_token_counts", "subject_token_counts"]

Place = tuple[str, int, int]
"""A context, the subject's first character in it, and the character after its last."""
MaskPlace = tuple[str, str]
"""A text with {{MASK}}, and the subject that replaces it."""


def subject_token_counts(source: ModelSource, places: Sequence[Place]) -> list[int | None] | None:
    """Return the number of tokens of each subject; None for a subject that the tokenizer does not know.

    The whole result is None for a model without its own tokenizer, such as a model behind a server. A
    reader's score is computed from the probabilities of the first and the last token, so subjects with more
    tokens have a disadvantage or an advantage (Li et al. 2020, section 4). Raises ModelError for a damaged
    file.
    """
    tokenizer = own_tokenizer(source)
    if tokenizer is None:
        return None
    backend, unknown = tokenizer.backend_tokenizer, tokenizer.unk_token_id
    encodings = backend.encode_batch([context for context, _, _ in places], add_special_tokens=False)
    counts = []
    for encoding, (_, start, end) in zip(encodings, places, strict=True):
        own = [t for t, (a, b) in zip(encoding.ids, encoding.offsets, strict=True) if a < end and b > start]
        counts.append(None if unknown in own or not own else len(own))
    return counts


def candidate_token_counts(source: ModelSource, places: Sequence[MaskPlace]) -> list[int | None] | None:
    """Return the number of tokens of each subject at its mask; None as in `subject_token_counts`.

    A masked language model is asked once per token. The number is also None for a subject that the tokenizer
    does not read as whole tokens there, and the whole result is None for a model without a mask token.
    """
    tokenizer = own_tokenizer(source)
    if tokenizer is None or tokenizer.mask_token is None:
        return None
    backend, unknown, mask = tokenizer.backend_tokenizer, tokenizer.unk_token_id, tokenizer.mask_token
    masked = list(dict.fromkeys(text for text, _ in places))
    texts = [text.replace(MASK, mask) for text in masked]
    takes = {
        text: tokenizer.mask_token_id in e.ids and mask_takes_blank(e, written, tokenizer.mask_token_id)
        for text, written, e in zip(masked, texts, backend.encode_batch(texts), strict=True)
    }
    filled = [text.replace(MASK, subject) for text, subject in places]
    counts = []
    for encoding, written, (text, subject) in zip(backend.encode_batch(filled), filled, places, strict=True):
        start = text.index(MASK)
        over = tokens_over(encoding, written, start, start + len(subject), takes[text])
        own = [encoding.ids[i] for i in over] or pieces_by_itself(
            backend, mask, tokenizer.mask_token_id, written, start, start + len(subject)
        )
        counts.append(None if unknown in own or not own else len(own))
    return counts
