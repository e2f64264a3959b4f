"""The base class of recurrent readers: inputs, outputs and loss as in transformers."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from transformers import PreTrainedModel
from transformers.modeling_outputs import QuestionAnsweringModelOutput

from nextset.scoring.models.recurrent.reader_configs import RecurrentReaderConfig
from nextset.scoring.models.recurrent.reader_parts import Parts, parts_of
from nextset.scoring.models.recurrent.recurrent_layers import WordEmbedding

__all__ = ["RecurrentReader"]


class RecurrentReader(PreTrainedModel):  # type: ignore[no-untyped-call]
    """An extractive reader of inputs ``[CLS] question [SEP] context [SEP]`` of whole words.

    Its answers are tokens of the context, or the first token for no answer. All other tokens have the score
    `nextset.scoring.models.recurrent.reader_parts.MASKED`.
    """

    config: RecurrentReaderConfig
    config_class = RecurrentReaderConfig
    base_model_prefix = "reader"

    def __init__(self, config: RecurrentReaderConfig) -> None:
        super().__init__(config)
        self.words = WordEmbedding(config)

    def ends(self, ids: torch.Tensor, parts: Parts) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the scores of the context's tokens as the first and as the last token of the answer.

        Both have the shape of ``parts.context.places``; the scores of padding are arbitrary.
        """
        raise NotImplementedError

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        start_positions: torch.Tensor | None = None,
        end_positions: torch.Tensor | None = None,
    ) -> QuestionAnsweringModelOutput:
        """Return start and end scores, shape (inputs, tokens), and the loss if the positions are given.

        Without ``token_type_ids``, the context begins after the first separator. A position beyond the input
        does not count in the loss, as in transformers.
        """
        ids = input_ids
        if attention_mask is None:
            attention_mask = torch.ones_like(ids)
        if token_type_ids is None:
            separators = (ids == self.config.sep_token_id).long()
            token_type_ids = separators.cumsum(1) - separators
        parts = parts_of(ids, attention_mask, token_type_ids, self.config.sep_token_id)
        start, end = (parts.context.scattered(one, ids.shape[1]) for one in self.ends(ids, parts))
        loss = None
        if start_positions is not None and end_positions is not None:
            loss = (_loss(start, start_positions) + _loss(end, end_positions)) / 2
        return QuestionAnsweringModelOutput(loss=loss, start_logits=start, end_logits=end)

    def get_input_embeddings(self) -> nn.Module:
        """Return the table of word vectors."""
        return self.words.table

    def set_input_embeddings(self, value: nn.Module) -> None:
        """Replace the table of word vectors."""
        assert isinstance(value, nn.Embedding)
        self.words.table = value

    def _init_weights(self, module: Any) -> None:
        """Initialise word vectors from a normal distribution, and all other layers like torch does."""
        if isinstance(module, nn.Embedding):
            super()._init_weights(module)  # type: ignore[no-untyped-call]
        elif isinstance(module, nn.Linear | nn.LSTM):
            module.reset_parameters()


def _loss(scores: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    beyond = scores.shape[1]
    if positions.dim() > 1:  # transformers allows one more dimension, of size 1
        positions = positions.squeeze(-1)
    return nn.functional.cross_entropy(scores, positions.clamp(0, beyond), ignore_index=beyond)
