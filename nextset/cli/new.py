"""`nextset new`: a starter study with one template, ready to run."""

from __future__ import annotations

import os
from pathlib import Path

from nextset.errors import StudyError
from nextset.files.atomic_files import write_atomically
from nextset.folded_names import ascii_name
from nextset.study.study_folder import Study

__all__ = ["STARTER", "new_study"]

STARTER = Path(__file__).parents[1] / "starter"
"""The folder of the study that `new_study` copies."""


def new_study(folder: Path | str) -> Study:
    """Create ``folder`` with a study.yaml of twelve lines and one template; return the study.

    Raises StudyError if the folder is not empty, or is a file or inside one.
    """
    folder = Path(folder)
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if not there.is_dir():
        raise StudyError(
            "this is a file, not a folder", file=there, remedy="name a folder that does not exist"
        )
    if folder.exists() and any(folder.iterdir()):
        raise StudyError("the folder is not empty", file=folder, remedy="name a folder that does not exist")
    name = ascii_name(folder.resolve().name, "-").strip("-._")[:96] or "my-study"
    for source in sorted(p for p in STARTER.rglob("*") if p.is_file()):
        text = source.read_text(encoding="utf-8").replace("STUDY_NAME", name)
        write_atomically(folder / source.relative_to(STARTER), text.encode())
    return Study.load(folder)
