"""Names in ASCII: no letter vanishes, and names of different letters stay different."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import nextset
from nextset.cli.app import app
from nextset.folded_names import ascii_name
from nextset.release.version_folder.dataset_folder import config_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ältere Größe 1", "Altere-Grosse-1"),
        ("A\u0308ltere", "Altere"),  # decomposed, as macOS writes it
        ("Łódź, Ærø & Þór", "Lodz-AEro-Thor"),
        ("ırmak İzmir", "irmak-Izmir"),
        ("研究", "u7814u7a76"),
        ("my-study_1.0", "my-study_1.0"),
        ("a  b/c", "a-b-c"),
    ],
)
def test_names_by_hand(text: str, name: str) -> None:
    assert ascii_name(text, "-") == name


@given(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20))
def test_no_letter_vanishes(text: str) -> None:
    name = ascii_name(text, "_", "")
    assert name.isascii()
    assert name.replace("_", "").isalnum()


def test_a_new_study_says_that_its_name_differs_from_its_folder(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["new", str(tmp_path / "Ältere Größe 1")])
    assert "the study has the name Altere-Grosse-1" in done.stdout
    assert nextset.new_study(tmp_path / "研究").settings.name == "u7814u7a76"
    assert nextset.new_study(tmp_path / ("ä" * 120)).settings.name == "a" * 96


def test_configs_and_imported_files_keep_their_letters(tmp_path: Path) -> None:
    assert [config_name(name) for name in ("Größe", "Grose", "性别")] == ["Grosse", "Grose", "u6027u522b"]
    study = nextset.new_study(tmp_path / "small")
    rows = "premise,hypothesis,stereotype\nA man works.,A man is calm.,men are to calm\n"
    for name in ("研究", "数据", "Größe"):
        (tmp_path / f"{name}.csv").write_text(rows, encoding="utf-8")
        nextset.import_pairs(
            study, tmp_path / f"{name}.csv", defaults={"domain": "gender", "group1": "men", "group2": "women"}
        )
    assert {file.stem for file in study.imported.iterdir()} == {"u7814u7a76", "u6570u636e", "Grosse"}
