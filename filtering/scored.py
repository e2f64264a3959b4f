"""How the scores that a filter goes by were reckoned, in words."""

from __future__ import annotations

from nextset.artifact import Artifact
from nextset.scoring_settings import ScoringSettings

__all__ = ["scored_in_words"]


def scored_in_words(scoring: ScoringSettings, scores: Artifact) -> str:
    """A sentence without its full stop; in fast mode with the measured share of decisions that flip."""
    if scoring.mode == "canonical":
        return (
            f"reckoned in {scoring.precision}, and again alone in float32 wherever a decision was near, so "
            "that no decision depends on batches"
        )
    flips = [
        f"{row['model']} {row['flipped']:,} of {row['asked']:,}"
        for row in scores.table("flips").to_pylist()
        if row["asked"]
    ]
    return (
        f"reckoned in {scoring.precision}, in fast mode: asked again alone in float32, decisions of a sample "
        f"were others for {', '.join(flips) or 'nothing, since nothing was asked'}"
    )
