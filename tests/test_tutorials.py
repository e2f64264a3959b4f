"""docs/tutorials: the commands that need no server give the output that the pages show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs_pages import ROOT
from tests.page_commands import output_matches, run_steps, steps_of

TUTORIALS = ROOT / "docs" / "tutorials"


@pytest.mark.slow
@pytest.mark.parametrize("name", [page.stem for page in sorted(TUTORIALS.glob("*.md"))])
def test_the_tutorial_gives_what_the_page_shows(name: str, tmp_path: Path) -> None:
    """In run_a_session.md a table plays the annotators, whose session needs a server and a browser."""
    page = (TUTORIALS / f"{name}.md").read_text(encoding="utf-8")
    for shown, given in zip(steps_of(page), run_steps(page, tmp_path), strict=True):
        if shown.start >= 0:
            assert output_matches(shown.output, given.output), (
                f"{given.text}\n\ngives\n\n{given.output}\nThe page shows\n\n{shown.output}\n"
                f"`python -m tests.page_commands docs/tutorials/{name}.md` writes the outputs again."
            )
