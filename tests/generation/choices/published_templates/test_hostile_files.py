from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest

from nextset.errors import InputError, StudyError, TemplateError, WordListError
from nextset.generation.choices.published_templates.template_tables import read_templates, template_paths
from nextset.generation.choices.published_templates.workbook_rows import workbook_rows
from tests.generation.choices.published_templates.small_templates import (
    bbq_row,
    kobbq_row,
    spanish_row,
    workbook_bytes,
    write_bbq,
    write_kobbq,
    write_spanish,
)
from tests.mutations import mutated


def refusal(file: Path, language: str = "en") -> InputError:
    with pytest.raises(InputError) as caught:
        read_templates(file, language)
    assert len(str(caught.value)) < 2_400
    return caught.value


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"Question_non_negative": ""}, "'Question_non_negative' is empty"),
        ({"Ambiguous_Context": "a" * 20_001}, "20,001 characters, more than 20,000"),
        (
            {"Lexical_diversity": "; ".join(f"WORD{i}: [{'a,' * 900}]" for i in range(9))},
            "more than 1,000,000,000,000 sets",
        ),
    ],
)
def test_a_bad_cell_is_refused_with_its_line(tmp_path: Path, cells: dict[str, str], problem: str) -> None:
    error = refusal(write_bbq(tmp_path, bbq_row(), bbq_row(Q_id="2", **cells)))
    assert problem in str(error)
    assert (error.file, error.line) == (tmp_path / "Age.csv", 3)


def test_a_row_twice_is_refused(tmp_path: Path) -> None:
    assert "stands in line 2 too" in str(refusal(write_bbq(tmp_path, bbq_row(), bbq_row())))


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"Names": "N1: [노인]"}, "the slot NAME2 has no list"),
        ({"Disambiguating_context": "[N1: 노인은] 느렸습니다."}, "fewer entries than the list"),
        ({"Biased_question": "누가 [W9: 하나] 느렸습니까?"}, "the slot W9 has no list"),
    ],
)  # fmt: skip
def test_a_korean_slot_needs_its_list(tmp_path: Path, cells: dict[str, str], problem: str) -> None:
    error = refusal(write_kobbq(tmp_path, kobbq_row(**cells)), "ko")
    assert problem in str(error)
    assert error.line == 2


def test_a_file_that_is_no_table_of_templates_is_refused(tmp_path: Path) -> None:
    for name, raw in (("a.csv", b"x,y\n1,2\n"), ("b.tsv", b""), ("c.xlsx", workbook_bytes([{"x": "1"}]))):
        (tmp_path / name).write_bytes(raw)
        assert "not the columns of BBQ, KoBBQ or EsBBQ" in str(refusal(tmp_path / name))
    (tmp_path / "d.txt").write_bytes(b"")
    assert ".txt is not a format" in str(refusal(tmp_path / "d.txt"))
    (tmp_path / "e.csv").write_bytes(b"\xff\xfe" + "Q_id,".encode("utf-16-le"))
    assert "UTF-16" in str(refusal(tmp_path / "e.csv"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(TemplateError, match="has no files of published templates"):
        template_paths(tmp_path / "empty")


def test_too_many_rows_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "Age.csv"
    file.write_bytes(b"Q_id,x\n" + b"1,2\n" * 20_001)
    assert "more than 20,000 rows" in str(refusal(file))
    with file.open("wb") as large:
        large.truncate((32 << 20) + 1)
    assert "too many for templates" in str(refusal(file))


def test_a_vocabulary_must_be_there_and_have_its_columns(tmp_path: Path) -> None:
    file = write_bbq(tmp_path, bbq_row(Names=""), name="Drinks.csv")
    (tmp_path / "vocabulary.csv").write_bytes(b"Category,Name\nDrinks,tea\n")
    with pytest.raises(WordListError, match="the column 'SubCat' is missing"):
        read_templates(file, "en")
    (tmp_path / "vocabulary.csv").unlink()
    with pytest.raises(WordListError, match="take their people from it"):
        read_templates(file, "en")


def test_languages_that_a_format_lacks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="the study's language is de"):
        read_templates(write_bbq(tmp_path), "de")
    with pytest.raises(StudyError, match="the study's language is en"):
        read_templates(write_spanish(tmp_path), "en")


def test_a_formula_is_refused_where_a_text_is_wanted(tmp_path: Path) -> None:
    file = write_spanish(tmp_path, spanish_row(), spanish_row(question_non_negative_es="=HYPERLINK(1)"))
    error = refusal(file, "es")
    assert "'question_non_negative_es' is a formula" in str(error)
    assert error.line == 3
    assert read_templates(write_spanish(tmp_path, spanish_row(notes="=1+1")), "es").templates


SHEET = '<worksheet><sheetData><row r="1">{}</row></sheetData></worksheet>'
BOMB = '<!DOCTYPE a [<!ENTITY b "cc"><!ENTITY d "&b;&b;">]><sst><si><t>&d;</t></si></sst>'


@pytest.mark.parametrize(
    ("sheet", "strings", "problem"),
    [
        ("", BOMB, "declares a document type"),
        ("", "<sst><si>", "not a workbook, or it is damaged"),
        (SHEET.format('<c r="A1" t="s"><v>7</v></c>'), "<sst></sst>", "A1 refers to the text '7'"),
        (SHEET.format('<c r="A1" t="s"><v>²</v></c>'), "<sst></sst>", "A1 refers to the text"),
        (SHEET.format("<c><v>7</v></c>"), "", "has no reference"),
        (SHEET.format("".join(f'<c r="{a}{b}1"><v>7</v></c>' for a in "ABCDEFGHIJKLMNOPQRST" for b in
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ")), "", "row 1 has more than 500 columns"),
        (SHEET.format('<c r="A1" t="str"><v>x</v></c><c r="B1" t="str"><v>x</v></c>'), "",
         "two columns 'x'"),
    ],
)  # fmt: skip
def test_a_damaged_or_hostile_workbook_is_refused(
    tmp_path: Path, sheet: str, strings: str, problem: str
) -> None:
    file = tmp_path / "a.xlsx"
    file.write_bytes(workbook_bytes([spanish_row()], sheet=sheet, strings=strings))
    assert problem in str(refusal(file, "es"))


def test_a_part_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    file.write_bytes(workbook_bytes([spanish_row()], strings=" " * ((64 << 20) + 1)))
    assert file.stat().st_size < 1 << 20
    assert "has more than 67,108,864 bytes" in str(refusal(file, "es"))


def test_a_workbook_without_parts_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as empty:
        empty.writestr("other.xml", "<a/>")
    for raw, problem in (
        (packed.getvalue(), "has no part xl/workbook.xml"),
        (b"PK\x03\x04", "not a workbook"),
        (b"", "not a workbook"),
        (workbook_bytes([spanish_row()])[:-40], "not a workbook"),
    ):
        file.write_bytes(raw)
        assert problem in str(refusal(file, "es"))


def test_texts_of_workbooks_are_read_in_all_their_forms(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    head = "".join(f'<c r="{c}1" t="str"><v>{c}</v></c>' for c in "ABCD")
    row = (
        '<row r="4"><c r="A4" t="inlineStr"><is><t>in </t><t>line</t></is></c><c r="B4"><v>12.0</v></c>'
        '<c r="C4" t="b"><v>1</v></c><c r="D4" t="s"><v>0</v></c></row>'
    )
    strings = "<x:sst xmlns:x='x'><x:si><x:r><x:t>rich</x:t></x:r><x:rPh><x:t>no</x:t></x:rPh></x:si></x:sst>"
    file.write_bytes(workbook_bytes([{}], sheet=SHEET.format(f"{head}</row>{row}<row>"), strings=strings))
    [read] = workbook_rows(file, TemplateError)
    assert read.line == 4
    assert read.cells == {"A": "in line", "B": "12", "C": "1", "D": "rich"}


@pytest.mark.parametrize("part", ["xl/worksheets/a.xml", "xl/sharedStrings.xml", "xl/workbook.xml"])
def test_a_mutated_part_of_a_workbook_is_read_or_refused(tmp_path: Path, part: str) -> None:
    raw = workbook_bytes([spanish_row()])
    file = write_spanish(tmp_path)
    with zipfile.ZipFile(io.BytesIO(raw)) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    refused = 0
    for i in range(40):
        mutant = mutated(parts[part], random.Random(f"{part}-{i}"))
        with zipfile.ZipFile(file, "w") as packed:
            for name, content in parts.items():
                packed.writestr(name, mutant if name == part else content)
        try:
            read_templates(file, "es")
        except InputError as e:
            refused += 1
            assert e.file == file
    assert refused > 0
