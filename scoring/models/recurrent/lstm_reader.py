"""The LSTM reader: one BiLSTM over question and context, and a linear layer (after Mao et al. 2021)."""

from __future__ import annotations

import torch
from torch import nn

from nextset.scoring.models.recurrent.reader_configs import LstmReaderConfig
from nextset.scoring.models.recurrent.reader_parts import Parts
from nextset.scoring.models.recurrent.recurrent_layers import BidirectionalLstm
from nextset.scoring.models.recurrent.recurrent_reader import RecurrentReader

__all__ = ["LstmReaderForQuestionAnswering"]


class LstmReaderForQuestionAnswering(RecurrentReader):  # type: ignore[no-untyped-call]
    """Word vectors, two highway layers, one BiLSTM over the whole input, and two linear scores per token.

    The published code reads question and context separately, so its scores of the context do not depend on
    the question. Here the LSTM reads the question first and then the context.
    """

    config_class = LstmReaderConfig

    def __init__(self, config: LstmReaderConfig) -> None:
        super().__init__(config)
        self.encoder = BidirectionalLstm(config.hidden_size, config.hidden_size, 1, config.dropout)
        self.start_and_end = nn.Linear(2 * config.hidden_size, 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def ends(self, ids: torch.Tensor, parts: Parts) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the scores of the context's tokens, from the states over the whole input."""
        whole = parts.whole
        scores = self.start_and_end(self.encoder(self.words(whole.of(ids)), whole.lengths))
        start, end = (whole.scattered(one, ids.shape[1]) for one in scores.unbind(-1))
        return start.gather(1, parts.context.places), end.gather(1, parts.context.places)
