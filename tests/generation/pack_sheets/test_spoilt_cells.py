"""Cells that were filled in at the wrong place, spoilt by a spreadsheet, or do not fit the pack."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.generation.pack_sheets.cell_check import checked_text, doubt
from nextset.generation.pack_sheets.incomplete_pack import read_incomplete_pack
from nextset.generation.pack_sheets.pack_cells import pack_cells
from nextset.generation.pack_sheets.sheet_import import import_language
from nextset.generation.pack_sheets.sheet_rows import WrongSheet
from nextset.generation.pack_sheets.template_slots import slot_problems
from nextset.word_lists import FOLDER
from tests.generation.pack_sheets.small_packs import GERMAN, write_pack
from tests.generation.pack_sheets.test_sheet_import import files_of, rows_of, save

SPAIN = "subjects/countries.yaml#/subjects/Spain/forms/dem.m"
STREET = "templates/nationality.yaml#/templates/same_street/"
CHOIR = "templates/nationality.yaml#/statements/choir/"
CONTEXT = "[g?m=Ein|f=Eine] [subj1:dem] wohnt bei [g?m=einem|f=einer] "


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_pack(tmp_path / "de", GERMAN)


def refused(pack: Path, place: str, text: str) -> str:
    """Why the text is refused, with its line."""
    sheet = pack.with_name("de.csv")
    rows = rows_of(pack, sheet)
    before = files_of(pack)
    for row in rows:
        row["text"] = text if row["place"] == place else row["text"]
    save(sheet, rows)
    with pytest.raises(WrongSheet) as caught:
        import_language(sheet, pack)
    assert files_of(pack) == before
    (problem,) = caught.value.problems
    assert problem.place == place
    assert rows[problem.line - 2]["place"] == place
    return problem.message


def test_texts_in_so_far_are_not_lost(pack: Path, tmp_path: Path) -> None:
    rows = rows_of(pack, tmp_path / "de.csv")
    for row in rows:
        row["so_far"] = row["so_far"] or "Wort"
    save(tmp_path / "de.csv", rows)
    with pytest.raises(WrongSheet, match="did you mean the column text") as caught:
        import_language(tmp_path / "de.csv", pack)
    assert len(caught.value.problems) == 12  # the empty cells


def test_another_text_in_so_far_is_noticed(pack: Path, tmp_path: Path) -> None:
    rows = rows_of(pack, tmp_path / "de.csv")
    rows[0]["so_far"] = "Türkei"
    save(tmp_path / "de.csv", rows)
    (notice,) = import_language(tmp_path / "de.csv", pack).doubtful
    assert (notice.line, "'Türkei' in the column so_far" in notice.note) == (2, True)


@pytest.mark.parametrize("text", ["=Spanier", "#NAME?", "#REF!", "#N/A", "#DIV/0!"])
def test_formulas_and_error_values_are_refused(pack: Path, text: str) -> None:
    assert "formula or error value" in refused(pack, SPAIN, text)


def test_a_line_break_is_called_one(pack: Path) -> None:
    assert "the cell has a line break" in refused(pack, SPAIN, "Spanier\nIberer")


@pytest.mark.parametrize(
    ("text", "note"), [("?? Spanier", "were letters lost"), ("Spanier / Iberer", "write only the text")]
)
def test_doubtful_texts_are_taken_with_a_notice(pack: Path, tmp_path: Path, text: str, note: str) -> None:
    rows = rows_of(pack, tmp_path / "de.csv")
    for row in rows:
        row["text"] = text if row["place"] == SPAIN else row["text"]
    save(tmp_path / "de.csv", rows)
    done = import_language(tmp_path / "de.csv", pack)
    assert done.changed == (SPAIN,)
    (notice,) = done.doubtful
    assert (notice.place, note in notice.note) == (SPAIN, True)


@pytest.mark.parametrize(
    ("place", "text", "message"),
    [
        (STREET + "context", CONTEXT + "[subj2:dm].", "did you mean 'dem'"),
        (STREET + "context", "[g?maschio=Ein|femmina=Eine] [subj1:dem] und [subj2:dem].", "'maschio'"),
        (STREET + "context", "[subj2:dem] und [subj1:dem].", "[subj2] comes before [subj1]"),
        (STREET + "context", "[subj1:dem], [subj1:dem] und [subj2:dem].", "once each"),
        (STREET + "question", "Wer [p_act:neg]?", "the question has [p_act:neg]; write [p_act]"),
        (STREET + "question", "Wer [l_act]?", "write [p_act]"),
        (STREET + "question", "[g?m=Wer|f=Wer] [p_act]?", "depends on the pair's gender"),
        (STREET + "negated", "Wer [p_act]?", "write [p_act:neg]"),
        (STREET + "negated", "[mask] [p_act:neg]?", "[mask] does not belong"),
        (CHOIR + "negated", "[mask] [p_act].", "write [p_act:neg]"),
        (CHOIR + "negated", "[mask] [p_act:ngt].", "write [p_act:neg]"),
        (CHOIR + "negated", "[mask] [p_act:neg.ngt].", "did you mean 'neg'"),
        (CHOIR + "negated", "Er [p_act:neg].", "[mask] is missing"),
        (CHOIR + "negated", "[g?m=Der|n=Das] [mask] [p_act:neg].", "different genders"),
        (CHOIR + "negated", "[subj1.g?m=Der|f=Die] [mask] [p_act:neg].", "only in contexts"),
        (CHOIR + "negated", "[mask] [p_act:neg] [p_act:neg].", "is repeated"),
    ],
)  # fmt: skip
def test_slots_that_do_not_fit_the_pack_are_refused(pack: Path, place: str, text: str, message: str) -> None:
    assert message in refused(pack, place, text)


def test_a_case_that_no_form_has_yet_may_be_asked_for(pack: Path, tmp_path: Path) -> None:
    rows = rows_of(pack, tmp_path / "de.csv")
    for row in rows:
        if row["place"] == STREET + "context":
            row["text"] = CONTEXT + "[subj2:dem.gen]."
    save(tmp_path / "de.csv", rows)
    assert import_language(tmp_path / "de.csv", pack).changed == (STREET + "context",)


@pytest.mark.parametrize("name", sorted(p.parent.name for p in FOLDER.glob("*/pack.yaml")))
def test_texts_of_packs_that_come_with_nextset_would_be_taken(name: str) -> None:
    pack = read_incomplete_pack(FOLDER / name)
    cells = {cell.place: cell for cell in pack_cells(pack)}
    found = [
        (p, c.text, m) for p, c in cells.items() if (m := checked_text(c, c.text).problem or doubt(c.text))
    ]
    assert found == []
    assert slot_problems(pack, cells, {place: cell.text for place, cell in cells.items()}) == {}
