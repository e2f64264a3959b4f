"""What `validate import` says of the annotators of a file: their pseudonyms, on the terminal alone."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from nextset.cli.app import app
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE, pseudonym
from nextset.validation.study_units import kept_units
from tests.validation.filtered_study import kept_study

KEY = "a key for the tests, long enough"


def imported(folder: Path, file: Path, *options: str) -> str:
    done = CliRunner().invoke(app, ["validate", "import", str(folder), str(file), *options])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_pseudonyms_of_a_table_are_printed_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    study = kept_study(tmp_path / "s", ["Men are calm.", "Women are loud."])
    units = kept_units(study.out / "filter", study.filter)["unit_id"].to_pylist()
    people = [*zip(units, ("Ada@example.org", "ada@example.org"), strict=True), (units[0], "ben@example.org")]
    table = "unit_id,judge,verdict,stance,reason,comment\n"
    file = tmp_path / "judgments.csv"
    file.write_text(table + "".join(f"{unit},{who},invalid,,,\n" for unit, who in [*people, (units[0], "")]))
    ada, ben = (pseudonym(f"{name}@example.org", KEY.encode()) for name in ("ada", "ben"))
    assert imported(study.folder, file).endswith(
        f"people: 2\n  Ada@example.org ({ada})\n  ben@example.org ({ben})\n"
    )
    again = json.loads(imported(study.folder, file, "--json"))["people"]
    assert again == [{"name": "Ada@example.org", "person": ada}, {"name": "ben@example.org", "person": ben}]
    written = [path for path in study.folder.rglob("*") if path.is_file()]
    assert any(ada in path.read_text() for path in written if path.suffix == ".jsonl")
    for path in written:
        text = str(pq.read_table(path).to_pylist()) if path.suffix == ".parquet" else path.read_text()
        assert "@example.org" not in text, path


def test_the_accounts_of_an_export_are_printed_by_their_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    study = kept_study(tmp_path / "s", ["Men are calm."])
    (unit,) = kept_units(study.out / "filter", study.filter)["unit_id"].to_pylist()
    answer = {"from_name": "verdict", "to_name": "h", "type": "choices", "value": {"choices": ["invalid"]}}
    annotations = [
        {"id": i, "completed_by": {"id": person, "email": "ada@example.org"}, "result": [answer]}
        for i, person in enumerate((7, 7, 12))
    ]
    file = tmp_path / "export.json"
    file.write_text(json.dumps([{"data": {"unit_id": unit}, "annotations": annotations}]))
    shown = imported(study.folder, file).splitlines()[-3:]
    assert shown == ["people: 2", *(f"  account {n} ({pseudonym(str(n), KEY.encode())})" for n in (7, 12))]
