"""The words for finding passages: lower case, without punctuation, with or without stop words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from nextset.text_tokens import is_unspaced, word_tokens

__all__ = ["search_words", "stop_words"]

_ASCII_WORD = re.compile(r"\w\w+")


def search_words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case and NFC: two or more letters, digits, underscores in a row.

    Vowel signs and other marks count as letters. In scripts without spaces between words, each letter is a
    word. İ, I, ı and i are one letter: Turkish pairs them differently. Words are not stemmed. For English,
    the result is the same as that of `bm25s.tokenize`.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    small = unicodedata.normalize("NFC", text).lower().replace("i\u0307", "i").replace("ı", "i")
    pieces = word_tokens(small)
    return [piece for piece in pieces if _is_word(piece)]


def _is_word(piece: str) -> bool:
    if not (piece[0].isalnum() or piece[0] == "_"):
        return False
    return len(piece) > 1 or is_unspaced(piece[0])


def stop_words(language: str) -> Sequence[str]:
    """Return the words of ``language`` (BCP 47) that are not searched, sorted; empty for most languages.

    The lists are bm25s's: the 33 words of Lucene for English, and longer lists for some other languages.
    """
    from bm25s import stopwords

    tag = language.partition("-")[0].lower()
    name = _LISTS.get(_SAME.get(tag, tag))
    return () if name is None else sorted(set(getattr(stopwords, name)))


_LISTS = {
    "en": "STOPWORDS_EN",
    "de": "STOPWORDS_GERMAN",
    "nl": "STOPWORDS_DUTCH",
    "fr": "STOPWORDS_FRENCH",
    "es": "STOPWORDS_SPANISH",
    "pt": "STOPWORDS_PORTUGUESE",
    "it": "STOPWORDS_ITALIAN",
    "ru": "STOPWORDS_RUSSIAN",
    "sv": "STOPWORDS_SWEDISH",
    "no": "STOPWORDS_NORWEGIAN",
    "tr": "STOPWORDS_TURKISH",
    "da": "STOPWORDS_DANISH",
}
"""The names of bm25s's lists. Its lists for Chinese and Korean are omitted, because `search_words` does not
find their words."""
_SAME = {
    "nb": "no", "nn": "no", "nor": "no", "nob": "no", "nno": "no", "eng": "en", "deu": "de", "ger": "de",
    "nld": "nl", "dut": "nl", "fra": "fr", "fre": "fr", "spa": "es", "por": "pt", "ita": "it", "rus": "ru",
    "swe": "sv", "tur": "tr", "dan": "da",
}  # fmt: skip
"""Other tags of these languages: Bokmål and Nynorsk are Norwegian, and ISO 639 has three-letter codes."""
