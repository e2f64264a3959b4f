"""The keys fill.fluency and fill.keep of study.yaml: the model of fluency, and the fills that are kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue, written_as
from nextset.study.field_types import ModelName

__all__ = ["MOST_WORDS", "FluencySettings", "Keep", "MostFluent", "most_fluent", "with_keys_of_keep"]

MOST_WORDS = 1000
"""The most words per mask that a study may ask for."""
_KEEP = re.compile(r"best ([1-9]\d{0,3}) of ([1-9]\d{0,3}) by fluency")
EXAMPLE = "best 8 of 20 by fluency"


class FluencySettings(HandWritten):
    """fill.fluency: the fluency of filled sentences."""

    model: ModelName | None = None
    """A masked or a causal language model; default: the model that fills."""
    at_least: float | None = Field(default=None, strict=True, allow_inf_nan=False)
    """Drop fills with a lower relative fluency (natural logarithm, per token)."""


@dataclass(frozen=True)
class MostFluent:
    """fill.keep: of the ``of`` most probable words of a prompt, the ``best`` most fluent are kept."""

    best: int
    of: int


def most_fluent(keep: str) -> MostFluent | None:
    """Return the numbers in ``keep``; None if it is empty."""
    match = _KEEP.fullmatch(keep)
    return MostFluent(int(match[1]), int(match[2])) if match else None


def _fits(keep: str) -> str:
    chosen = most_fluent(keep)
    if chosen is not None and chosen.of > MOST_WORDS:
        raise WrongValue(f"at most {MOST_WORDS} words can be compared", f"write it like {EXAMPLE!r}")
    if chosen is not None and chosen.best > chosen.of:
        raise WrongValue(f"{chosen.best} of {chosen.of} is too many", f"write {EXAMPLE!r}")
    return keep


Keep = Annotated[str, written_as(rf"({_KEEP.pattern})?", EXAMPLE), AfterValidator(_fits)]
"""Empty, or a text such as `best 8 of 20 by fluency`."""


def with_keys_of_keep(written: Any) -> Any:
    """Return the keys of the section fill as written, with top_k and fluency added if keep gives them."""
    keep = written.get("keep") if isinstance(written, dict) else None
    chosen = most_fluent(keep.strip()) if isinstance(keep, str) else None
    if chosen is None or chosen.of > MOST_WORDS:
        return written
    return {"top_k": chosen.of, "fluency": True, **written}
