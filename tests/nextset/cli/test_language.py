"""`nextset language`: what a person and a script see."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from nextset.cli.app import app
from tests.generation.pack_sheets.small_packs import ENGLISH, GERMAN, write_pack


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["language", *map(str, arguments)], env={"COLUMNS": "200"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_pack(tmp_path / "de", GERMAN)
    return tmp_path


def rows_of(sheet: Path) -> list[dict[str, str]]:
    with sheet.open(encoding="utf-8-sig", newline="") as f:
        return list(csv.DictReader(f))


def save(sheet: Path, rows: list[dict[str, str]]) -> None:
    with sheet.open("w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_a_pack_is_begun_filled_in_and_counted(folder: Path) -> None:
    made = call("new", "tr", "--countries", "5")
    assert made.exit_code == 0
    assert made.stdout.splitlines() == [
        "Turkish (tr): 5 countries, 60 candidate first names (tr_TR); features of words for people: none",
        "folder   tr",
        "sheet    tr.csv: 240 cells, 203 of them empty",
        "now fill in the sheet, then: nextset language import tr.csv tr",
    ]
    assert made.stderr.startswith("Content warning: ")
    rows = rows_of(folder / "tr.csv")
    rows[1]["text"] = "Afgan"
    save(folder / "tr.csv", rows)
    done = call("import", "tr.csv", "tr")
    assert (done.exit_code, done.stdout) == (
        0,
        "1 new text in tr (1 file); 37 unchanged, 202 still empty\n",
    )
    status = call("status", "tr")
    assert status.stdout.splitlines()[:3] == [
        "tr: tr, checked by no one",
        "all           15 %  38 of 240",
        "gender         9 %  8 of 84",
    ]
    assert json.loads(call("new", "tr", "again", "--json").stdout)["folder"] == "again"


def test_names_of_features_are_read_from_a_list(folder: Path) -> None:
    made = json.loads(call("new", "de", "pack", "--genders", "m, f", "--cases", "dat,acc", "--json").stdout)
    assert (made["genders"], made["cases"]) == (["m", "f"], ["dat", "acc"])
    wrong = call("new", "de", "other", "--cases", "dativ")
    assert wrong.exit_code == 3
    assert "error: cases: 'dativ' is not a case" in wrong.stderr


def test_all_problems_of_a_sheet_are_shown_at_most_a_screen(folder: Path) -> None:
    assert call("status", "de", "--missing", "missing.csv").exit_code == 0
    rows = rows_of(folder / "missing.csv")
    for row in rows:
        row["text"] = "two  spaces" * 20
    save(folder / "missing.csv", [*rows, *rows])
    done = call("import", "missing.csv", "de")
    assert (done.exit_code, done.stdout) == (3, "")
    lines = done.stderr.splitlines()
    assert len(lines) == 12 + 1 + 2
    assert lines[0].startswith(f"line 2: {rows[0]['place']}: 'two  spaces".replace("  ", " "))
    assert lines[12] == f"and {2 * len(rows) - 12} more"
    assert lines[13].startswith("error: missing.csv:2: subjects/countries.yaml#")
    assert lines[14] == "  try: correct these cells in the sheet, and import it again; nothing was imported"
    assert max(map(len, lines)) < 700


def test_what_people_noted_and_what_was_normalised_is_shown(folder: Path) -> None:
    call("status", "de", "--missing", "missing.csv")
    rows = rows_of(folder / "missing.csv")
    rows[0] |= {"text": "Tu\u0308rken", "note": "Or another\nword?"}
    save(folder / "missing.csv", rows)
    shown = call("import", "missing.csv", "de").stdout.splitlines()
    place = rows[0]["place"]
    assert shown[1:] == [
        f"notice: line 2: {place} was not in Unicode NFC, and now is",
        f"note: line 2: {place}: Or another word?",
    ]


def test_a_review_is_written_and_comes_back(folder: Path) -> None:
    write_pack(folder / "en", ENGLISH)
    made = call("review", "en")
    assert made.exit_code == 0
    assert re.fullmatch(
        r"review   review\.csv: \d+ rows with 2 templates, 3 forms, 6 texts of subjects, "
        r"12 texts of attributes\nonce it is reviewed: .*\n",
        made.stdout,
    )
    rows = rows_of(folder / "review.csv")
    for row in rows:
        row["ok"] = "x"
    rows[0] |= {"ok": "", "correction": "Something else?"}
    rows[1]["context"] = "changed"
    save(folder / "review.csv", rows)
    back = call("review", "en", "--from", "review.csv", "--name", "A. Speaker")
    n = len(rows)
    assert back.exit_code == 3
    lines = back.stdout.splitlines()
    share = int(100 * (n - 2) / n) / 100
    assert lines[0] == f"A. Speaker ticked {n - 2} of {n} rows; recorded in en/pack.yaml (seen: {share})"
    assert lines[1] == "corrections, which are not applied:"
    assert lines[3].startswith("  change en/")
    assert lines[-1].startswith("refused: line 3: ")
    assert "checked by A. Speaker" in call("status", "en").stdout


def test_options_that_go_together(folder: Path) -> None:
    for given in (["--from", "review.csv"], ["--name", "A. Speaker"]):
        done = call("review", "de", *given)
        assert (done.exit_code, "go together" in done.stderr) == (2, True)


def test_an_incomplete_pack_is_refused_with_line_and_remedy(folder: Path) -> None:
    for command in (["language", "review", "de"], ["lint", "de"]):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 3
        error, remedy = done.stderr.splitlines()
        assert re.match(r"error: .*acts\.yaml:9: attributes\.litter\.forms\.neg: the cell is empty", error)
        assert "nextset language status" in remedy


def test_texts_and_paths_are_escaped(folder: Path) -> None:
    (folder / "de\u202egnp").mkdir()
    done = call("status", "de\u202egnp")
    assert "\u202e" not in done.stderr
    assert "\\u202e" in done.stderr
