"""The n-grams of texts in a file, 8 bytes each, so that memory holds only the current chunk."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator
from typing import IO

import numpy as np
from numpy.typing import NDArray

__all__ = ["NgramFile"]

_CHUNK = 4096

Numbers = NDArray[np.int64]


class NgramFile:
    """Reads the n-grams of texts, given by their offsets and sizes in n-grams."""

    def __init__(self, file: IO[bytes], offsets: Numbers, sizes: NDArray[np.int32]) -> None:
        file.flush()
        self._descriptor = file.fileno()
        self._offsets = offsets
        self._sizes = sizes.astype(np.int64)

    def chunks(self, texts: Numbers) -> Iterator[tuple[Numbers, Numbers, NDArray[np.uint64]]]:
        """Yield chunks of ``texts`` (in the order of offsets), with each text's start in the n-grams."""
        for start in range(0, len(texts), _CHUNK):
            chunk = texts[start : start + _CHUNK]
            offsets, sizes = self._offsets[chunk], self._sizes[chunk]
            # A text without n-grams may come last and have the offset of the previous text.
            begin, end = int(offsets[0]), int((offsets + sizes).max())
            hashes = np.frombuffer(self._read(begin, end - begin), np.uint64)
            bounds = np.zeros(len(chunk) + 1, np.int64)
            np.cumsum(sizes, out=bounds[1:])
            places = np.arange(bounds[-1]) + np.repeat(offsets - begin - bounds[:-1], sizes)
            yield chunk, bounds, hashes[places]

    def ngrams(self, text: int) -> set[int]:
        """Return the n-grams of one text."""
        return set(array("Q", self._read(int(self._offsets[text]), int(self._sizes[text]))))

    def _read(self, start: int, count: int) -> bytes:
        parts, done = [], 0
        while done < 8 * count:  # one call reads at most 2 GiB
            parts.append(os.pread(self._descriptor, 8 * count - done, 8 * start + done))
            if not parts[-1]:
                raise EOFError("a temporary file of n-grams ended early")
            done += len(parts[-1])
        return b"".join(parts)
