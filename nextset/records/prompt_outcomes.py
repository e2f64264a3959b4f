"""The outcomes of a prompt that is not answered with a choice, and the columns of scores that count them."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["OUTCOMES", "Outcome"]

Outcome = Literal["abstained", "refused", "unreadable", "cut_off"]
"""abstained: the model answered that the text does not say; where that is one of the choices, it is that
choice. refused: the model, the server or a content filter declined to answer. unreadable: no choice can be
read. cut_off: the answer did not end within the limit of tokens."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""The outcomes other than a choice, in the order of the columns of scores. A local model has none of them."""
