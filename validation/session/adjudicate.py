"""Adjudication: what people disagree about is judged once more, by somebody who sees only that."""

from __future__ import annotations

from collections.abc import Iterable

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import JudgmentError
from nextset.files.folder_lock import hold
from nextset.study.study_folder import Study
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.event_log import EventLog
from nextset.validation.session.disputed_units import disputed
from nextset.validation.session.open import Opened, begin, materials_to_open

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
        materials, event_log = materials_to_open(study), EventLog(study.judgments)
        units = disputed(materials, materials.counted(event_log))
        if event_log.state.current is None and not units:
            raise JudgmentError(
                "there is nothing to adjudicate: no unit with a judgment has votes that differ",
                remedy="go on with `nextset run`",
            )
        return begin(materials, studio, emails, "adjudication", units, votes=votes, progress=progress)
