"""A study as a notebook shows it: its name, its folder, the state of its stages and the next command."""

from __future__ import annotations

from nextset.errors import NextsetError
from nextset.html.notebook_html import notebook_block, notebook_line
from nextset.pipeline.status import status
from nextset.study.study_folder import Study

__all__ = ["study_html"]


def study_html(study: Study) -> str:
    """Return the name, the folder, the state of the stages and the next command of ``study`` as HTML."""
    heading = notebook_line("is a study in the folder", title=study.settings.name, code=study.folder.name)
    if not study.folder.is_dir():
        return notebook_block(heading, notebook_line("This folder no longer exists."))
    try:
        stages = status(study)
    except (OSError, NextsetError) as e:
        return notebook_block(heading, notebook_line(f"The state of its stages is not known: {e}"))
    done = all(stage.state in ("done", "unchecked") for stage in stages)
    return notebook_block(
        heading,
        stages._repr_html_(),
        notebook_line("Every stage is done.") if done else notebook_line("Next:", code="nextset.run(study)"),
    )
