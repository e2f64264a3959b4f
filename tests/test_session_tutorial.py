"""docs/tutorials/run_a_session.md: its commands that need no server give the output that the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs_pages import ROOT
from tests.release_walk import output_matches, steps_of, walked

PAGE = ROOT / "docs" / "tutorials" / "run_a_session.md"


@pytest.mark.slow
def test_the_tutorial_gives_what_the_page_shows(tmp_path: Path) -> None:
    """A table plays the annotators, whose session needs a server and a browser."""
    page = PAGE.read_text(encoding="utf-8")
    for shown, given in zip(steps_of(page), walked(page, tmp_path), strict=True):
        if shown.start >= 0:
            assert output_matches(shown.output, given.output), (
                f"{given.text}\n\ngives\n\n{given.output}\nThe page shows\n\n{shown.output}\n"
                f"`python -m tests.release_walk {PAGE.relative_to(ROOT)}` writes the outputs anew."
            )
