"""The price of the tokens of requests."""

from __future__ import annotations

from nextset.scoring.model_server.token_usage import Usage
from nextset.study.scoring_settings import RequestSettings

__all__ = ["highest_price", "price_of"]

MILLION = 1_000_000


def price_of(usage: Usage, server: RequestSettings) -> float | None:
    """Return the price of ``usage``; None if the settings lack the price of input or of output.

    Cached input costs as much as other input, and thinking as much as other output, unless a price is given.
    """
    read, written = server.price_per_million_input_tokens, server.price_per_million_output_tokens
    if read is None or written is None:
        return None
    cached, thinking = (
        server.price_per_million_cached_input_tokens,
        server.price_per_million_thinking_tokens,
    )
    counts = (
        ((usage.read - usage.cached), read),
        (usage.cached, read if cached is None else cached),
        ((usage.written - usage.thinking), written),
        (usage.thinking, written if thinking is None else thinking),
    )
    return sum(tokens * price for tokens, price in counts) / MILLION


def highest_price(most: Usage, server: RequestSettings) -> float | None:
    """Return the highest price of a request with the tokens ``most``, whichever of them are cached or
    thoughts; None as in `price_of`."""
    prices = [
        price_of(Usage(most.read, cached, most.written, thinking), server)
        for cached in (0, most.read)
        for thinking in (0, most.written)
    ]
    return max((price for price in prices if price is not None), default=None)
