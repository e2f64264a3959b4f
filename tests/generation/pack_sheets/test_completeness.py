"""The status of a pack: what is filled, by class and by form, and a sheet of the rest."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from nextset.errors import WordListError
from nextset.generation.pack_sheets.completeness import language_status
from nextset.generation.pack_sheets.sheet_import import import_language
from nextset.word_lists import FOLDER
from tests.generation.pack_sheets.small_packs import GERMAN, write_pack


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_pack(tmp_path / "de", GERMAN)


def test_cells_are_counted_by_class_and_form(pack: Path) -> None:
    status = language_status(pack)
    by_form = {f.name: (f.filled, f.cells) for f in status.by_form}
    # three countries; the context of same_street asks for dem and dem.dat, and dem.m and dem.f are declared
    assert by_form == {
        "countries: base form": (3, 3),
        "countries: dem.m": (1, 3),
        "countries: dem.f": (1, 3),
        "countries: dem.m.dat": (0, 3),
        "countries: dem.f.dat": (0, 3),
        "person attributes: base form": (2, 2),
        "person attributes: neg": (1, 2),
        "templates of nationality: context": (2, 2),
        "templates of nationality: question": (1, 1),
        "templates of nationality: negated": (1, 2),
        "templates of nationality: statement": (1, 1),
        "prefixes: base form": (1, 1),
    }
    # 5 of 15 forms of countries, 3 of 4 of attributes, 5 of 6 texts of templates; the prefix is of no class
    assert [(c.name, c.filled, c.cells) for c in status.by_class] == [("nationality", 13, 25)]
    assert (status.total.filled, status.total.cells, status.total.share) == (14, 26, 14 / 26)
    assert (status.problem, status.lacking, status.checked_by) == ("", (), ())


def test_the_missing_cells_are_a_sheet_to_hand_out(pack: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "missing.csv"
    status = language_status(pack, sheet)
    assert status.missing == sheet
    with sheet.open(encoding="utf-8-sig", newline="") as f:
        rows = list(csv.DictReader(f))
    assert len(rows) == 26 - 14
    assert rows[0]["note"].startswith("Content warning")
    for row in rows:
        row["text"] = "Wort" + str(len(row["place"])) if "#/subjects" in row["place"] else ""
    with sheet.open("w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert len(import_language(sheet, pack).changed) == 10
    assert language_status(pack).total.filled == 24


def test_derived_forms_are_not_missing(pack: Path) -> None:
    turkish = {
        **GERMAN,
        "pack.yaml": GERMAN["pack.yaml"]
        .replace("language: de", "language: tr\nderive: [turkish-cases]")
        .replace("forms: {countries: [dem.m, dem.f]}", ""),
        "subjects/countries.yaml": (
            'format: 1\nsubjects:\n  A: {forms: {"": İran, dem: Türk}}\n  B: {forms: {dem: ""}}\n'
        ),
    }
    write_pack(pack, turkish)
    counted = {f.name: (f.filled, f.cells) for f in language_status(pack).by_form}
    assert counted["countries: dem"] == (1, 2)
    assert "countries: dem.dat" not in counted


def test_what_a_class_lacks_is_said(pack: Path) -> None:
    (pack / "templates" / "nationality.yaml").unlink()
    assert language_status(pack).lacking == ("nationality has no templates",)
    write_pack(pack, {"templates/nationality.yaml": GERMAN["templates/nationality.yaml"]})
    (pack / "attributes" / "acts.yaml").unlink()
    assert language_status(pack).lacking == ("nationality has no attributes of the kind person",)


@pytest.mark.parametrize("name", sorted(p.parent.name for p in FOLDER.glob("*/pack.yaml")))
def test_packs_that_come_with_nextset_are_complete(name: str) -> None:
    status = language_status(f"builtin:{name}")
    assert (status.total.share, status.lacking, status.problem) == (1.0, (), "")


def test_a_complete_pack_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    import shutil

    shutil.copytree(FOLDER / "en", tmp_path / "en")
    file = tmp_path / "en" / "templates" / "gender.yaml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("[subj2] at", "[subj2:gen] at"), encoding="utf-8"
    )
    status = language_status(tmp_path / "en")
    # every name now needs a genitive
    assert status.total.cells - status.total.filled == 140
    file.write_text(
        file.read_text(encoding="utf-8").replace("[subj2:gen] at", "[subj1] at"), encoding="utf-8"
    )
    assert "the context has [subj1] and [subj1]" in language_status(tmp_path / "en").problem


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("pack.yaml", "countries: [dem.m", "towns: [dem.m", "no class has the list 'towns'"),
        ("pack.yaml", "[dem.m, dem.f]", "[dem., dem.f]", "'dem.' is not a form"),
        ("pack.yaml", "classes:", "clases:", "unknown key"),
        ("templates/nationality.yaml", "class: nationality", "class: religion", "is not in pack.yaml"),
        ("subjects/countries.yaml", "cluster: europe", "clustr: europe", "unknown key"),
        ("subjects/countries.yaml", '{"": Polen}', "{'': [Polen]}", "not a text"),
        ("attributes/acts.yaml", "kind: person", "kind:", "kind"),
    ],
)
def test_what_is_wrong_but_not_empty_is_refused(
    pack: Path, file: str, old: str, new: str, message: str
) -> None:
    path = pack / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(WordListError, match=message) as caught:
        language_status(pack)
    assert caught.value.file == path


def test_a_folder_without_a_pack_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WordListError, match=r"no pack\.yaml"):
        language_status(tmp_path)
    with pytest.raises(WordListError, match="no language pack 'builtin:xx'"):
        language_status("builtin:xx")
