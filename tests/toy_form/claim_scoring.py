"""Claims in scoring: NLI classifiers are asked about them as about any pair."""

from __future__ import annotations

from typing import Any

from nextset.scoring.asking import Asking
from nextset.scoring.candidate_rows import RowsToScore, generated_rows
from nextset.scoring.candidate_sources import CandidateSources
from nextset.scoring.forms.nli import NliScoring
from nextset.scoring.forms.scored_form import FormScorer
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Scorer
from nextset.study.scoring_settings import ScoringSettings
from tests.toy_form.claim_form import CLAIM

__all__ = ["CLAIM_SCORING"]


def _load(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    return NliClassifier.load(source, asking, device)


class _ClaimScoring(NliScoring):
    name = CLAIM.name
    scorers = {"nli": FormScorer(_load)}  # noqa: RUF012

    def candidates(self, sources: CandidateSources, scoring: ScoringSettings) -> RowsToScore:
        return generated_rows(sources, CLAIM, lambda languages: None)


CLAIM_SCORING = _ClaimScoring()
