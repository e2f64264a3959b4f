"""Columns of imported files that are not read: refused if they look like one of nextset's, else named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nextset.cli.app import app
from nextset.cli.new import new_study
from nextset.errors import ImportedDataError
from nextset.generation.imports.pair_import import read_pairs

DEFAULTS = {"stereotype": "s", "domain": "d"}


def _with_column(folder: Path, name: str, left_out: str = "") -> Path:
    columns = [c for c in ("premise", "hypothesis") if c != left_out]
    file = folder / "pairs.csv"
    file.write_text(
        ",".join([*columns, f'"{name}"']) + "\n" + ",".join(f"{c}." for c in [*columns, "x"]) + "\n"
    )
    return file


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("Stance-Design", "stance_design"),
        ("group 1", "group1"),
        ("Premise", "premise"),
        ("groop1", "group1"),
        ("lable", "label"),
        ("stereotyp", "stereotype"),
        ("langauge", "language"),
        ("hypotesis", "hypothesis"),
        ("premisse", "premise"),
        ("stance", "stance_design"),
        ("sentence1", "premise"),
        ("context", "premise"),
        ("sentence2", "hypothesis"),
        ("gold_label", "label"),
        ("group_a", "group1"),
        ("groupB", "group2"),
        ("lang", "language"),
        ("source", "premise_source"),
    ],
)
def test_a_column_that_is_easily_meant_for_ours_is_refused(tmp_path: Path, name: str, ours: str) -> None:
    file = _with_column(tmp_path, name, left_out=ours)
    values = {k: v for k, v in DEFAULTS.items() if k != ours}
    with pytest.raises(ImportedDataError) as caught:
        read_pairs(file, {}, values, "en")
    assert caught.value.message == f"the column {name!r} is not one of nextset's, but looks like {ours}"
    assert (caught.value.file, caught.value.line) == (file, 1)
    named = f"'{ours}={name}'" if " " in name else f"{ours}={name}"
    assert caught.value.remedy.startswith(f"add --column {named}, or rename the column to {ours} (or ")


@pytest.mark.parametrize("name", ["id", "comment", "question_id", "tokens", "stance_judged", "split"])
def test_other_columns_are_ignored_and_named(tmp_path: Path, name: str) -> None:
    assert read_pairs(_with_column(tmp_path, name), {}, DEFAULTS, "en").ignored == (name,)


def test_a_similar_column_is_ignored_if_ours_is_given(tmp_path: Path) -> None:
    read = read_pairs(_with_column(tmp_path, "lable"), {}, {**DEFAULTS, "label": "neutral"}, "en")
    assert read.ignored == ("lable",)
    file = _with_column(tmp_path, "Premise")
    assert read_pairs(file, {}, DEFAULTS, "en").ignored == ("Premise",)
    read = read_pairs(file, {"premise": "Premise"}, DEFAULTS, "en")
    assert (read.ignored, read.table["premise"].to_pylist()) == (("premise",), ["x."])


def test_a_column_of_a_later_row_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    row = {"premise": "A.", "hypothesis": "B."}
    file.write_text(json.dumps(row) + "\n" + json.dumps({**row, "stance": "anti"}) + "\n")
    with pytest.raises(ImportedDataError, match="but looks like stance_design") as caught:
        read_pairs(file, {}, DEFAULTS, "en")
    assert caught.value.line == 2


def test_columns_of_the_same_name_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("premise,hypothesis,premise\nA.,B.,C.\n")
    with pytest.raises(ImportedDataError, match="there are two columns 'premise'") as caught:
        read_pairs(file, {}, DEFAULTS, "en")
    assert (caught.value.file, caught.value.line) == (file, 1)


def test_the_command_names_ignored_columns(tmp_path: Path) -> None:
    folder = new_study(tmp_path / "mine").file.parent
    file = tmp_path / "pairs.csv"
    file.write_text("premise,hypothesis,id,comment,\nA.,B.,1,none,\n")
    command = ["import", str(folder), str(file), "--value", "stereotype=s", "--value", "domain=d"]
    assert CliRunner().invoke(app, command).output.endswith("\nignored columns: id, comment, (no name)\n")
    given = json.loads(CliRunner().invoke(app, [*command, "--json"]).output)
    assert given["ignored"] == ["id", "comment", ""]
