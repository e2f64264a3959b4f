"""The price of the tokens of requests."""

from __future__ import annotations

from nextset.scoring.model_server.token_usage import Usage
from nextset.study.scoring_settings import RequestSettings
from nextset.study.server_prices import token_price

__all__ = ["highest_price", "price_of"]


def price_of(usage: Usage, server: RequestSettings) -> float | None:
    """Return the price of ``usage``, as `token_price` computes it; None if a price is missing."""
    return token_price(server, usage.read, usage.cached, usage.written, usage.thinking)


def highest_price(most: Usage, server: RequestSettings) -> float | None:
    """Return the highest price of a request with the tokens ``most``, whichever of them are cached or
    thoughts; None as in `price_of`."""
    prices = [
        price_of(Usage(most.read, cached, most.written, thinking), server)
        for cached in (0, most.read)
        for thinking in (0, most.written)
    ]
    return max((price for price in prices if price is not None), default=None)
