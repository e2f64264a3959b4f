"""Inputs as tokens, in a compact form, because a training has hundreds of thousands of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nextset.artifacts.progress_callback import Tick

__all__ = ["TokenRow", "cut_tokenizer", "encoded_in_chunks"]

_CHUNK = 512


@dataclass(frozen=True, slots=True)
class TokenRow:
    """The tokens of an input, without padding; `nextset.scoring.batches.padded` reads it as an Encoding."""

    numbers: npt.NDArray[np.int32]
    segments: npt.NDArray[np.uint8]
    """The segment of each token."""

    @classmethod
    def of(cls, encoding: Any) -> TokenRow:
        """Return the tokens of a tokenizer's Encoding."""
        return cls(np.array(encoding.ids, np.int32), np.array(encoding.type_ids, np.uint8))

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def ids(self) -> list[int]:
        """The tokens as a list."""
        ids: list[int] = self.numbers.tolist()
        return ids

    @property
    def attention_mask(self) -> list[int]:
        """A list with 1 for each token."""
        return [1] * len(self.numbers)

    @property
    def type_ids(self) -> list[int]:
        """The segments as a list."""
        type_ids: list[int] = self.segments.tolist()
        return type_ids


def cut_tokenizer(tokenizer: Any, longest: int, strategy: str, overlap: int = 0) -> Any:
    """Return a copy of the fast ``tokenizer`` that cuts inputs to ``longest`` tokens.

    The rest of an input follows in further pieces, which share ``overlap`` tokens with the piece before.
    ``strategy`` is the tokenizers' name of the part that is cut.
    """
    cutting = copy.deepcopy(tokenizer.backend_tokenizer)
    cutting.no_padding()
    cutting.enable_truncation(longest, stride=overlap, strategy=strategy)
    return cutting


def encoded_in_chunks(tokenizer: Any, texts: Sequence[Any], tick: Tick) -> Iterator[Any]:
    """Yield the Encoding of each of ``texts``, without holding all of them in memory."""
    for begin in range(0, len(texts), _CHUNK):
        tick(begin, len(texts))
        yield from tokenizer.encode_batch(list(texts[begin : begin + _CHUNK]))
    tick(len(texts), len(texts))
