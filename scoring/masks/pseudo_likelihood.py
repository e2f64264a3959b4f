"""Pseudo-log-likelihood: the probability of words and whole sentences by a masked language model.

Each token is masked and scored with the rest of the sentence visible (Salazar et al. 2020). The later tokens
of the same word are also masked, so that they do not reveal the word (within-word left to right: Kauf and
Ivanova 2023).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nextset.errors import ModelError
from nextset.scoring.masks.logits import MaskLogits, Query
from nextset.scoring.masks.masked_text import Masked, encodings_of
from nextset.scoring.masks.whole_words import mask_takes_blank, pieces_by_itself, tokens_over
from nextset.scoring.masks.word_pattern import MASK, touches
from nextset.scoring.models.loading import Loaded

__all__ = ["PseudoLogLikelihood", "TargetQueries", "of_sentences", "of_targets", "target_queries"]

TargetQueries = list[tuple[Query, int]]
"""The queries that score a text, each with the token whose log probability counts."""


@dataclass(frozen=True, slots=True)
class PseudoLogLikelihood:
    """The pseudo-log-likelihood of a sentence."""

    total: float
    """The sum over its tokens (natural logarithm)."""
    tokens: int
    """The number of its tokens, without special tokens."""

    @property
    def mean(self) -> float | None:
        """The mean per token; None if there are no tokens."""
        return self.total / self.tokens if self.tokens else None


def of_targets(logits: MaskLogits, sentences: Sequence[Masked], targets: Sequence[str]) -> list[float]:
    """Return the joint log probability of each target's tokens at the one mask of its sentence.

    It is the sum over the `target_queries`; raises ModelError like that function.
    """
    per_target = target_queries(logits.loaded, sentences, targets)
    return _sums(
        logits.log_probabilities([one for queries in per_target for one in queries]),
        list(map(len, per_target)),
    )


def target_queries(
    loaded: Loaded, sentences: Sequence[Masked], targets: Sequence[str]
) -> list[TargetQueries]:
    """Return the queries for the joint log probability of each target at the one mask of its sentence.

    A target of k tokens has k queries: for each token, the earlier ones are in place, and it and the later
    ones are masked. The rest of the sentence is tokenised with the target in it. In a script without spaces,
    a token may extend over the end of the target; then the rest is tokenised with a mask in it. Raises
    ModelError like `encodings_of`, for a sentence that is too long with its target or does not have exactly
    one mask, and for a target that the tokenizer does not read as whole tokens there.
    """
    mask, number = loaded.tokenizer.mask_token, loaded.tokenizer.mask_token_id
    around = encodings_of(loaded, sentences)
    takes_blank = {
        masked: mask_takes_blank(encoding, masked.sentence.replace(MASK, mask), number)
        for masked, encoding in around.items()
    }
    pairs = list(zip(sentences, targets, strict=True))
    encodings = _encoded(loaded, [(m.premise, m.sentence.replace(MASK, t)) for m, t in pairs])
    return [
        _left_to_right(
            loaded, *_placed(loaded, masked, target, encoding, around[masked], takes_blank[masked])
        )
        for (masked, target), encoding in zip(pairs, encodings, strict=True)
    ]


def of_sentences(logits: MaskLogits, sentences: Sequence[str]) -> list[PseudoLogLikelihood]:
    """Return the pseudo-log-likelihood of each sentence; raises ModelError for one that is too long."""
    queries: list[tuple[Query, int]] = []
    counts = []
    for encoding, text in zip(_encoded(logits.loaded, [("", s) for s in sentences]), sentences, strict=True):
        words = _words(encoding, text)
        for at in words:
            queries += _left_to_right(logits.loaded, encoding.ids, encoding.type_ids, at)
        counts.append(sum(map(len, words)))
    totals = _sums(logits.log_probabilities(queries), counts)
    return [PseudoLogLikelihood(total, n) for total, n in zip(totals, counts, strict=True)]


def _words(encoding: Any, text: str) -> list[list[int]]:
    """Return the places of the tokens of each word of ``text``; a token outside words is a word by itself.

    The words are found in the text, because some tokenizers treat a whole sentence as one word.
    """
    words: list[list[int]] = []
    end = 0  # the end of the last word in the text
    for i, special in enumerate(encoding.special_tokens_mask):
        if special:
            continue
        first, last = encoding.offsets[i]
        begins = first + len(text[first:last]) - len(text[first:last].lstrip())
        inside = end > 0 and begins < last and touches(text[end - 1]) and touches(text[begins])
        blank = bool(words) and end == first and text[end - 1 : end].isspace()
        if words and (first < end or (begins == end and inside) or blank):
            words[-1].append(i)
        else:
            words.append([i])
        end = max(end, last)
    return words


def _encoded(loaded: Loaded, texts: Sequence[tuple[str, str]]) -> list[Any]:
    """Return pairs of premise (may be empty) and sentence as tokens; raises ModelError if one is too long."""
    encodings = loaded.tokenizer.backend_tokenizer.encode_batch(
        [(premise, text) if premise else text for premise, text in texts]
    )
    loaded.checked([len(e.ids) for e in encodings], [text for _, text in texts])
    return list(encodings)


def _placed(
    loaded: Loaded, masked: Masked, target: str, encoding: Any, around: Any, takes_blank: bool
) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """Return the tokens with ``target`` at the one mask of ``masked``, their segments, and target's places.

    ``encoding`` is the sentence with the target, ``around`` the sentence with the mask.
    """
    if masked.sentence.count(MASK) != 1:
        raise ModelError(
            f"a sentence must have exactly one mask, and this one has {masked.sentence.count(MASK)}: "
            f"{masked.sentence[:80]!r}",
            remedy=f"write {MASK} exactly once in the sentence",
        )
    start = masked.sentence.index(MASK)
    text = masked.sentence.replace(MASK, target)
    at = tokens_over(encoding, text, start, start + len(target), takes_blank)
    if target and at:
        return encoding.ids, encoding.type_ids, at
    tokenizer = loaded.tokenizer
    pieces = pieces_by_itself(
        tokenizer.backend_tokenizer,
        tokenizer.mask_token,
        tokenizer.mask_token_id,
        text,
        start,
        start + len(target),
    )
    if not pieces:
        raise ModelError(
            f"the tokenizer does not read {target!r} as whole tokens in {masked.sentence[:80]!r}",
            remedy="put a space or a punctuation mark between the mask and the letters next to it",
        )
    ids, types = list(around.ids), list(around.type_ids)
    place = len(ids) - 1 - ids[::-1].index(tokenizer.mask_token_id)  # hidden words come before the mask
    ids[place : place + 1] = pieces
    types[place : place + 1] = [types[place]] * len(pieces)
    loaded.checked([len(ids)], [text])
    return ids, types, range(place, place + len(pieces))


def _left_to_right(
    loaded: Loaded, tokens: Sequence[int], types: Sequence[int], at: Sequence[int]
) -> TargetQueries:
    """Return a query for each token of ``at``: it and the later ones masked, the others in place."""
    mask = loaded.tokenizer.mask_token_id
    queries = []
    for n, i in enumerate(at):
        ids = list(tokens)
        for later in at[n:]:
            ids[later] = mask
        queries.append((Query(tuple(ids), tuple(types), i), tokens[i]))
    return queries


def _sums(logs: Sequence[float], counts: Sequence[int]) -> list[float]:
    """Return the sums of consecutive runs of ``logs``, whose lengths are ``counts``."""
    rest = iter(logs)
    return [sum(next(rest) for _ in range(n)) for n in counts]
