"""The match of an answer with the correct answers: exact match, F1 and AvNA, as in SQuAD's evaluation script.

Rajpurkar et al. 2016 and 2018: texts are compared in lower case, without ASCII punctuation, without the words
a, an and the, with single spaces. With several correct answers, the best match counts. Correct answers that
become empty by this are ignored. If a question has no correct answers, only the empty answer is correct.

In scripts without spaces between words, such as Chinese, Japanese, Thai, Khmer, Lao and Burmese, each letter
counts as a word, and punctuation of all scripts is removed, as in MLQA's script (Lewis et al. 2020).
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence

from nextset.text_tokens import all_pieces, is_unspaced

__all__ = ["answer_or_none_agrees", "exact_match", "has_answer", "normalized_answer", "token_f1"]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized_answer(text: str) -> str:
    """Return ``text`` in the form for comparing answers."""
    if not text.isascii() and any(map(is_unspaced, text)):
        text = "".join(c for c in text if unicodedata.category(c)[0] != "P")
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, right: Sequence[str]) -> float:
    """Return 1 if ``answer`` has the normalized text of one of the answers ``right``, else 0."""
    normalized = normalized_answer(answer)
    return float(any(normalized == one for one in _right(right)))


def token_f1(answer: str, right: Sequence[str]) -> float:
    """Return the highest F1 of the words of ``answer`` and of one of the answers ``right``, from 0 to 1.

    Repeated words count each time. If one side has no words, F1 is 1 if both have no words, else 0.
    """
    words = _words(normalized_answer(answer))
    return max(_f1(words, _words(one)) for one in _right(right))


def has_answer(right: Sequence[str]) -> bool:
    """Return whether one of the correct answers ``right`` has text: an empty one is no answer."""
    return any(one.strip() for one in right)


def answer_or_none_agrees(answer: str, right: Sequence[str]) -> float:
    """Return AvNA (answer versus no answer): 1 if there are an ``answer`` and a correct one, or neither."""
    return float(has_answer([answer]) == has_answer(right))


def _words(text: str) -> list[str]:
    """Return the words of ``text``, and each letter of a script without spaces, with its marks."""
    if text.isascii() or not any(map(is_unspaced, text)):
        return text.split()
    return "".join(f" {piece} " if is_unspaced(piece[0]) else piece for piece in all_pieces(text)).split()


def _right(right: Sequence[str]) -> list[str]:
    return [one for one in map(normalized_answer, right) if one] or [""]


def _f1(found: list[str], wanted: list[str]) -> float:
    if not found or not wanted:
        return float(found == wanted)
    same = (Counter(found) & Counter(wanted)).total()
    if not same:
        return 0.0
    precision, recall = same / len(found), same / len(wanted)
    return 2 * precision * recall / (precision + recall)
