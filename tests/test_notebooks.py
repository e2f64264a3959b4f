"""The notebooks of the docs: each runs and gives the outputs that are saved in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nextset.html.content_warning import CONTENT_WARNING
from tests.notebook_execution import NOTEBOOKS, executed, outputs, read

EACH = pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)


def test_there_are_four() -> None:
    assert [file.stem for file in NOTEBOOKS] == [
        "author_templates",
        "compare_models",
        "read_session_results",
        "work_with_tables",
    ]


@EACH
@pytest.mark.slow
def test_the_saved_outputs_are_those_of_its_code(file: Path, tmp_path: Path) -> None:
    assert outputs(executed(file, tmp_path)) == outputs(read(file))


@EACH
def test_it_begins_with_the_content_warning(file: Path) -> None:
    first = read(file).cells[0]
    assert first.cell_type == "markdown"
    assert CONTENT_WARNING.removeprefix("Content warning: ") in first.source


@EACH
def test_its_outputs_have_no_warnings_and_no_paths_of_a_machine(file: Path) -> None:
    found = [output for cell in read(file).cells for output in cell.get("outputs", ())]
    assert {output.output_type for output in found} <= {"execute_result", "display_data", "stream"}
    assert "stderr" not in {output.get("name") for output in found}
    assert not re.search(r"[\s\"'(>]/(?:tmp|var|home|root|Users|private)/", file.read_text(encoding="utf-8"))


@EACH
def test_its_cells_are_numbered_and_in_order(file: Path) -> None:
    cells = read(file).cells
    counts = [cell.execution_count for cell in cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    assert [cell.id for cell in cells] == [f"cell-{n}" for n in range(1, len(cells) + 1)]


@EACH
def test_its_links_lead_somewhere(file: Path) -> None:
    text = "\n".join(cell.source for cell in read(file).cells if cell.cell_type == "markdown")
    targets = re.findall(r"\]\(([^)#\s]+)", text)
    assert targets
    for target in targets:
        assert (file.parent / target).exists(), target
