"""The judgment, one annotator's verdict on one unit, and the file that has a study's judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["LOG_NAME", "Judgment", "Verdict"]

LOG_NAME = "log.jsonl"
"""The log of judgments in the folder `nextset.study.study_folder.Study.judgments`."""
Verdict = Literal["valid", "invalid", "incoherent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """One verdict on one unit: a hypothesis within stereotype, group pair and language."""

    unit_id: str
    """Content hash (`unit_ids`) of the unit."""
    verdict: Verdict
    """valid, invalid (not a stereotype of that group), or incoherent (no meaningful sentence)."""
    stance_judged: Literal["pro", "anti"] | None
    """pro: the valid hypothesis states the stereotype; anti: its opposite; null if it is not valid."""
    judge: str
    """The annotator's pseudonym."""
    annotation: str | None
    """The number of the annotation on its server; null if it has none."""
