"""The words of a text without accents and typographic marks, their positions, and the text's sentences."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nextset.text_tokens import UNDECOMPOSED

__all__ = ["Word", "first_words", "folded", "folded_words"]

_MARKS = str.maketrans(
    {
        **dict.fromkeys("’‘ʼʹ′`´", "'"),
        **dict.fromkeys("‐‑‒–—−", "-"),
        **UNDECOMPOSED,
    }
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_STOP = re.compile(r"""[.!?]["')\]»”]*\s+["'(\[«“]*$|[!?]|\n\s*\n|[.]["')\]»”]*$""")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text."""

    text: str
    """The word without accents and possessive ending, with its capitals."""
    start: int
    """The position of the word's first character in the text, from 0."""
    end: int
    """The character after the word's last one, including marks on the last one."""
    glue: str
    """The characters between the previous word and this one, folded; for the first word, those from the
    beginning of the text."""
    possessive: bool
    """True if 's follows the word, or an apostrophe after an s."""
    bare: bool
    """True if the possessive ending is an apostrophe without an s."""

    @property
    def is_capital(self) -> bool:
        """True if the word begins with a capital letter."""
        return self.text[:1].isupper()

    @property
    def is_initial(self) -> bool:
        """True if the word is one capital letter, as initials of names are."""
        return len(self.text) == 1 and self.is_capital

    @property
    def small(self) -> str:
        """The word in small letters, for comparisons."""
        return self.text.casefold()


def folded(text: str) -> str:
    """Return ``text`` without accents, with plain apostrophes and hyphens."""
    return "".join(part for part, _, _ in _characters(text))


def _characters(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each character, folded, with its position; marks belong to the character before them."""
    i = 0
    while i < len(text):
        end = i + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        yield _plain(text[i]), i, end
        i = end


@functools.lru_cache(4096)
def _plain(character: str) -> str:
    marked = character.translate(_MARKS)
    plain = "".join(c for c in unicodedata.normalize("NFKD", marked) if not unicodedata.combining(c))
    return plain if plain.isalnum() else marked


def folded_words(text: str) -> tuple[Word, ...]:
    """Return the words of ``text``."""
    plain, starts, ends = [], [], []
    for part, start, end in _characters(text):
        plain.append(part)
        starts += [start] * len(part)
        ends += [end] * len(part)
    flat = "".join(plain)
    words: list[Word] = []
    before = 0
    for match in _WORD.finditer(flat):
        start, end = match.span()
        possessive = bare = False
        if flat[end - 2 : end].casefold() == "'s" and end - start > 2:
            end, possessive = end - 2, True
        elif flat[end : end + 1] == "'" and flat[end - 1 : end].casefold() == "s" and end - start > 1:
            possessive = bare = not _WORD.match(flat, end + 1) and not _opens_quote(flat, start)
        words.append(
            Word(flat[start:end], starts[start], ends[end - 1], flat[before:start], possessive, bare)
        )
        before = match.end()
    return tuple(words)


def _opens_quote(flat: str, start: int) -> bool:
    """Return whether an apostrophe is right before the word: then one after the word closes a quotation."""
    return start > 0 and flat[start - 1] == "'"


def first_words(
    words: tuple[Word, ...], abbreviations: Collection[str], particles: Collection[str]
) -> tuple[int, ...]:
    """Return the indices of the words that begin a sentence.

    A stop after one of ``abbreviations`` does not end a sentence. A sentence begins with a capital, a number
    or one of ``particles``, which can begin a family name.
    """
    indices = [0] if words else []
    for i in range(1, len(words)):
        before, word = words[i - 1], words[i]
        if not _STOP.search(word.glue):
            continue
        last = f"{words[i - 2].text}.{before.text}" if i > 1 and before.glue == "." else before.text
        if word.glue.startswith(".") and (before.is_initial or last in abbreviations):
            continue
        number = word.text[0].isdigit() and not (word.glue == "." and before.text[-1].isdigit())
        if word.is_capital or number or word.text in particles or "\n" in word.glue:
            indices.append(i)
    return tuple(indices)
