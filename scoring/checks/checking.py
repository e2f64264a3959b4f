"""Check models by name: one that cannot be used does not keep the others from being checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.errors import NextsetError
from nextset.scoring_settings import ModelSettings, ScoringSettings

if TYPE_CHECKING:
    from nextset.scoring.checks.preflight import Preflight
    from nextset.scoring.scorer import Form

__all__ = ["CheckedModel", "check_models"]


@dataclass(frozen=True)
class CheckedModel:
    """A model that was looked for, and what came of it."""

    name: str
    """As it was asked for."""
    found: Preflight | None
    """What was found out; None for a model that cannot be used."""
    problem: str = ""
    """Why it cannot be used; empty where it can."""
    remedy: str = ""
    """What to do about it."""


def check_models(
    names: Sequence[str],
    form: Form | None = None,
    settings: ModelSettings | None = None,
    scoring: ScoringSettings | None = None,
    base: Path = Path(),
) -> list[CheckedModel]:
    """Load each model and ask it its clear cases about ``form``, by default what its kind is for.

    ``settings`` are those of models.NAME in a study, the same for all; folders are seen from ``base``.
    """
    from nextset.scoring.checks.preflight import preflight, usual_form
    from nextset.scoring.models.sources import locate
    from nextset.scoring.scorer import Asking

    checked = []
    for name in names:
        try:
            source = locate(name, base)
            asking = Asking(
                form or usual_form(source), scoring or ScoringSettings(), settings or ModelSettings()
            )
            checked.append(CheckedModel(name, preflight(source, asking)))
        except NextsetError as e:
            checked.append(CheckedModel(name, None, str(e), e.remedy))
    return checked
