"""New packs: what CLDR and Faker know is filled in, the rest is empty, and no study can use them yet."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

import nextset
from nextset.errors import DependencyMissing, InputError, WordListError
from nextset.generation.pack_sheets.cldr import country_codes, language_facts
from nextset.generation.pack_sheets.completeness import language_status
from nextset.generation.pack_sheets.country_choice import BY_POPULATION, chosen_countries
from nextset.generation.pack_sheets.english_pack import english_subjects
from nextset.generation.pack_sheets.first_names import first_names
from nextset.generation.pack_sheets.incomplete_pack import read_incomplete_pack
from nextset.generation.pack_sheets.known_languages import KnownLanguage, known_language
from nextset.generation.pack_sheets.new_pack import new_language
from nextset.generation.pack_sheets.pack_cells import pack_cells
from nextset.generation.pack_sheets.sheet_import import import_language
from nextset.generation.questions.pack import read_pack
from nextset.generation.slots import CASES


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


@pytest.mark.parametrize("language", ["ar", "de", "fr", "hi", "ja", "pt-BR", "ru", "sw", "tr", "qaa", "zh"])
def test_a_new_pack_is_read_and_its_untouched_sheet_changes_nothing(tmp_path: Path, language: str) -> None:
    made = new_language(language, tmp_path / "pack")
    assert made.sheet == tmp_path / "pack.csv"
    status = language_status(made.folder)
    assert (status.total.cells, status.total.cells - status.total.filled) == (made.cells, made.empty)
    assert status.lacking == ()
    before = files_of(made.folder)
    assert import_language(made.sheet, made.folder).changed == ()
    assert files_of(made.folder) == before
    for refused in (lambda: read_pack(made.folder), lambda: nextset.lint(made.folder)):
        with pytest.raises(WordListError, match="the cell is empty") as caught:
            refused()
        assert caught.value.line is not None
        assert "nextset language status" in caught.value.remedy


def test_the_same_call_gives_the_same_bytes(tmp_path: Path) -> None:
    new_language("ru", tmp_path / "a")
    new_language("ru", tmp_path / "b")
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_what_cldr_and_faker_know_is_filled_in(tmp_path: Path) -> None:
    made = new_language("ar", tmp_path / "ar", countries=69)
    head = yaml.safe_load((made.folder / "pack.yaml").read_text(encoding="utf-8"))
    assert (head["direction"], head["join"], head["checked_by"]) == ("rtl", " ", [])
    countries = yaml.safe_load((made.folder / "subjects" / "countries.yaml").read_text(encoding="utf-8"))
    assert countries["subjects"]["Turkey"] == {
        "cluster": "western_asia",
        "forms": {"": "تركيا", "dem.m": "", "dem.f": ""},
    }
    assert countries["subjects"]["Egypt"]["forms"][""] == "مصر"  # the language's own, not in the English list
    names = {
        gender: yaml.safe_load(
            (made.folder / "subjects" / f"{gender}_names.yaml").read_text(encoding="utf-8")
        )
        for gender in ("female", "male")
    }
    assert {s["gender"] for s in names["female"]["subjects"].values()} == {"f"}
    assert len(names["female"]["subjects"]) == len(names["male"]["subjects"]) == 30
    assert not set(names["female"]["subjects"]) & set(names["male"]["subjects"])


def test_every_empty_cell_has_an_english_example_in_the_sheet_and_in_the_file(tmp_path: Path) -> None:
    made = new_language("de", tmp_path / "de")
    pack = read_incomplete_pack(made.folder)
    for cell in pack_cells(pack):
        if cell.text:
            continue
        assert cell.english, cell.place
        lines = (made.folder / cell.file).read_text(encoding="utf-8").splitlines()
        assert cell.line is not None
        here = lines[cell.line - 1]
        comment = here.partition('""')[2] or lines[cell.line - 2]
        if '"":' in here:
            comment = here.rpartition('""')[2]
        assert f"# {cell.english}" in (comment.strip(), lines[cell.line - 2].strip()), cell.place


def test_features_are_those_that_are_known_or_asked_for(tmp_path: Path) -> None:
    made = new_language("de", tmp_path / "known")
    assert (made.genders, made.cases) == (("m", "f"), ("dat",))
    asked = new_language("de", tmp_path / "asked", genders=[], cases=["acc", "nom", "dat"], countries=3)
    assert (asked.genders, asked.cases) == ((), ("acc", "dat"))
    head = yaml.safe_load((asked.folder / "pack.yaml").read_text(encoding="utf-8"))
    assert head["forms"]["countries"] == ["dem", "dem.acc", "dem.dat"]
    assert head["forms"]["religions"] == ["", "acc", "dat"]
    # 3 countries × (name + 3 forms), 15 + 11 groups × 3 forms, 54 attributes × 2, 4 classes × 8 × 3
    assert asked.cells == 3 * 4 + (15 + 11) * 3 + (30 + 24) * 2 + 4 * 8 * 3


def test_a_language_that_nobody_knows_has_cells_for_everything(tmp_path: Path) -> None:
    made = new_language("qaa", tmp_path / "qaa")
    assert (made.names, made.names_from, made.empty) == (0, "", made.cells)
    assert len(made.notes) == 4
    names = yaml.safe_load((made.folder / "subjects" / "male_names.yaml").read_text(encoding="utf-8"))
    assert names["subjects"]["man 1"] == {"cluster": "male", "gender": "m", "forms": {"": ""}}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"language": "Deutsch"}, "not a language tag"),
        ({"language": "de", "cases": ["dativ"]}, "not a case"),
        ({"language": "de", "genders": ["m-f"]}, "not a feature"),
        ({"language": "de", "countries": 1}, "the number of countries is 1"),
        ({"language": "de", "countries": 10_000}, "the number of countries is 10000"),
    ],
)
def test_values_that_cannot_be_are_refused(
    tmp_path: Path, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        new_language(folder=tmp_path / "de", **arguments)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "de.csv").write_text("mine", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, message in (
        ("full", "not empty"),
        ("file", "not a folder"),
        ("file/de", "not a folder"),
        ("de", "the sheet already exists"),
        ("loop", "not a folder"),
    ):
        with pytest.raises(WordListError, match=message):
            new_language("de", tmp_path / name)
    assert len(list(tmp_path.rglob("*"))) == 5


@pytest.mark.parametrize("package", ["babel", "faker"])
def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DependencyMissing, match=f"(?i){package}") as caught:
        new_language("de", tmp_path / "de")
    assert caught.value.remedy == "pip install 'nextset[language]'"
    assert list(tmp_path.iterdir()) == []


def test_facts_of_languages() -> None:
    assert language_facts("zh").join == ""
    assert language_facts("zh-Hant").territories["TR"] == "土耳其"
    assert (language_facts("he").direction, language_facts("ja").script) == ("rtl", "Jpan")
    assert language_facts("en").territories["MM"] == "Myanmar"  # CLDR: Myanmar (Burma)
    assert not language_facts("xx").known
    assert set(english_subjects("countries")) <= set(country_codes())


def test_countries_are_the_language_s_own_and_the_most_populous() -> None:
    codes = country_codes()
    assert sorted(BY_POPULATION) == sorted(english_subjects("countries"))
    assert chosen_countries(["DE", "AT"], codes, 6) == [
        "America",
        "China",
        "Germany",
        "India",
        "Indonesia",
        "Pakistan",
    ]
    # at most a quarter of 8 are the language's own
    assert set(chosen_countries(["EG", "SA", "DZ"], codes, 8)) & {"Egypt", "Saudi Arabia", "Algeria"} == {
        "Egypt",
        "Saudi Arabia",
    }
    assert len(chosen_countries([], codes, len(codes))) == len(codes)


def test_names_of_women_and_men_differ() -> None:
    for language in ("ar", "de", "hi", "he", "ko", "tr", "zh"):
        names = first_names(language, "", 1_000)
        assert names.female
        assert not set(names.female) & set(names.male)
    assert first_names("pt", "BR", 5).locale == "pt_BR"
    assert first_names("pt", "PT", 5).locale == "pt_PT"
    # every second of six: 0, 2, 4 … of the sorted names
    few = first_names("ja", "", 2).female
    assert len(few) == 2


def test_what_is_known_of_languages_can_be_written_into_a_pack(tmp_path: Path) -> None:
    from nextset.generation.derived_forms.derivation import DERIVATIONS
    from nextset.generation.sound_rules.rule_names import SOUND_RULES

    assert known_language("pt-BR") == known_language("pt")
    assert known_language("xx") is None
    written = Path(nextset.__file__).parent / "generation" / "pack_sheets" / "known_languages.yaml"
    for language, entry in yaml.safe_load(written.read_text(encoding="utf-8"))["languages"].items():
        known = KnownLanguage.model_validate(entry)
        assert set(known.cases) <= CASES, language
        assert set(known.rules) <= set(SOUND_RULES.names), language
        assert set(known.derive) <= set(DERIVATIONS), language
        assert "[p_act]" in known.who or not known.who, language
