"""Asks the server about the pairs of `tests.scoring.model_server.served`; a test kills it on the way."""

from __future__ import annotations

import sys

from nextset.scoring.asking import Asking
from nextset.scoring.model_server.server_scorer import ServerScorer
from nextset.scoring.models.sources import locate
from nextset.study.scoring_settings import ScoringSettings, ServerSettings
from tests.scoring.model_server.served import PAIRS

if __name__ == "__main__":
    settings = ScoringSettings(server=ServerSettings(at_once=1))
    scorer = ServerScorer.load(locate(sys.argv[1]), Asking("nli", settings))
    scorer.scores(scorer.encoded(PAIRS))
