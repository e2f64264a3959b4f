"""`nextset language new`: the folder of a new pack, and its cells as one sheet."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import InputError, WordListError
from nextset.files.atomic_files import write_atomically
from nextset.files.regular_file import has_file
from nextset.generation.pack_sheets.cldr import LanguageFacts, country_codes, language_facts
from nextset.generation.pack_sheets.country_choice import chosen_countries
from nextset.generation.pack_sheets.english_pack import english_attributes
from nextset.generation.pack_sheets.first_names import FirstNames, first_names
from nextset.generation.pack_sheets.incomplete_pack import read_incomplete_pack
from nextset.generation.pack_sheets.known_languages import KnownLanguage, known_language
from nextset.generation.pack_sheets.language_tag import checked_tag
from nextset.generation.pack_sheets.pack_cells import pack_cells
from nextset.generation.pack_sheets.pack_scaffold import CLASSES, Scaffold, scaffold_files
from nextset.generation.pack_sheets.pack_sheet import write_pack_sheet
from nextset.generation.slots import CASES
from nextset.records.short_repr import short_repr

__all__ = ["NewPack", "new_language"]

_NAMES, _OCCUPATIONS, _ACTS = 30, 30, 24
_DEFAULTS = ("nom", "sg")


@short_repr
@dataclass(frozen=True)
class NewPack:
    """A new pack."""

    folder: Path
    """The pack's folder."""
    sheet: Path
    """The sheet with all cells."""
    language: str
    """BCP 47 tag."""
    language_name: str
    """The language's name in English."""
    genders: tuple[str, ...]
    """The genders of the pack's forms."""
    cases: tuple[str, ...]
    """The cases of the pack's forms."""
    cells: int
    empty: int
    """The number of cells to fill in."""
    countries: int
    """The number of countries with their names."""
    names_from: str
    """Faker's locale of the first names; empty if there is none."""
    names: int
    """The number of candidate first names."""
    dropped_names: int
    """The number of names that were dropped because both women and men have them."""
    notes: tuple[str, ...]
    """Notes on cells that could not be filled in or need a check."""


def new_language(
    language: str,
    folder: Path | str | None = None,
    *,
    genders: Sequence[str] | None = None,
    cases: Sequence[str] | None = None,
    countries: int = 40,
    classes: Sequence[str] | None = None,
) -> NewPack:
    """Begin a pack for the BCP 47 tag ``language`` in ``folder`` (default: the tag), with a sheet next to it.

    The features ``genders`` and ``cases`` of words for people are by default those that nextset knows for the
    language. ``countries`` is a number. ``classes`` are some of gender, nationality, ethnicity and religion;
    default: all. Raises InputError for a wrong value, WordListError if the folder or the sheet exists,
    DependencyMissing without Babel and Faker.
    """
    language = checked_tag(language)
    folder = Path(language) if folder is None else Path(folder)
    folder = folder.resolve() if not folder.name else folder
    sheet = folder.with_name(f"{folder.name or language}.csv")
    codes = country_codes()
    if not 2 <= countries <= len(codes):
        raise InputError(
            f"the number of countries is {countries}", remedy=f"write a number from 2 to {len(codes)}"
        )
    _check_free(folder, sheet)
    facts = language_facts(language)
    known = known_language(language)
    chosen = known or KnownLanguage()
    own_genders = tuple(chosen.genders if genders is None else _features("genders", genders))
    own_cases = tuple(c for c in (chosen.cases if cases is None else _cases(cases)) if c not in _DEFAULTS)
    home = (facts.likely_territory, *facts.home)
    names = first_names(language, facts.likely_territory, _NAMES)
    scaffold = Scaffold(
        language=language,
        language_name=facts.name,
        direction=facts.direction,
        join=facts.join,
        rules=chosen.rules,
        derive=chosen.derive,
        forms=_forms(own_genders, own_cases, bool(facts.territories)),
        countries={
            key: facts.territories.get(codes[key], "") for key in chosen_countries(home, codes, countries)
        },
        female=_first_names(names.female, "woman"),
        male=_first_names(names.male, "man"),
        names_from=_names_from(names),
        who=chosen.who,
        classes=_classes(classes),
        occupations=_attributes("occupation", _OCCUPATIONS),
        acts=_attributes("person", _ACTS),
    )
    _write(folder, scaffold_files(scaffold))
    cells = pack_cells(read_incomplete_pack(folder))
    write_pack_sheet(sheet, cells)
    return NewPack(
        folder=folder,
        sheet=sheet,
        language=language,
        language_name=facts.name,
        genders=own_genders,
        cases=own_cases,
        cells=len(cells),
        empty=sum(not c.text for c in cells),
        countries=countries,
        names_from=names.locale,
        names=len(names.female) + len(names.male),
        dropped_names=names.dropped,
        notes=tuple(_notes(language, facts, known, names)),
    )


def _check_free(folder: Path, sheet: Path) -> None:
    there = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not there.is_dir():
        raise WordListError(
            "the path is not a folder", file=there, remedy="name a folder that does not exist yet"
        )
    if not folder.absolute().parent.is_dir():
        raise WordListError(
            "the parent folder does not exist",
            file=folder.absolute().parent,
            remedy="check the path, or create the parent folder first",
        )
    if (folder / "pack.yaml").exists():
        raise WordListError(
            "the folder already has a pack",
            file=folder,
            remedy="name a different folder; `nextset language status` shows the state of this pack",
        )
    if folder.exists() and any(folder.iterdir()):
        raise WordListError(
            "the folder is not empty", file=folder, remedy="name a folder that does not exist yet"
        )
    if has_file(sheet, WordListError, "move it away, or name a different folder"):
        raise WordListError(
            "the sheet already exists", file=sheet, remedy="move it away, or name a different folder"
        )


def _features(option: str, written: Sequence[str]) -> list[str]:
    for feature in written:
        if not re.fullmatch(r"[A-Za-z0-9]+", feature):
            raise InputError(
                f"{option}: {feature!r} is not a feature", remedy="write features separated by commas: m,f"
            )
    return list(dict.fromkeys(written))


def _cases(written: Sequence[str]) -> list[str]:
    for case in _features("cases", written):
        if case not in CASES:
            raise InputError(
                f"cases: {case!r} is not a case", remedy=f"use one or more of {', '.join(sorted(CASES))}"
            )
    return list(dict.fromkeys(written))


def _classes(written: Sequence[str] | None) -> tuple[str, ...]:
    for name in written or ():
        if name not in CLASSES:
            raise InputError(
                f"classes: {name!r} is not a class of new packs",
                remedy=f"use one or more of {', '.join(CLASSES)}",
            )
    if written is not None and not written:
        raise InputError("classes: no class is named", remedy=f"use one or more of {', '.join(CLASSES)}")
    return tuple(name for name in CLASSES if written is None or name in written)


def _forms(genders: Sequence[str], cases: Sequence[str], named: bool) -> dict[str, tuple[str, ...]]:
    """Return the forms of each list: the word for a person in each gender, and in each case."""
    people = list(genders) or [""]
    of_groups = [*people, *(f"{g}.{c}" if g else c for c in cases for g in people)]
    of_countries = ["dem" + ("." + form if form else "") for form in of_groups]
    return {
        "countries": (*(() if named else ("",)), *of_countries),
        "ethnic_groups": tuple(of_groups),
        "religions": tuple(of_groups),
    }


def _first_names(names: Sequence[str], what: str) -> dict[str, str]:
    if names:
        return {name: name for name in names}
    return {f"{what} {i}": "" for i in range(1, _NAMES + 1)}


def _names_from(names: FirstNames) -> str:
    if not names.locale:
        return "Faker has no names for this language, so the cells are empty."
    return f"they come from Faker's locale {names.locale}, without those that both lists have."


def _attributes(kind: str, most: int) -> tuple[str, ...]:
    """Return ``most`` English attributes of a kind, at equal distances in their list."""
    names = [name for name, entry in english_attributes().items() if entry["kind"] == kind]
    return tuple(names[i * len(names) // most] for i in range(min(most, len(names))))


def _notes(language: str, facts: LanguageFacts, known: KnownLanguage | None, names: FirstNames) -> list[str]:
    notes = []
    if not facts.known:
        notes.append(
            f"CLDR has no data for {language}: the names of countries are empty cells; "
            "check direction and join in pack.yaml"
        )
    if known is None:
        notes.append(
            f"nextset knows nothing about the grammar of {language}: "
            "name genders and cases with --genders and --cases if words for people have them"
        )
    if not names.locale:
        notes.append("Faker has no first names: their cells are empty; you may keep keys such as 'woman 1'")
    elif min(len(names.female), len(names.male)) < _NAMES:
        notes.append(f"Faker has few first names ({names.locale}): {len(names.female)} and {len(names.male)}")
    if not (known and known.who):
        notes.append("nextset does not know the question word: each question is an empty cell")
    return notes


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a folder that does not exist or is empty; if that fails, remove everything again."""
    existed = folder.exists()
    try:
        for name, text in files.items():
            write_atomically(folder / name, text.encode())
    except BaseException:
        for inside in folder.iterdir() if folder.is_dir() else ():
            shutil.rmtree(inside) if inside.is_dir() else inside.unlink()
        if not existed and folder.is_dir():
            folder.rmdir()
        raise
