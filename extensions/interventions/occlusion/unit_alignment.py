"""The alignment of the words of a context with those of the same context with its subjects in the other
order."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["counterparts"]


def counterparts(first: Sequence[str], second: Sequence[str]) -> list[int | None]:
    """Return, for each word of ``first``, the place of its counterpart in ``second``; None without a
    counterpart.

    Both are the words between the same subjects' slots. If their numbers are the same, the words correspond
    by place, even if they differ, since an article may agree with its subject. Otherwise only equal words
    correspond, from the beginning as far as they are equal, then from the end; case is ignored.
    """
    if len(first) == len(second):
        return list(range(len(first)))
    one, other = ([word.casefold() for word in words] for words in (first, second))
    places: list[int | None] = [None] * len(one)
    shorter = min(len(one), len(other))
    begin = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    places[:begin] = range(begin)
    for back in range(1, shorter - begin + 1):
        if one[-back] != other[-back]:
            break
        places[-back] = len(other) - back
    return places
