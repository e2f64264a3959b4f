"""Known slips of published items, planted one by one: each is found at its line, and nothing is mended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nextset.cli.lint import lint
from nextset.lint_rules import lint_rules
from tests.nextset.published_choices.published_examples import bbq_set, kobbq_row, write_lines, write_tsv

Rows = list[dict[str, Any]]


def doubled(rows: Rows) -> None:
    for row in rows[2:4]:
        row["question"] = "Who was was brisk?"


def wrong_label(rows: Rows) -> None:
    rows[1]["label"] = 2


def answers_the_opposite(rows: Rows) -> None:
    rows[3]["label"] = 0


def no_target(rows: Rows) -> None:
    for row in rows:
        row["additional_metadata"] = {**row["additional_metadata"], "stereotyped_groups": ["felines"]}


def two_targets(rows: Rows) -> None:
    for row in rows:
        row["additional_metadata"] = {**row["additional_metadata"], "stereotyped_groups": ["cats", "dogs"]}


def no_unknown(rows: Rows) -> None:
    for row in rows:
        row["answer_info"] = {**row["answer_info"], "ans2": ["Both", "both"]}
        row["ans2"] = "Both"


def repeated(rows: Rows) -> None:
    rows.append({**rows[0], "example_id": 99})


def incomplete(rows: Rows) -> None:
    del rows[5]


def spelt(rows: Rows) -> None:
    rows[7]["answer_info"] = {**rows[7]["answer_info"], "ans0": ["cat", "Cats"]}


def unnamed(rows: Rows) -> None:
    for row in rows:
        row["answer_info"] = {**row["answer_info"], "ans1": ["puppy", "dogs"]}


PLANTED: dict[str, tuple[Callable[[Rows], None], str, int, str]] = {
    "doubled-word": (doubled, "doubled-word", 3, "'was was' in 2 items of template Pets-1"),
    "wrong-label": (wrong_label, "wrong-label", 2, "the context is disambiguated, but the label is 2"),
    "opposite": (answers_the_opposite, "wrong-label", 4, "which asks the opposite"),
    "no-target": (
        no_target,
        "no-target",
        1,
        "none of the groups cats, dogs is the target felines in 8 items",
    ),
    "several-targets": (two_targets, "several-targets", 1, "(cats, dogs) are of the target cats, dogs, in 8"),
    "no-unknown": (no_unknown, "no-unknown", 1, "none of The cat, The dog, Both means"),
    "repeated-item": (repeated, "repeated-item", 9, "the same texts as item 0 (line 1)"),
    "incomplete-set": (incomplete, "incomplete-set", 1, "disambiguated × negative × dogs first"),
    "spelling": (spelt, "spelling", 8, "'cats' (8 items), 'Cats' (1 item)"),
    "unnamed-person": (unnamed, "unnamed-person", 1, "the context does not name 'puppy', in 8 items"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_slip_is_found_at_its_line(tmp_path: Path, name: str) -> None:
    plant, rule, line, message = PLANTED[name]
    rows = bbq_set()
    plant(rows)
    file = write_lines(tmp_path / "Pets.jsonl", rows)
    before = file.read_bytes()
    findings = [finding for finding in lint(file).findings if finding.rule == rule]
    assert [(finding.line, message in finding.message) for finding in findings] == [(line, True)]
    assert file.read_bytes() == before


def test_a_whole_set_has_no_findings(tmp_path: Path) -> None:
    assert lint(write_lines(tmp_path / "Pets.jsonl", bbq_set())).findings == ()


def test_samples_of_one_id_about_other_people_are_found(tmp_path: Path) -> None:
    rows = [
        kobbq_row(),
        kobbq_row(sample_id="pets-001b-002-amb-bsd", choices="['고양이', '새', '알 수 없음']"),
    ]
    (found,) = [f for f in lint(write_tsv(tmp_path / "set.tsv", rows)).findings if f.rule == "unlike-people"]
    assert (found.line, "고양이, 새" in found.message) == (3, True)


def test_a_study_lists_the_findings_in_its_published_items_and_the_tables_that_are_not_read(
    tmp_path: Path,
) -> None:
    rows = bbq_set()
    wrong_label(rows)
    (tmp_path / "data").mkdir()
    write_lines(tmp_path / "data" / "Pets.jsonl", rows)
    write_lines(tmp_path / "data" / "notes.jsonl", [{"text": "x"}])
    (tmp_path / "study.yaml").write_text(
        "format: 1\nname: pets\nchoices: {items: [data]}\n", encoding="utf-8"
    )
    linted = lint(tmp_path)
    assert tmp_path / "data" / "Pets.jsonl" in linted.files
    assert [(f.file.name, f.line, f.rule) for f in linted.findings if f.rule in lint_rules("item")] == [
        ("notes.jsonl", None, "unread-table"),
        ("Pets.jsonl", 2, "wrong-label"),
    ]


def test_every_rule_has_a_planted_slip() -> None:
    planted = {rule for _, rule, _, _ in PLANTED.values()} | {"unlike-people", "unread-table"}
    assert planted == set(lint_rules("item"))


@pytest.mark.slow
@pytest.mark.reference
def test_the_known_slips_of_bbq_are_listed(reference: Path) -> None:
    folder = reference / "bbq" / "unifiedqa"
    found = {
        (finding.rule, finding.line)
        for name in ("Disability_status", "Religion")
        for finding in lint(folder / f"preds_{name}.jsonl").findings
    }
    assert {("doubled-word", 82), ("doubled-word", 242)} <= found
    assert {("repeated-item", 957), ("repeated-item", 959)} <= found
    assert {rule for rule, _ in found} == {"doubled-word", "repeated-item", "spelling"}
