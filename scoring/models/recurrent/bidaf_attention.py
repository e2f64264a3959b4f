"""The bidirectional attention between context and question of BiDAF (Seo et al. 2017)."""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["BidirectionalAttention"]


class BidirectionalAttention(nn.Module):
    """Attention of each context token to the question, and through the question to the context.

    The similarity of a context state c and a question state q is w · [c; q; c ∘ q] + b (Seo et al. 2017,
    equation 1). The attention from context to question is also theirs. The attention from question to context
    follows the code of Mao et al., as in Xiong et al. 2017: each context token weighs the question's tokens,
    and each question token weighs the context.
    """

    def __init__(self, size: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.of_context = nn.Linear(size, 1, bias=False)
        self.of_question = nn.Linear(size, 1)
        self.of_both = nn.Linear(size, 1, bias=False)

    def forward(
        self,
        context: torch.Tensor,
        question: torch.Tensor,
        in_context: torch.Tensor,
        in_question: torch.Tensor,
    ) -> torch.Tensor:
        """Return [c; a; c ∘ a; c ∘ b] for each state c, shape (inputs, context tokens, 4 · size).

        The states have the shapes (inputs, context tokens, size) and (inputs, question tokens, size). The
        masks of tokens that are not padding have the same shapes without the size.
        """
        similarity = self._similarity(self.dropout(context), self.dropout(question))
        over_question = _softmax(similarity, in_question[:, None, :], 2)
        over_context = _softmax(similarity, in_context[:, :, None], 1)
        a = over_question @ question
        b = over_question @ (over_context.transpose(1, 2) @ context)
        return torch.cat([context, a, context * a, context * b], -1)

    def _similarity(self, context: torch.Tensor, question: torch.Tensor) -> torch.Tensor:
        both = (context * self.of_both.weight) @ question.transpose(1, 2)
        similarity: torch.Tensor = (
            both + self.of_context(context) + self.of_question(question).transpose(1, 2)
        )
        return similarity


def _softmax(scores: torch.Tensor, present: torch.Tensor, dim: int) -> torch.Tensor:
    return scores.masked_fill(~present, -torch.inf).softmax(dim)
