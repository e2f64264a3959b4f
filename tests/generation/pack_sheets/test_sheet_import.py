"""Sheets of packs: what comes back is written into the files, and nothing else is."""

from __future__ import annotations

import csv
import io
import re
import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.errors import WordListError
from nextset.generation.pack_sheets.completeness import language_status
from nextset.generation.pack_sheets.incomplete_pack import read_incomplete_pack
from nextset.generation.pack_sheets.pack_cells import pack_cells
from nextset.generation.pack_sheets.pack_sheet import PACK_COLUMNS, write_pack_sheet
from nextset.generation.pack_sheets.sheet_import import import_language
from nextset.generation.pack_sheets.sheet_rows import WrongSheet
from nextset.word_lists import FOLDER
from tests.generation.pack_sheets.small_packs import GERMAN, TEXT, write_pack

EMPTY = {
    "subjects/countries.yaml#/subjects/Turkey/forms/dem.m.dat": "Türken",
    "subjects/countries.yaml#/subjects/Turkey/forms/dem.f.dat": "Türkin",
    "subjects/countries.yaml#/subjects/Spain/forms/dem.m": "Spanier",
    "subjects/countries.yaml#/subjects/Poland/forms/dem.f": "Polin",
    "attributes/acts.yaml#/attributes/litter/forms/neg": "hob Müll auf",
    "templates/nationality.yaml#/statements/choir/negated": "[g?m=Der|f=Die] [mask] [p_act:neg].",
}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_pack(tmp_path / "de", GERMAN)


def rows_of(pack: Path, sheet: Path) -> list[dict[str, str]]:
    write_pack_sheet(sheet, pack_cells(read_incomplete_pack(pack)))
    with sheet.open(encoding="utf-8-sig", newline="") as f:
        return list(csv.DictReader(f))


def save(
    sheet: Path,
    rows: list[dict[str, str]],
    separator: str = ",",
    end: str = "\r\n",
    quoting: int = csv.QUOTE_MINIMAL,
) -> None:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(
        out,
        list(rows[0]),
        delimiter=separator,
        lineterminator=end,
        quoting=quoting,  # type: ignore[arg-type]
    )
    writer.writeheader()
    writer.writerows(rows)
    sheet.write_text(out.getvalue(), encoding="utf-8-sig", newline="")


def files_of(pack: Path) -> dict[str, bytes]:
    return {p.relative_to(pack).as_posix(): p.read_bytes() for p in sorted(pack.rglob("*")) if p.is_file()}


def test_a_sheet_that_was_not_touched_changes_no_byte(pack: Path, tmp_path: Path) -> None:
    rows_of(pack, tmp_path / "de.csv")
    before = files_of(pack)
    done = import_language(tmp_path / "de.csv", pack)
    assert (done.changed, done.files, done.notes) == ((), (), ())
    assert files_of(pack) == before


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_filled_cells_are_written_and_everything_else_stays(
    pack: Path, tmp_path: Path, separator: str, end: str
) -> None:
    rows = rows_of(pack, tmp_path / "de.csv")
    for row in rows:
        row["text"] = EMPTY.get(row["place"], row["text"])
    rows[3]["note"] = "Is this the right word?"
    save(tmp_path / "de.csv", rows, separator, end, csv.QUOTE_ALL if end == "\n" else csv.QUOTE_MINIMAL)
    done = import_language(tmp_path / "de.csv", pack)
    assert set(done.changed) == set(EMPTY)
    assert [n.note for n in done.notes] == ["Is this the right word?"]
    after = {name: raw.decode() for name, raw in files_of(pack).items()}
    assert after["pack.yaml"] == GERMAN["pack.yaml"]
    assert after["subjects/countries.yaml"] == GERMAN["subjects/countries.yaml"].replace(
        "dem.f: Türkin}", 'dem.f: Türkin, "dem.m.dat": "Türken", "dem.f.dat": "Türkin"}'
    ).replace('dem.m: ""      #', 'dem.m: "Spanier"      #').replace(
        '{"": Polen}', '{"": Polen, "dem.f": "Polin"}'
    )
    assert after["templates/nationality.yaml"].endswith(
        '    negated: "[g?m=Der|f=Die] [mask] [p_act:neg]."\n'
    )


def test_a_text_that_changed_in_the_pack_meanwhile_is_not_overwritten(pack: Path, tmp_path: Path) -> None:
    rows = rows_of(pack, tmp_path / "de.csv")
    place = "subjects/countries.yaml#/subjects/Turkey/forms/dem.m"
    file = pack / "subjects" / "countries.yaml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("dem.m: Türke,", "dem.m: Mensch aus der Türkei,")
    )
    before = files_of(pack)
    assert import_language(tmp_path / "de.csv", pack).changed == ()  # the sheet has the old text, unchanged
    assert files_of(pack) == before
    for row in rows:
        row["text"] = "Türkischer" if row["place"] == place else row["text"]
    save(tmp_path / "de.csv", rows)
    with pytest.raises(WrongSheet, match="the pack now has 'Mensch aus der Türkei', but") as caught:
        import_language(tmp_path / "de.csv", pack)
    assert caught.value.problems[0].place == place
    assert files_of(pack) == before


def test_all_problems_are_reported_and_nothing_is_written(pack: Path, tmp_path: Path) -> None:
    rows = rows_of(pack, tmp_path / "de.csv")
    by_place = {row["place"]: row for row in rows}
    wrong = {
        "subjects/countries.yaml#/subjects/Spain/forms/dem.m": ("Spa[nier", "contains a bracket"),
        "subjects/countries.yaml#/subjects/Spain/forms/dem.f": ("ein  Wort", "extra spaces"),
        "subjects/countries.yaml#/subjects/Poland/forms/dem.m": (
            "Pole\u200f",
            "a control character or direction",
        ),
        "subjects/countries.yaml#/subjects/Poland/forms/dem.f": ("…", "has no letters"),
        "subjects/countries.yaml#/subjects/Poland/forms/dem.m.dat": ("x" * 2001, "2,001 characters"),
        "subjects/countries.yaml#/subjects/Poland/forms/dem.f.dat": ("a\0b", "a control character"),
        "attributes/acts.yaml#/attributes/litter/forms/neg": ("{hob} auf", "contains braces"),
        "templates/nationality.yaml#/templates/same_street/context": ("Beide.", r"\[subj1\] and \[subj2\]"),
        "templates/nationality.yaml#/templates/same_street/question": ("Wer?", "slot is missing"),
        "templates/nationality.yaml#/templates/same_street/negated": ("[subj1] [p_act]?", "does not belong"),
        "templates/nationality.yaml#/statements/choir/statement": ("[tag] [p_act]", "not a slot"),
    }
    for place, (text, _) in wrong.items():
        by_place[place]["text"] = text
    by_place["pack.yaml#/prefixes/news"]["english"] = "mine"
    good = dict(by_place["subjects/countries.yaml#/subjects/Turkey/forms/dem.m.dat"], text="Türken")
    save(tmp_path / "de.csv", [*rows, good, dict(rows[0], place="pack.yaml#/no/such/place")])
    before = files_of(pack)
    with pytest.raises(WrongSheet) as caught:
        import_language(tmp_path / "de.csv", pack)
    found = {problem.place: problem.message for problem in caught.value.problems}
    assert len(found) == len(wrong) + 3
    for place, (_, message) in wrong.items():
        assert re.search(message, found[place]), found[place]
    assert "the column english was changed" in found["pack.yaml#/prefixes/news"]
    assert "no such place" in found["pack.yaml#/no/such/place"]
    assert "also in line" in found[good["place"]]
    assert files_of(pack) == before


def test_a_text_that_is_not_nfc_is_normalised_with_a_notice(pack: Path, tmp_path: Path) -> None:
    rows = rows_of(pack, tmp_path / "de.csv")
    place = "subjects/countries.yaml#/subjects/Turkey/forms/dem.m.dat"
    for row in rows:
        row["text"] = "Tu\u0308rken" if row["place"] == place else row["text"]
    save(tmp_path / "de.csv", rows)
    done = import_language(tmp_path / "de.csv", pack)
    assert [n.place for n in done.normalised] == [place]
    assert '"Türken"' in (pack / "subjects" / "countries.yaml").read_text(encoding="utf-8")


def test_formulas_are_protected_and_come_back(pack: Path, tmp_path: Path) -> None:
    file = pack / "pack.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("(BERLIN) –", "=BERLIN() –"), encoding="utf-8")
    rows = rows_of(pack, tmp_path / "de.csv")
    assert rows[-1]["text"] == rows[-1]["so_far"] == "'=BERLIN() –"
    before = files_of(pack)
    import_language(tmp_path / "de.csv", pack)
    assert files_of(pack) == before
    rows[-1]["text"] = "'+BERLIN –"
    save(tmp_path / "de.csv", rows)
    import_language(tmp_path / "de.csv", pack)
    assert yaml.safe_load(file.read_text(encoding="utf-8"))["prefixes"]["news"] == "+BERLIN –"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "the columns 'place'"),
        (b"a,b\n1,2\n", "the columns 'place'"),
        (b"place,what,english,so_far,text,note,text\n", "there are two columns 'text'"),
        (b"place,what,english,so_far,text,note\n", "the sheet has no rows"),
        ("place,what,english,so_far,text,note\nx,,,,T\u00fcrke,\n".encode("cp1252"), "the file is not UTF-8"),
        ("place\twhat\n".encode("utf-16"), "UTF-16"),
        (b"PK\x03\x04rest", "a spreadsheet's own format"),
        (b"place,what,english,so_far,text,note\n" + b"x" * 200_000, "not CSV: field larger"),
        (b'place,what,english,so_far,text,note\n"x', "not CSV"),
        (b"place,what,english,so_far,text,note\n1,2,3,4,5,6,7\n", "differ in length .6 and 7 columns"),
        (b"sep=;\nplace;what;english;so_far;text;note\n", "the header is not in line 1, but in line 2"),
        (
            b"My,sheet\n\nplace,what,english,so_far,text,note\n",
            "the header is not in line 1, but in line 3",
        ),
        (b"\0" * 100, "the columns 'place'"),
    ],
    ids=str,
)
def test_a_file_that_is_no_sheet_is_refused(pack: Path, tmp_path: Path, raw: bytes, message: str) -> None:
    (tmp_path / "de.csv").write_bytes(raw)
    with pytest.raises(WordListError, match=message):
        import_language(tmp_path / "de.csv", pack)


@pytest.mark.parametrize("name", ["Text", "text ", "TEXT", "texts"])
def test_a_renamed_column_is_named(pack: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "de.csv").write_text(f"place,what,english,so_far,{name},note\n", encoding="utf-8")
    with pytest.raises(WordListError) as caught:
        import_language(tmp_path / "de.csv", pack)
    expected = f"rename {name!r} to 'text'" if name.strip() != "text" else "fill in the original sheet"
    assert caught.value.remedy == expected


def test_a_sheet_where_the_folder_should_be_is_called_one(pack: Path, tmp_path: Path) -> None:
    rows_of(pack, tmp_path / "de.csv")
    for wrong in (
        lambda: import_language(pack, tmp_path / "de.csv"),
        lambda: language_status(tmp_path / "de.csv"),
    ):
        with pytest.raises(WordListError, match="this is a sheet") as caught:
            wrong()
        assert "then the folder" in caught.value.remedy


def test_one_more_problem_is_singular(pack: Path, tmp_path: Path) -> None:
    rows = rows_of(pack, tmp_path / "de.csv")
    for row in rows[:2]:
        row["what"] = "mine"
    save(tmp_path / "de.csv", rows)
    with pytest.raises(WrongSheet, match=r"\(and 1 more problem\)"):
        import_language(tmp_path / "de.csv", pack)


def test_a_link_that_leads_to_itself_and_a_folder_are_refused(pack: Path, tmp_path: Path) -> None:
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    with pytest.raises(WordListError, match="this link leads nowhere"):
        import_language(tmp_path / "loop.csv", pack)
    with pytest.raises(WordListError, match="this is a folder"):
        import_language(tmp_path, pack)
    (pack / "subjects" / "countries.yaml").unlink()
    (pack / "subjects" / "countries.yaml").symlink_to(pack / "subjects" / "countries.yaml")
    with pytest.raises(WordListError, match="this link leads nowhere"):
        language_status(pack)


def test_a_pack_that_comes_with_nextset_is_not_written_to(tmp_path: Path) -> None:
    with pytest.raises(WordListError, match="does not change the packs"):
        import_language(tmp_path / "en.csv", "builtin:en")


def test_what_cannot_be_replaced_leaves_the_pack_as_it_was(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C between two files: the first one is brought back."""
    rows = rows_of(pack, tmp_path / "de.csv")
    for row in rows:
        row["text"] = EMPTY.get(row["place"], row["text"])
    save(tmp_path / "de.csv", rows)
    before = files_of(pack)
    replace, done = Path.replace, []

    def interrupted(self: Path, target: Path) -> Path:
        if target.suffix == ".yaml":
            done.append(target)
            if len(done) == 2:
                raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        import_language(tmp_path / "de.csv", pack)
    assert len(done) == 4  # two replacements, of which the second failed, and the way back of both
    assert files_of(pack) == before


NAME = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P"), exclude_characters="[]{}"),
    min_size=1,
    max_size=5,
)


@pytest.mark.slow
@settings(max_examples=30)
@given(
    st.dictionaries(NAME, st.tuples(TEXT, st.one_of(st.just(""), TEXT)), min_size=2, max_size=4),
    st.sampled_from([None, False, True]),
    st.sampled_from([",", ";", "\t"]),
    st.data(),
)
def test_any_texts_come_back_from_a_sheet(
    subjects: dict[str, tuple[str, str]], flow: bool | None, separator: str, data: st.DataObject
) -> None:
    """A pack with any names and texts, in any layout: exactly the filled cells change."""
    written = {name: {"forms": {"": base, "dem": dem}} for name, (base, dem) in subjects.items()}
    text = yaml.safe_dump(
        {"format": 1, "subjects": written}, default_flow_style=flow, allow_unicode=True, sort_keys=False
    )
    with tempfile.TemporaryDirectory() as folder:
        pack = write_pack(Path(folder) / "p", {**GERMAN, "subjects/countries.yaml": text})
        sheet = Path(folder) / "p.csv"
        rows = rows_of(pack, sheet)
        expected = yaml.safe_load(text)
        for row in rows:
            if row["place"].startswith("subjects/") and data.draw(st.booleans()):
                row["text"] = data.draw(TEXT)
                pointer = row["place"].split("#/", 1)[1].split("/")
                _, name, _, form = (step.replace("~1", "/").replace("~0", "~") for step in pointer)
                expected["subjects"][name]["forms"][form] = row["text"]
        save(sheet, rows, separator)
        import_language(sheet, pack)
        found = (pack / "subjects" / "countries.yaml").read_text(encoding="utf-8")
        assert yaml.safe_load(found) == expected
        if expected == yaml.safe_load(text):
            assert found == text
        # what is imported once is imported twice
        assert import_language(sheet, pack).changed == ()


@pytest.mark.slow
@settings(max_examples=60)
@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_are_imported_or_refused_with_a_line(raw: bytes) -> None:
    header = ",".join(PACK_COLUMNS).encode() + b"\n"
    with tempfile.TemporaryDirectory() as folder:
        pack = write_pack(Path(folder) / "p", GERMAN)
        before = files_of(pack)
        for content in (raw, header + raw):
            (Path(folder) / "p.csv").write_bytes(content)
            with pytest.raises(WordListError):
                import_language(Path(folder) / "p.csv", pack)
        assert files_of(pack) == before


@pytest.mark.slow
def test_a_hundred_thousand_rows_are_read_in_seconds(pack: Path, tmp_path: Path) -> None:
    rows = rows_of(pack, tmp_path / "de.csv")
    save(tmp_path / "de.csv", rows * (100_000 // len(rows)))
    with pytest.raises(WrongSheet) as caught:
        import_language(tmp_path / "de.csv", pack)
    assert len(caught.value.problems) > 99_000


def test_the_english_pack_needs_nothing() -> None:
    cells = pack_cells(read_incomplete_pack(FOLDER / "en"))
    assert all(cell.text == cell.english for cell in cells)
    assert len({cell.place for cell in cells}) == len(cells)
