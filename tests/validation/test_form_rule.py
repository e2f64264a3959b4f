"""Without annotators a rule checks the form of hypotheses, and no item has a verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import nextset
from nextset.pipeline.stage_list import STAGES
from nextset.pipeline.stage_result import stage_result
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import Bindings, Fill, NliItem
from nextset.validation.form_rule import form_by_unit, with_form_ok
from tests.records import ITEM
from tests.validation.filtered_study import kept_study


def items(*rows: dict[str, Any]) -> pa.Table:
    base = replace(ITEM, stereotype="s", premise="A fact.", hypothesis="", question="")
    return table_of((replace(base, id=str(i), **row) for i, row in enumerate(rows)), NliItem)


def filled(hypothesis: str, word: str) -> dict[str, Any]:
    return {"hypothesis": hypothesis, "bindings": Bindings("men", "women", (), (Fill(word, 1, 0.5),))}


@pytest.mark.parametrize(
    ("row", "ok"),
    [
        (filled("The man is good at tools.", "tools"), True),
        (filled("The man likes man.", "man"), False),
        (filled("The man is it.", "it"), False),
        (filled("The man is , .", ","), False),
        ({"hypothesis": "The the man works.", "stance_design": "anti"}, False),
        ({"hypothesis": "The man works.", "stance_design": "anti"}, True),
    ],
)
def test_the_rule(row: dict[str, Any], ok: bool) -> None:
    assert list(form_by_unit(items(row), ["u"]).values()) == [ok]


def test_the_form_of_a_text_that_is_pro_and_anti_is_not_ok_and_tests_have_none() -> None:
    same = [{"hypothesis": "They work.", "stance_design": s} for s in ("pro", "anti")]
    test = {"hypothesis": "They rest.", "stance_design": "test", "label": "entailment"}
    table = items(*same, test)
    unit = "u"
    form = form_by_unit(table, [unit, unit, None])
    assert form == {unit: False}
    rows = table.append_column("unit_id", pa.array([unit, unit, None], pa.string()))
    assert with_form_ok(rows, form)["form_ok"].to_pylist() == [False, False, None]


def test_nobody_judged_so_that_no_item_is_called_valid(tmp_path: Path) -> None:
    study = kept_study(tmp_path / "mine", ["Men are loud.", "Men are are loud.", "Men cook."])
    study.file.write_text(study.file.read_text().replace("judge: people", "judge: rule"))
    study = nextset.Study.load(study.folder)
    made = nextset.apply_judgments(study)
    found = {row["hypothesis"]: row for row in made.table("items").to_pylist()}
    assert {text: row["form_ok"] for text, row in found.items()} == {
        "Men are loud.": True, "Men are are loud.": False, "Men cook.": True,
    }  # fmt: skip
    for row in found.values():
        judged = [row[name] for name in ("verdict", "stance_judged", "judge", "n_judgments")]
        assert judged == [None, None, None, 0]
    assert made.counts == {"units form ok": 2, "units form not ok": 1}
    (warning,) = stage_result(STAGES["validate"], made).warnings
    assert warning == "these items were not judged: a rule checked only their form (judge: rule)"
    assert made.table("form_ok")["hypothesis"].to_pylist() == ["Men are loud.", "Men cook."]
    tables = {s.table for s in made.shards}
    assert "valid" not in tables
    assert [made.rows(name) for name in ("judgments", "posteriors", "agreement", "judges")] == [0] * 4
