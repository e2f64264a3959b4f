"""BiDAF without character embeddings (Seo et al. 2017, as used by Mao et al. 2021)."""

from __future__ import annotations

import torch
from torch import nn

from nextset.scoring.models.recurrent.bidaf_attention import BidirectionalAttention
from nextset.scoring.models.recurrent.reader_configs import BidafReaderConfig
from nextset.scoring.models.recurrent.reader_parts import Parts
from nextset.scoring.models.recurrent.recurrent_layers import BidirectionalLstm
from nextset.scoring.models.recurrent.recurrent_reader import RecurrentReader

__all__ = ["BidafReaderForQuestionAnswering"]

MODELLING = 2
"""The number of layers of the LSTM over the attention."""


class BidafReaderForQuestionAnswering(RecurrentReader):  # type: ignore[no-untyped-call]
    """Bidirectional attention flow: one BiLSTM encodes question and context, which then attend to each other.
    A second BiLSTM reads the result, and a third one reads it for the end of the answer.

    Question and context both begin with the token for no answer.
    """

    config_class = BidafReaderConfig

    def __init__(self, config: BidafReaderConfig) -> None:
        super().__init__(config)
        hidden, dropout = config.hidden_size, config.dropout
        self.encoder = BidirectionalLstm(hidden, hidden, 1, dropout)
        self.attention = BidirectionalAttention(2 * hidden, dropout)
        self.modelling = BidirectionalLstm(8 * hidden, hidden, MODELLING, dropout)
        self.end_reader = BidirectionalLstm(2 * hidden, hidden, 1, dropout)
        self.start = nn.Linear(10 * hidden, 1)
        self.end = nn.Linear(10 * hidden, 1)
        self.post_init()  # type: ignore[no-untyped-call]

    def ends(self, ids: torch.Tensor, parts: Parts) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the scores of the context's tokens."""
        context, question = parts.context, parts.question
        in_context = self.encoder(self.words(context.of(ids)), context.lengths)
        in_question = self.encoder(self.words(question.of(ids)), question.lengths)
        attended = self.attention(in_context, in_question, context.present, question.present)
        modelled = self.modelling(attended, context.lengths)
        read_again = self.end_reader(modelled, context.lengths)
        start = self.start(torch.cat([attended, modelled], -1))
        end = self.end(torch.cat([attended, read_again], -1))
        return start.squeeze(-1), end.squeeze(-1)
