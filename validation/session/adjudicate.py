"""Adjudication: units with split votes are judged once more, by annotators who see only those units."""

from __future__ import annotations

from collections.abc import Iterable

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import JudgmentError
from nextset.files.folder_lock import locked_folder
from nextset.study.study_folder import Study, of_study
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.event_log import EventLog
from nextset.validation.session.disputed_units import disputed
from nextset.validation.session.materials import SessionMaterials
from nextset.validation.session.open import Opened, begin, materials_to_open

__all__ = ["adjudicate", "units_to_adjudicate"]


@of_study
def adjudicate(
    study: Study,
    studio: LabelStudio,
    emails: Iterable[str],
    *,
    votes: bool = False,
    progress: Progress = SILENT,
) -> Opened:
    """Open a session with the disputed units, for the adjudicators that ``emails`` name.

    A unit is disputed if its votes differ. With ``votes`` the page shows them. Adjudicators do not get units
    that they have judged. Raises JudgmentError if another session is open, or no votes differ.
    """
    with locked_folder(study.judgments, "validate adjudicate"):
        materials, units = units_to_adjudicate(study)
        return begin(materials, studio, emails, "adjudication", units, votes=votes, progress=progress)


def units_to_adjudicate(study: Study) -> tuple[SessionMaterials, list[str]]:
    """Return the materials of an adjudication and its disputed units; raises errors that need no server."""
    materials, event_log = materials_to_open(study, "adjudication"), EventLog(study.judgments)
    units = disputed(materials, materials.counted(event_log))
    if event_log.state.current is None and not units:
        raise JudgmentError(
            "there is nothing to adjudicate: no unit has differing votes",
            remedy=f"continue with `nextset run {study.folder}`",
        )
    return materials, units
