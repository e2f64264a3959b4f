"""The parts of an input that recurrent readers read: the question, the context, and the whole.

Question and context both begin with the token for no answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

__all__ = ["MASKED", "Part", "Parts", "parts_of"]

MASKED = -10_000.0
"""The score of tokens that cannot be an answer; it is finite in every precision, but its probability is 0."""


@dataclass(frozen=True)
class Part:
    """Some tokens of each input, moved together."""

    places: torch.Tensor
    """The tokens' places in the input, shape (inputs, tokens); after ``lengths`` places, a row has others."""
    lengths: torch.Tensor
    """The number of these tokens in each input, shape (inputs,)."""

    @property
    def present(self) -> torch.Tensor:
        """True for the places that belong to the part, shape (inputs, tokens)."""
        at = torch.arange(self.places.shape[1], device=self.places.device)
        return at < self.lengths[:, None]

    def of(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the tokens of this part, shape (inputs, tokens)."""
        return ids.gather(1, self.places)

    def scattered(self, scores: torch.Tensor, width: int) -> torch.Tensor:
        """Return the ``scores`` of the part's tokens at their places, `MASKED` elsewhere.

        The shape is (inputs, ``width``).
        """
        masked = scores.new_full((len(scores), width), MASKED)
        return masked.scatter(1, self.places, scores.masked_fill(~self.present, MASKED))


@dataclass(frozen=True)
class Parts:
    """The parts of some inputs."""

    question: Part
    """The token for no answer, and the question."""
    context: Part
    """The token for no answer, and the context."""
    whole: Part
    """All tokens that are not padding."""


def parts_of(ids: torch.Tensor, attended: torch.Tensor, segments: torch.Tensor, separator: int) -> Parts:
    """Return the parts of inputs ``[CLS] question [SEP] context [SEP]``.

    ``attended`` and ``segments`` are the attention mask and the token types, all of shape (inputs, tokens).
    The first token of an input stands for no answer.
    """
    first = torch.zeros_like(attended, dtype=torch.bool)
    first[:, 0] = True
    words = (attended != 0) & (ids != separator)
    return Parts(
        question=_part(first | (words & (segments == 0))),
        context=_part(first | (words & (segments != 0))),
        whole=_part(first | (attended != 0)),
    )


def _part(chosen: torch.Tensor) -> Part:
    lengths = chosen.sum(1)
    places = torch.argsort((~chosen).to(torch.int8), dim=1, stable=True)
    return Part(places[:, : int(lengths.max())], lengths)
