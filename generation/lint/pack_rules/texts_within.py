"""Texts that are whole words of other texts in a list, found without comparing all pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nextset.generation.lint.pack_rules.word_borders import is_border, is_word_character
from nextset.text_tokens import is_unspaced

__all__ = ["texts_within"]


def texts_within(texts: Sequence[tuple[int, str]]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of two texts if the second contains the first as whole words and is longer.

    ``texts`` are numbered; case counts. A pair is yielded once per occurrence of the text. As in `find_word`,
    scripts without spaces have no word borders.
    """
    numbers: dict[str, list[int]] = {}
    lengths: dict[str, set[int]] = {}
    parts = {text: _parts(text) for _, text in texts}
    for i, text in texts:
        if text:
            numbers.setdefault(text, []).append(i)
            lengths.setdefault(parts[text][0][1], set()).add(len(text))
    ordered = {part: sorted(sizes) for part, sizes in lengths.items()}
    for whole, of_whole in numbers.items():
        for at, part in parts[whole]:
            if not is_border(whole[at - 1 : at], part[0]):
                continue
            for length in ordered.get(part, ()):
                end = at + length
                if end > len(whole):
                    break
                inside = whole[at:end]
                if inside != whole and inside in numbers and is_border(whole[end : end + 1], inside[-1]):
                    yield from ((i, j) for i in numbers[inside] for j in of_whole)


def _parts(text: str) -> list[tuple[int, str]]:
    """Return the places in ``text`` where another text may begin, with the word or character there."""
    parts: list[tuple[int, str]] = []
    begin = 0
    for i, c in enumerate(text):
        if i and not (_is_spaced(c) and _is_spaced(text[i - 1])):
            parts.append((begin, text[begin:i]))
            begin = i
    return [*parts, (begin, text[begin:])] if text else []


def _is_spaced(c: str) -> bool:
    return is_word_character(c) and not is_unspaced(c)
