"""An item that a later run makes again keeps its id, and with it its scores and judgments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from nextset.generation.template_expansion import expand, template_rows
from nextset.generation.templates.template import Premise, Statement, Template
from nextset.records.content_ids import unit_ids
from nextset.release.counterfactuals.counterfactual_items import with_counterfactuals
from nextset.release.counterfactuals.counterpart_rendering import text_renderer
from nextset.release.counterfactuals.group_terms import read_group_terms
from nextset.release.versions.version_diff import version_diff
from nextset.release.versions.version_number import next_version
from nextset.release.versions.withdrawal import (
    read_withdrawals,
    withdraw,
    withdrawn_ids,
    withdrawn_table,
    without_withdrawn,
)
from tests.release.version_folders import scores_table, write_version

FILE = Path("t.yaml")
ENGLISH = read_group_terms("builtin:en", Path)
STATEMENT = Statement(
    "hypothesis", "{{GROUP1}} write code.", "Do {{GROUP1}} write code?", "neutral", FILE, None
)
FIRST = Template(
    file=FILE,
    stereotype="man is to programmer",
    domain="gender",
    language="en",
    source="somewhere",
    groups=("men", "women"),
    words={"PLACE": ("town", "the office")},
    premises=(Premise("{{GROUP1}} met {{GROUP2}} in {{PLACE}}.", "a source", None),),
    statements=(STATEMENT,),
    capitalise=True,
)
SECOND = replace(
    FIRST,
    premises=(Premise("Ten people met.", "a source", None), *FIRST.premises),
    statements=(replace(STATEMENT, text="{{GROUP1}} like computers."), STATEMENT),
)
"""A premise and a hypothesis more, before those that existed."""


def released(template: Template, out: frozenset[str] = frozenset()) -> pa.Table:
    items = without_withdrawn(expand([template], tests=True, max_rows=1000).items, out)
    items = items.append_column("unit_id", pa.array(unit_ids(items, "hypothesis")))
    pairs = with_counterfactuals(items, text_renderer(template_rows([template]), ENGLISH)).items
    return without_withdrawn(pairs, out).sort_by("id")


def judged(items: pa.Table) -> pa.Table:
    """The config judgments: one per unit."""
    units = sorted(set(items["unit_id"].drop_null().to_pylist()))
    return pa.table({"unit_id": units, "verdict": ["valid"] * len(units), "judge": ["a"] * len(units)})


def test_ids_scores_and_judgments_stay_when_templates_are_added(tmp_path: Path) -> None:
    old, new = released(FIRST), released(SECOND)
    answers = dict.fromkeys(old["id"].to_pylist(), "entailment")
    tables = [
        {"items": items, "scores": scores_table(answers), "judgments": judged(items)} for items in (old, new)
    ]
    a, b = write_version(tmp_path / "a", tables[0]), write_version(tmp_path / "b", tables[1], "1.1.0")
    diff = version_diff(a, b)
    (found,) = diff.configs
    # 1 premise x 2 orders x 2 places x 1 hypothesis and its counterparts; the new ones come in addition
    assert (found.before, len(found.removed), len(found.relabelled), found.columns) == (8, 0, 0, ())
    assert found.after == found.before + len(found.added)
    assert set(old["id"].to_pylist()) <= set(new["id"].to_pylist())
    assert set(answers) <= set(new["id"].to_pylist())
    assert set(old["unit_id"].to_pylist()) <= set(new["unit_id"].to_pylist())
    kept = {r["id"]: r for r in new.to_pylist()}
    for row in old.to_pylist():
        assert kept[row["id"]] == row
    assert next_version("1.0.0", diff).version == "1.1.0"


@pytest.mark.parametrize("template", [FIRST, SECOND])
def test_a_second_build_is_the_same(tmp_path: Path, template: Template) -> None:
    a = write_version(tmp_path / "a", {"items": released(template)})
    b = write_version(tmp_path / "b", {"items": released(template)})
    assert version_diff(a, b).empty


def test_a_withdrawn_item_does_not_come_back(tmp_path: Path) -> None:
    """Its counterpart, which a build could make again, is withdrawn with it."""
    old = released(FIRST)
    file = tmp_path / "withdrawn.jsonl"
    withdraw(file, [old["id"][0].as_py()[:12]], "An annotator objected.", old)
    log = read_withdrawals(file)
    assert [w.kind for w in log] == ["asked", "counterpart"]
    first = withdrawn_table(None, log, "1.1.0")
    new = released(SECOND, withdrawn_ids(first, log))
    assert not {w.id for w in log} & set(new["id"].to_pylist())
    a = write_version(tmp_path / "a", {"items": old})
    b = write_version(tmp_path / "b", {"items": new, "withdrawn": first}, "1.1.0")
    diff = version_diff(a, b)
    assert sorted(w.id for w in diff.withdrawn) == sorted(diff.configs[0].removed)
    assert {w.reason for w in diff.withdrawn} == {"An annotator objected."}
