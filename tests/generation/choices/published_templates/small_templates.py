"""Small files of templates of our own in the formats of BBQ, KoBBQ and EsBBQ."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

__all__ = [
    "bbq_row",
    "csv_bytes",
    "kobbq_row",
    "spanish_row",
    "workbook_bytes",
    "write_bbq",
    "write_bbq_labels",
    "write_kobbq",
    "write_spanish",
]

_BBQ = {
    "Q_id": "1",
    "version": "a",
    "Subcategory": "",
    "Ambiguous_Context": "A {{NAME1}} and a {{NAME2}} sat in the {{WORD1}}. ",
    "Disambiguating_Context": "The {{NAME1}} lost the {{WORD2}}, and the {{NAME2}} found it.",
    "Names": "NAME1: [grandmother, aged uncle]; NAME2: [pupil]",
    "Lexical_diversity": "WORD1: [bus, tram]; {{WORD2}}: [key, ticket, map]",
    "Proper_nouns_only": "",
    "Question_negative_stereotype": "Who was forgetful?",
    "Question_non_negative": "Who was attentive?",
    "Answer_negative": "The {{NAME1}}",
    "Answer_non_negative": "The {{NAME2}}",
    "Relevant_social_values": "memory",
    "Known_stereotyped_groups": '["old"]',
    "Known_stereotyped_race": "",
    "Known_stereotyped_var2": "",
    "Var2_info": "",
    "NAME1_info": "old",
    "NAME2_info": "nonOld",
    "Notes": "Made for the tests",
}
_SWAPPED = {
    "version": "b",
    "Names": "NAME1: [pupil]; NAME2: [grandmother, aged uncle]",
    "NAME1_info": "nonOld",
    "NAME2_info": "old",
}
_LABELS = (
    *(("Drinks", "", name, group) for name, group in (("tea", "hot"), ("cocoa", "hot"), ("juice", "cold"))),
    ("Race_ethnicity", "", "Elf", ""),
    ("Race_ethnicity", "", "Orc", ""),
    ("SES", "Occupation", "baker", "lowSES"),
    ("SES", "Occupation", "judge", "highSES"),
)
_NAMES = (
    *((name, "first", gender, people) for name, gender, people in
      (("Ana", "F", "Elf"), ("Bo", "M", "Elf"), ("Cleo", "F", "Orc"), ("Dan", "M", "Orc"))),
    ("Fir", "last", "", "Elf"),
    ("Gor", "last", "", "Orc"),
    ("Hal", "first_only", "M", ""),
    ("Ida", "first_only", "F", ""),
    ("Joy", "first_only", "F", ""),
)  # fmt: skip

_KOBBQ = {
    "Category": "Age",
    "ID": "7",
    "version": "a",
    "Stereotype": "느림",
    "Ambiguous_context": "가게에서 [N1: 노인과, 할아버지와]  [N2: 학생을] [W1: 보았습니다, 만났습니다].",
    "Disambiguating_context": "[N1: 노인은, 할아버지는] 느렸고 [N2: 학생은] 빨랐습니다.",
    "Names": "N1: [노인, 할아버지]; N2: [학생]",
    "Lexical_diversity": "W1: [보았습니다, 만났습니다]",
    "Biased_question": "누가 느렸습니까?",
    "Counter-biased_question": "누가 빨랐습니까?",
    "Biased_question_answer": "[N1: 노인, 할아버지]",
    "Counter-biased_question_answer": "[N2: 학생]",
    "N1_info": "노년",
    "N2_info": "청년",
    "Target_group": "노년",
    "Reference": "Made for the tests",
}
_KOBBQ_SWAPPED = {
    "version": "b",
    "Ambiguous_context": "가게에서 [N1: 학생과] [N2: 노인을, 할아버지를] [W1: 보았습니다, 만났습니다].",
    "Disambiguating_context": "[N1: 학생은] 느렸고 [N2: 노인은, 할아버지는] 빨랐습니다.",
    "Names": "N1: [학생]; N2: [노인, 할아버지]",
    "Biased_question_answer": "[N1: 학생]",
    "Counter-biased_question_answer": "[N2: 노인, 할아버지]",
    "N1_info": "청년",
    "N2_info": "노년",
}
_SPANISH = {
    "esbbq_template_id": "3.0",
    "version": "",
    "esbbq_category": "Drinks",
    "ambiguous_context_es": "una persona {{NAME1}} y otra {{NAME2}} leían.  era tarde.",
    "disambiguating_context_es": "la persona {{NAME2}} trajo {{WORD1-indef}}.",
    "lexical_diversity_es": "WORD1-indef: [un libro, una carta]; WORD1-def: [el libro, la carta]",
    "question_negative_stereotype_es": "¿quién trajo {{WORD1-def}}?",
    "question_non_negative_es": "¿Quién leía?",
    "answer_negative_es": "la persona {{NAME2}}",
    "answer_non_negative_es": "La persona {{NAME1}}",
    "relevant_social_values_es": "lectura",
    "stereotyped_groups_es": '["listo", "sabio"]',
    "non_stereotyped_groups_es": '["lento"]',
    "stated_gender_info": "fake-f",
    "esbbq_source": '["Made for the tests"]',
}
_SPANISH_LABELS = (("listo", "lista"), ("sabio", "sabia"), ("lento", "lenta"))


def bbq_row(**cells: str) -> dict[str, str]:
    """Return a row of BBQ, with some ``cells`` changed."""
    return _BBQ | cells


def kobbq_row(**cells: str) -> dict[str, str]:
    """Return a row of KoBBQ, with some ``cells`` changed; an underscore ahead stands for a hyphen."""
    return _KOBBQ | cells


def spanish_row(**cells: str) -> dict[str, str]:
    """Return a row of EsBBQ, with some ``cells`` changed."""
    return _SPANISH | cells


def csv_bytes(rows: Sequence[Mapping[str, str]], separator: str = ",") -> bytes:
    """Return a table with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def write_bbq(folder: Path, *rows: Mapping[str, str], name: str = "Age.csv") -> Path:
    """Write templates, versions a and b of one by default, and both vocabularies; return the file."""
    columns = ("Category", "SubCat", "Name", "Info")
    labels = [dict(zip(columns, label, strict=True)) | {"Pilot_include": ""} for label in _LABELS]
    (folder / "vocabulary.csv").write_bytes(
        csv_bytes([*labels, labels[0] | {"Name": "left out", "Pilot_include": "No"}])
    )
    columns = ("Name", "First_last", "gender", "ethnicity")
    names = [dict(zip(columns, proper, strict=True)) for proper in _NAMES]
    (folder / "vocabulary_proper_names.csv").write_bytes(csv_bytes(names))
    (folder / name).write_bytes(csv_bytes(rows or (_BBQ, _BBQ | _SWAPPED)))
    return folder / name


def write_bbq_labels(folder: Path) -> Path:
    """Write a template whose people are words of the vocabulary; return the file."""
    row = bbq_row(Names="", NAME1_info="", NAME2_info="", Known_stereotyped_groups='["tea"]')
    return write_bbq(folder, row, name="Drinks.csv")


def write_kobbq(folder: Path, *rows: Mapping[str, str]) -> Path:
    """Write templates, versions a and b of one by default; return the file."""
    file = folder / "templates.tsv"
    file.write_bytes(csv_bytes(rows or (_KOBBQ, _KOBBQ | _KOBBQ_SWAPPED), "\t"))
    return file


def write_spanish(folder: Path, *rows: Mapping[str, str]) -> Path:
    """Write a workbook of templates and its vocabularies; return the file."""
    labels = [
        {"category": "Drinks", "subcategory": "", "name_es": text, "f_es": feminine, "information": ""}
        for text, feminine in _SPANISH_LABELS
    ]
    names = [{"proper_name_es": "Ana", "gender": "f", "ethnicity_es": "elfo"}]
    (folder / "vocabulary.xlsx").write_bytes(workbook_bytes(labels))
    (folder / "vocabulary_proper_names.xlsx").write_bytes(workbook_bytes(names))
    file = folder / "Drinks.xlsx"
    file.write_bytes(workbook_bytes(rows or (_SPANISH,)))
    return file


def workbook_bytes(rows: Sequence[Mapping[str, str]], *, sheet: str = "", strings: str = "") -> bytes:
    """Return a workbook with the rows below a header; texts that begin with = are formulas.

    ``sheet`` and ``strings`` replace the XML of the sheet and of its shared strings.
    """
    texts = [list(rows[0]), *([*row.values()] for row in rows)]
    shared = list(dict.fromkeys(text for row in texts for text in row))
    cells = "".join(
        f'<row r="{line}">' + "".join(_cell(text, line, i, shared) for i, text in enumerate(row)) + "</row>"
        for line, row in enumerate(texts, 1)
    )
    listed = "".join(f"<si><t>{escape(text)}</t></si>" for text in shared)
    parts = {
        "xl/workbook.xml": '<workbook xmlns:r="r"><sheets><sheet r:id="rId7"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships><Relationship Id="rId7" Target="worksheets/a.xml"/>'
        "</Relationships>",
        "xl/sharedStrings.xml": strings or f"<sst>{listed}</sst>",
        "xl/worksheets/a.xml": sheet or f"<worksheet><sheetData>{cells}</sheetData></worksheet>",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _cell(text: str, line: int, column: int, shared: Sequence[str]) -> str:
    if not text:
        return ""
    place = f"{chr(ord('A') + column)}{line}"
    if text.startswith("="):
        return f'<c r="{place}" t="str"><f>{escape(text[1:])}</f><v>0</v></c>'
    if text.replace(".", "").isdecimal():
        return f'<c r="{place}"><v>{text}</v></c>'
    return f'<c r="{place}" t="s"><v>{shared.index(text)}</v></c>'
