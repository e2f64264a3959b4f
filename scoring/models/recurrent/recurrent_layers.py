"""The layers of recurrent readers: word vectors with highway layers, and LSTMs that skip padding."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from nextset.scoring.models.recurrent.reader_configs import RecurrentReaderConfig

__all__ = ["BidirectionalLstm", "Highway", "WordEmbedding"]

HIGHWAYS = 2
"""The number of highway layers over the word vectors."""


class Highway(nn.Module):
    """A highway layer (Srivastava et al. 2015): each value is partly changed and partly passed on."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.change = nn.Linear(size, size)
        self.gate = nn.Linear(size, size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the layer's output, in the shape of ``x``."""
        share = torch.sigmoid(self.gate(x))
        return share * torch.relu(self.change(x)) + (1 - share) * x


class FixedEmbedding(nn.Embedding):
    """A table of vectors that training never changes, even if its weights are loaded again."""

    def __init__(self, words: int, size: int, padding_idx: int | None) -> None:
        super().__init__(words, size, padding_idx=padding_idx)
        self.weight.requires_grad_(False)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return the vectors of the tokens in ``input``."""
        return nn.functional.embedding(input, self.weight.detach(), self.padding_idx)


class WordEmbedding(nn.Module):
    """Word vectors, projected to the size of the layers, then two highway layers (Seo et al. 2017)."""

    def __init__(self, config: RecurrentReaderConfig) -> None:
        super().__init__()
        table = FixedEmbedding if config.fixed_words else nn.Embedding
        self.table = table(config.vocab_size, config.word_size, padding_idx=config.pad_token_id)
        self.dropout = nn.Dropout(config.dropout)
        self.projection = nn.Linear(config.word_size, config.hidden_size, bias=False)
        self.highways = nn.ModuleList(Highway(config.hidden_size) for _ in range(HIGHWAYS))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return a vector for each of ``ids``, shape (inputs, tokens, hidden size)."""
        vectors: torch.Tensor = self.projection(self.dropout(self.table(ids)))
        for highway in self.highways:
            vectors = highway(vectors)
        return vectors


class BidirectionalLstm(nn.Module):
    """An LSTM that reads each input in both directions and skips padding."""

    def __init__(self, inputs: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        between = dropout if layers > 1 else 0.0
        self.lstm = nn.LSTM(inputs, hidden, layers, batch_first=True, bidirectional=True, dropout=between)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the states, shape (inputs, tokens, 2 · hidden); zeros after each of the ``lengths``."""
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        with _differentiable(x, training=self.training):
            states, _ = self.lstm(packed)
        unpacked, _ = pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])
        kept: torch.Tensor = self.dropout(unpacked)
        return kept


def _differentiable(x: torch.Tensor, *, training: bool) -> AbstractContextManager[None]:
    """Return a context without cuDNN if gradients are needed outside training, where its LSTMs lack them."""
    if x.is_cuda and x.requires_grad and not training:
        return torch.backends.cudnn.flags(enabled=False)
    return nullcontext()
