"""The other copy of a study: the folder of its judgments, and a lock on both copies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from nextset.errors import JudgmentError
from nextset.files.folder_lock import locked_folder
from nextset.records.judgment import LOG_NAME
from nextset.validation.plan.event_log import PLAN_NAME

__all__ = ["both_locked", "judgments_of"]

_REMEDY = "give the folder of the other copy of the study, or its folder judgments"


def judgments_of(other: Path, own: Path) -> Path:
    """Return the folder of judgments of ``other``, which is a study's folder, its study.yaml, or judgments.

    ``own`` is the folder of judgments that it is merged into. Raises JudgmentError if ``other`` has no
    judgments, or if it is the same study, inside it or around it.
    """
    folder = other.parent if other.name == "study.yaml" else other
    if not folder.is_dir():
        raise JudgmentError("the folder does not exist", file=other, remedy=_REMEDY)
    has_logs = any(os.path.lexists(folder / name) for name in (LOG_NAME, PLAN_NAME))
    is_study = (folder / "study.yaml").is_file()
    if not (has_logs or is_study):
        raise JudgmentError(
            f"this is neither a study nor its judgments: study.yaml, {LOG_NAME} and {PLAN_NAME} are missing",
            file=folder,
            remedy=_REMEDY,
        )
    judgments = folder if has_logs else folder / "judgments"
    if not any(os.path.lexists(judgments / name) for name in (LOG_NAME, PLAN_NAME)):
        raise JudgmentError(
            f"this copy of the study has no judgments yet: {LOG_NAME} and {PLAN_NAME} are missing",
            file=judgments,
            remedy="choose the copy that has judgments; if this one had some, restore them from their backup",
        )
    _check_apart(judgments, own)
    return judgments


@contextmanager
def both_locked(own: Path, other: Path) -> Iterator[None]:
    """Lock two folders of judgments, always in the same order, so that two merges do not wait for each other.

    Raises StudyHeld while another process works on one of them, JudgmentError if ``other`` cannot be written.
    """
    with ExitStack() as locks:
        for folder in sorted((own, other), key=os.path.realpath):
            try:
                locks.enter_context(locked_folder(folder, "validate merge"))
            except OSError as e:
                if folder != other:
                    raise
                raise JudgmentError(
                    f"the folder cannot be locked: {e.strerror}",
                    file=other,
                    remedy="copy it to a place where you have write access, and merge that copy",
                ) from None
        yield


def _check_apart(other: Path, own: Path) -> None:
    theirs, ours = Path(os.path.realpath(other)), Path(os.path.realpath(own))
    if theirs == ours or (own.exists() and theirs.samefile(ours)):
        raise JudgmentError(
            "this is the study itself: it cannot be merged with itself", file=other, remedy=_REMEDY
        )
    study = ours.parent
    around = theirs.parent if (theirs.parent / "study.yaml").is_file() else theirs
    if theirs.is_relative_to(study) or study.is_relative_to(around):
        where = "inside the study that it" if theirs.is_relative_to(study) else "around the study that it"
        raise JudgmentError(
            f"this folder is {where} would be merged into",
            file=other,
            remedy="move it elsewhere; to restore a backup, copy its files over the logs",
        )
