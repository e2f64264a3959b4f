"""The pages on language packs: commands give the outputs shown; tables have every key, rule and form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nextset.generation.derived_forms.derivation import DERIVATIONS
from nextset.generation.pack_sheets.pack_sheet import PACK_COLUMNS
from nextset.generation.pack_sheets.review_sheet import REVIEW_COLUMNS
from nextset.generation.pack_sheets.review_ticks import TICKS
from nextset.generation.questions.pack_schema import AttributesFile, PackFile, SubjectsFile
from nextset.generation.slots import CASES
from nextset.generation.sound_rules.rule_names import SOUND_RULES
from nextset.word_lists import FOLDER
from tests.docs_pages import ROOT
from tests.page_commands import output_matches, run_steps, steps_of

TUTORIAL = ROOT / "docs" / "tutorials" / "bring_a_language.md"
SHEETS = ROOT / "docs" / "how_to" / "language_packs.md"
REFERENCE = ROOT / "docs" / "reference" / "language_packs.md"


@pytest.mark.slow
def test_the_commands_of_the_sheets_give_what_the_page_shows(tmp_path: Path) -> None:
    page = SHEETS.read_text(encoding="utf-8")
    for shown, given in zip(steps_of(page), run_steps(page, tmp_path), strict=True):
        if shown.start >= 0:
            assert output_matches(shown.output, given.output), (
                f"{given.text}\n\ngives\n\n{given.output}\nThe page shows\n\n{shown.output}\n"
                f"`python -m tests.page_commands {SHEETS.relative_to(ROOT)}` writes the outputs again."
            )


def rows_of(heading: str, guide: Path = REFERENCE) -> list[str]:
    """Return the first cells of the table below a heading."""
    page = guide.read_text(encoding="utf-8")
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.M)


def test_every_key_of_a_pack_is_explained() -> None:
    assert rows_of("pack.yaml") == [
        "format", "language", "direction", "join", "checked_by", "rules", "derive", "suffixes", "defaults",
        "accepted", "prefixes", "forms", "classes",
    ]  # fmt: skip
    assert set(rows_of("pack.yaml")) == set(PackFile.model_fields)
    subject = SubjectsFile.model_fields["subjects"].annotation.__args__[1]  # type: ignore[union-attr]
    assert set(rows_of("Subjects and attributes")) == set(subject.model_fields)
    attribute = AttributesFile.model_fields["attributes"].annotation.__args__[1]  # type: ignore[union-attr]
    page = REFERENCE.read_text(encoding="utf-8")
    section = page.partition("An attribute has the keys ")[2].partition(". ")[0]
    assert set(re.findall("`([a-z]+)`", section)) == set(attribute.model_fields)


def test_every_rule_derivation_and_case_is_explained() -> None:
    assert sorted(rows_of("Sound rules")) == sorted(SOUND_RULES.names)
    assert sorted(rows_of("Derived forms")) == sorted(DERIVATIONS)
    cases = REFERENCE.read_text(encoding="utf-8").partition("The cases are ")[2].partition(". ")[0]
    assert set(re.findall("`([a-z]+)`", cases)) == CASES


def test_every_column_of_the_sheets_is_explained() -> None:
    assert rows_of("Fill in the sheet", SHEETS) == list(PACK_COLUMNS)
    page = (ROOT / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
    for name, meaning in [*PACK_COLUMNS.items(), *REVIEW_COLUMNS.items()]:
        assert f"| `{name}` | {meaning} |" in page, name


def test_every_tick_is_named() -> None:
    named = (
        TUTORIAL.read_text(encoding="utf-8")
        .partition("An `x` in the column `ok`")[2]
        .partition(" count as well")[0]
    )
    words = {"the", "cyrillic", "and"}
    assert {"x", *re.findall(r"[\w✓✔✅☑√]+", named.partition("(")[2].lower())} - words == TICKS


def test_the_guide_speaks_of_packs_that_there_are() -> None:
    for name in re.findall(r"`builtin:([a-z]{2})`", TUTORIAL.read_text(encoding="utf-8")):
        assert (FOLDER / name / "pack.yaml").is_file()
