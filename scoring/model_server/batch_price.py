"""The price of a batch."""

from __future__ import annotations

import math

from nextset.scoring.model_server.token_usage import Usage

__all__ = ["BATCH_PRICE", "discounted"]

BATCH_PRICE = 0.5
"""The price of a token in a batch as a share of its usual price: 50 % at OpenAI, whose batches others copy
(https://platform.openai.com/docs/guides/batch), and at Anthropic, Google, Mistral and Groq."""


def discounted(usage: Usage) -> Usage:
    """Return the usage that usually has the price of ``usage`` in a batch: half the tokens, rounded up."""
    counts = (usage.read, usage.cached, usage.written, usage.thinking)
    return Usage(*(math.ceil(count * BATCH_PRICE) for count in counts))
