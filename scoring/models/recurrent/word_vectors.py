"""Word vectors from a text file in GloVe's format: one word per line, followed by its numbers."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nextset.errors import InputError
from nextset.files.regular_file import require_file

__all__ = ["WordVectors", "read_word_vectors"]

LONGEST_LINE = 200_000
"""The maximum number of bytes of a line."""
MOST_NUMBERS = 10_000
"""The maximum number of numbers of a vector."""
PACKED = (b"PK\x03\x04", b"\x1f\x8b")
"""The first bytes of ZIP and gzip files, the formats of published word vectors."""
FORMAT = "write one word per line, followed by its numbers, separated by spaces (GloVe's format)"


@dataclass(frozen=True)
class WordVectors:
    """The vectors of some words."""

    size: int
    """The number of numbers in each vector."""
    vectors: dict[str, npt.NDArray[np.float32]]
    """The vector of each word that was found."""


def read_word_vectors(file: Path, words: Collection[str]) -> WordVectors:
    """Return the vectors of ``words`` that are in ``file``.

    A line with the word itself counts, else the first line that differs only in case. A first line with the
    number of words and of numbers, as in word2vec and fastText, is checked and is not a word. Words may
    contain spaces. Numbers are read only for the requested words.
    Raises InputError, with the line, for a line with too few numbers and for numbers that are not finite. It
    is also raised for a file whose first line gives a different number of words, and for one without any of
    the words.
    """
    try:
        require_file(file, InputError, remedy="give the path of a file of word vectors")
        return _read(file, words if isinstance(words, frozenset | set) else frozenset(words))
    except OSError as e:
        raise InputError(
            f"the word vectors cannot be read: {e.strerror}", file=file, remedy="check the path"
        ) from None


def _read(file: Path, words: Collection[str]) -> WordVectors:
    exact: dict[str, npt.NDArray[np.float32]] = {}
    alike: dict[str, npt.NDArray[np.float32]] = {}
    size, expected, lines = 0, None, 0
    for number, fields in _lines(file):
        if number == 1 and (header := _header(fields)) is not None:
            expected, size = header
            continue
        lines += 1
        if not size:
            size = len(fields) - 1
            if not 1 <= size <= MOST_NUMBERS:
                raise InputError(
                    f"the first line has {size:,} numbers after its word",
                    file=file,
                    line=number,
                    remedy=FORMAT,
                )
        if len(fields) <= size:
            raise InputError(
                f"this line has {max(0, len(fields) - 1):,} numbers after its word, not {size:,}",
                file=file,
                line=number,
                remedy=FORMAT + "; if this is the last line, the file is cut off, so download it again",
            )
        word = unicodedata.normalize("NFC", b" ".join(fields[:-size]).decode("utf-8", "replace"))
        key, table = (word, exact) if word in words else (word.lower(), alike)
        if key not in words:
            continue
        if key in table:  # the first line about a word counts
            continue
        table[key] = _numbers(file, number, fields[-size:])
    if expected is not None and lines != expected:
        raise InputError(
            f"according to its first line the file has {expected:,} words, but it has {lines:,}",
            file=file,
            remedy="download the file again",
        )
    vectors = {**alike, **exact}
    if not vectors:
        raise InputError(
            "the file does not contain any word of the vocabulary",
            file=file,
            remedy="choose word vectors for the language of the texts",
        )
    return WordVectors(size, vectors)


def _lines(file: Path) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the lines that are not empty, split at spaces, with their numbers from 1; raises InputError."""
    with file.open("rb") as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE):
            number += 1
            if number == 1:
                if line.startswith(PACKED):
                    raise InputError(
                        "the file is compressed", file=file, remedy="unpack it and give the text file"
                    )
                line = line.removeprefix(b"\xef\xbb\xbf")
            if len(line) == LONGEST_LINE:
                raise InputError(
                    f"a line has more than {LONGEST_LINE:,} bytes", file=file, line=number, remedy=FORMAT
                )
            if text := line.strip(b" \r\n"):
                yield number, text.split(b" ")


def _header(fields: list[bytes]) -> tuple[int, int] | None:
    """Return the numbers of words and of numbers in a first line; None if the line is a word's."""
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 12 for field in fields):
        return None
    words, size = map(int, fields)
    return (words, size) if 1 < size <= MOST_NUMBERS else None


def _numbers(file: Path, line: int, fields: list[bytes]) -> npt.NDArray[np.float32]:
    try:
        if any(b"_" in field for field in fields):  # Python reads 1_0 as 10
            raise ValueError
        with np.errstate(over="ignore"):
            numbers = np.array([float(field) for field in fields]).astype(np.float32)
    except ValueError:
        numbers = np.array([np.nan], np.float32)
    if not np.isfinite(numbers).all():
        raise InputError(
            "this line has a value that is not a finite number", file=file, line=line, remedy=FORMAT
        )
    return numbers
