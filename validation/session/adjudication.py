"""Adjudication: what people disagree about is judged once more, by somebody who sees only that."""

from __future__ import annotations

from collections.abc import Iterable

from nextset.errors import JudgmentError
from nextset.hold import hold
from nextset.progress import SILENT, Progress
from nextset.study import Study
from nextset.validation.server.client import LabelStudio
from nextset.validation.session.counting import counted_now
from nextset.validation.session.journal import Journal
from nextset.validation.session.opening import Opened, begin, desk_to_open
from nextset.validation.session.votes import disputed

__all__ = ["adjudicate"]


def adjudicate(
    study: Study,
    studio: LabelStudio,
    emails: Iterable[str],
    *,
    votes: bool = False,
    progress: Progress = SILENT,
) -> Opened:
    """Open a session with the units on which people disagree, for the adjudicators that ``emails`` name.

    With ``votes`` the page shows how the others judged. What is adjudicated holds instead of the votes.
    Nobody adjudicates a unit that he or she has judged. Raises JudgmentError where another session is open,
    or nothing is disputed.
    """
    with hold(study.judgments, "validate adjudicate"):
        desk, journal = desk_to_open(study), Journal(study.judgments)
        units = disputed(desk, counted_now(desk, journal))
        if journal.state.current is None and not units:
            raise JudgmentError(
                "there is nothing to adjudicate: no unit with a judgment has votes that differ",
                remedy="go on with `nextset run`",
            )
        return begin(desk, studio, emails, "adjudication", units, votes=votes, progress=progress)
