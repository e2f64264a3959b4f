"""Scores of choice items with the options that a test wants chosen."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import OPTION_SCORES, ChoiceScore

__all__ = ["chosen_scores"]


def chosen_scores(
    items: pa.Table,
    places: Sequence[int],
    model: str = "model",
    role: str = "audit",
    missing: str = "refused",
) -> pa.Table:
    """Return ChoiceScores that choose the option at each place; −1 has the outcome ``missing``."""
    rows = [
        {
            "item_id": item_id,
            "model": model,
            "revision": "0" * 32,
            "role": role,
            "precision": "float32",
            "mode": "canonical",
            **{name: float(k == place) if k < len(options) else None for k, name in enumerate(OPTION_SCORES)},
            "flips": None,
            "order_margin": None,
            "truncated": False,
            **{
                name: float(place < 0 and name == missing)
                for name in ("abstained", "refused", "unreadable", "cut_off")
            },
            "votes": True,
        }
        for item_id, options, place in zip(
            items["id"].to_pylist(), items["options"].to_pylist(), places, strict=True
        )
    ]
    return pa.Table.from_pylist(rows, schema=arrow_schema(ChoiceScore))
