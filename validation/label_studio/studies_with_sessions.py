"""The studies with a session on a server, recorded when it is opened: the gateway reads their plans."""

from __future__ import annotations

import os
from pathlib import Path

from nextset.errors import JudgmentError
from nextset.files.json_lines import append_lines, read_lines

__all__ = ["note_study", "noted_studies", "study_gone"]

_NAME = "studies.jsonl"


def note_study(folder: Path, study: Path) -> None:
    """Record in the server's ``folder`` that ``study`` has a session on it."""
    study = study.absolute()
    if study not in noted_studies(folder):
        append_lines(folder / _NAME, [{"study": str(study)}])


def noted_studies(folder: Path) -> tuple[Path, ...]:
    """Return the folders of the recorded studies, in order; raises JudgmentError if the file is damaged."""
    lines = read_lines(folder / _NAME, JudgmentError)
    named = [line.fields["study"] for line in lines if line.fields and "study" in line.fields]
    return tuple(dict.fromkeys(Path(name) for name in named if isinstance(name, str) and _is_path(name)))


def study_gone(folder: Path) -> bool:
    """Return whether ``folder`` has neither a study.yaml nor judgments, or cannot be read.

    The study was then moved or removed, or its disk is not mounted.
    """
    try:
        return not {path.name for path in folder.iterdir()} & {"study.yaml", "judgments"}
    except OSError:
        return True


def _is_path(name: str) -> bool:
    """Return whether a file can have this name."""
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False
