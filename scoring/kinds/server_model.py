"""Models behind a server as a kind of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import FormScorer
from nextset.scoring.kinds.causal_lm import WritingKind, wordings_digest
from nextset.scoring.model_server.stored_answers import AnswerReader
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Scorer
from nextset.word_lists.answer_phrases import answer_phrases_digest

__all__ = ["SERVER_MODEL", "ServerModelKind"]

READING = 4
"""The version of the parsing of servers' answers; it is raised if the same answer is read differently. 2:
cut-off answers do not count. 3: a choice that an answer only mentions does not count, nor does an answer with
tags or tokens of unknown meaning. 4: abstentions and refusals in words are told from unreadable answers, and
more layouts of a choice are read."""


def _load(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.model_server.server_scorer import ServerScorer

    return ServerScorer.load(source, asking)


def _options(asking: Asking) -> Mapping[str, Any]:
    from nextset.scoring.model_server.model_requests import deciding_options

    options = deciding_options(asking.server, asking.model)
    return {
        **wordings_digest(asking),
        "reading": READING,
        "answer_phrases": answer_phrases_digest(),
        **options,
    }


class ServerModelKind(WritingKind):
    """Models that answer at a server; they are asked about every form that has wordings."""

    name = "server"
    noun = "model behind a server"
    place = 5
    in_this_process = False
    may_not_answer = True
    by_wording = FormScorer(_load, _options)
    other_uses = "fill.model, which writes and does not have to pass canaries"

    def has(self, source: ModelSource, architectures: Sequence[str]) -> bool:
        """Return True if the model is named at a server."""
        return bool(source.address)

    def answer_reader(self, source: ModelSource, asking: Asking) -> AnswerReader | None:
        """Return a function that reads the answers that the server gave."""
        from nextset.scoring.model_server.server_scorer import ServerScorer

        return ServerScorer.load(source, asking).stored


SERVER_MODEL = ServerModelKind()
"""Models behind a server."""
