"""Two versions without a difference have the same rows, metadata and files: nothing is left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from nextset.release.versions.changelog import section
from nextset.release.versions.diff_page import diff_page
from nextset.release.versions.diff_records import VersionDiff
from nextset.release.versions.diff_text import diff_text
from nextset.release.versions.version_diff import version_diff
from nextset.release.versions.version_number import next_version
from nextset.release.versions.withdrawal import WithdrawnRow
from tests.release.version_folders import item, items_table, scores_table, write_version

ONE, TWO = item("One."), item("Two is next.")
ROWS = items_table([ONE, TWO])
GONE = tuple(WithdrawnRow(id=c * 32, reason="asked", version="1.0.0", kind="asked") for c in "ab")
CHANGELOG = "# Changelog\n\n## 1.0.0\n\nThe first version.\n"
FILES = {
    "CHANGELOG.md": CHANGELOG,
    "CITATION.cff": "version: 1.0.0\n",
    "croissant.json": '{"version": "1.0.0"}\n',
    "csv/items-test.csv": "id\n1\n",
    "images/stages.png": "an image",
    "jsonl/items-test.jsonl": "{}\n",
    "LICENSE": "A licence.\n",
}


def compared(tmp_path: Path, tables: dict[str, Any] | None = None, **news: Any) -> VersionDiff:
    """The difference between a version and one with other ``tables`` or ``news``."""
    same: dict[str, Any] = {"withdrawn": GONE, "more": FILES}
    a = write_version(tmp_path / "a", {"items": ROWS, "scores": scores_table({})}, **same)
    tables = tables or {"items": ROWS, "scores": scores_table({})}
    return version_diff(a, write_version(tmp_path / "b", tables, **{**same, **news}))


def said(diff: VersionDiff) -> tuple[str, str]:
    """The level of the next version, and the last line of the text."""
    computed = next_version("1.0.0", diff)
    return computed.level, diff_text(diff, computed, examples=0).splitlines()[-1].strip()


def test_the_same_files_are_the_same_version(tmp_path: Path) -> None:
    assert said(compared(tmp_path)) == ("none", "nothing changed")


def test_the_number_of_the_version_may_differ(tmp_path: Path) -> None:
    """The texts name it, and the changelog has its section before those of the earlier versions."""
    more = {name: text.replace("1.0.0", "1.0.1") for name, text in FILES.items()}
    added = CHANGELOG.replace("## 1.0.0", "## 1.0.1\n\nNothing.\n\n## 1.0.0")
    diff = compared(tmp_path, version="1.0.1", previous="1.0.0", more=more | {"CHANGELOG.md": added})
    assert diff.empty


def test_a_changed_withdrawal_and_one_that_is_gone_are_listed(tmp_path: Path) -> None:
    other = replace(GONE[0], reason="an objection")
    diff = compared(tmp_path, withdrawn=[other])
    assert (diff.withdrawn, diff.no_longer_withdrawn) == ((), (GONE[1],))
    assert [(c.before, c.after) for c in diff.withdrawal_changes] == [(GONE[0], other)]
    computed = next_version("1.0.0", diff)
    assert computed.because == (
        "no longer listed as withdrawn: 1",
        "changed withdrawals: 1",
    )
    for shown in (diff_text(diff), section(diff, computed, "1.0.1")):
        assert "o longer withdrawn" in shown
        assert "hanged withdrawals" in shown
    page = diff_page(diff)
    assert "No longer withdrawn" in page
    assert "an objection" in page


@pytest.mark.parametrize("change", [{"version": "0.9.0"}, {"kind": "counterpart"}, {"reason": "other"}])
def test_every_column_of_a_withdrawal_counts(tmp_path: Path, change: dict[str, Any]) -> None:
    assert said(compared(tmp_path, withdrawn=[replace(GONE[0], **change), GONE[1]]))[0] == "patch"


def test_a_row_that_is_withdrawn_twice_differs(tmp_path: Path) -> None:
    assert not compared(tmp_path, withdrawn=[*GONE, GONE[1]]).empty


def test_rows_in_another_split_are_a_minor_change(tmp_path: Path) -> None:
    scores = scores_table({})
    tables = {"items": items_table([ONE]), "items:controls": items_table([TWO]), "scores": scores}
    diff = compared(tmp_path, tables)
    assert said(diff) == ("minor", "split: test → controls: 1")
    assert "split: test → controls (1)" in section(diff, next_version("1.0.0", diff), "1.1.0")
    assert next_version("1.0.0", diff).because == ("items: 1 in a different split",)


def test_accompanying_data_in_another_split_differ(tmp_path: Path) -> None:
    diff = compared(tmp_path, {"items": ROWS, "scores:controls": scores_table({})})
    assert [t.config for t in diff.tables] == ["scores"]


def test_rows_in_the_config_of_another_domain_are_a_minor_change(tmp_path: Path) -> None:
    one, two = items_table([ONE]), items_table([TWO])
    more = item("Three of them.")
    a = write_version(tmp_path / "a", {"items/x": items_table([ONE, more]), "items/y": two})
    b = write_version(tmp_path / "b", {"items/x": one, "items/y": items_table([TWO, more])})
    assert said(version_diff(a, b)) == ("minor", "folder: x → y: 1")
    # where there was no config of a domain, its config is the change
    plain = write_version(tmp_path / "c", {"items": items_table([ONE, TWO, more])})
    assert version_diff(plain, b).configs[0].moves == ()


def test_another_stance_by_design_is_relabelled(tmp_path: Path) -> None:
    """The stance that counts, the one judged, is the same, and so is the id."""
    diff = compared(tmp_path, {"items": items_table([ONE | {"stance_design": "anti"}, TWO])})
    (config,) = diff.configs
    assert list(config.relabelled.new) == [ONE["id"]]
    assert [(t.column, t.before, t.after) for t in config.labels] == [("stance_design", "pro", "anti")]
    ((row,),) = (rows for kind, rows in config.examples if kind == "relabelled")
    assert (row.before, row.after) == ("neutral, pro", "neutral, pro (anti by design)")
    assert next_version("1.0.0", diff).level == "major"


@pytest.mark.parametrize("config", ["questions", "statements"])
@pytest.mark.parametrize("column", ["label", "stance_design", "stance_judged", "verdict", "attribute"])
def test_no_column_of_quads_is_left_out(tmp_path: Path, config: str, column: str) -> None:
    row = {"id": "0" * 32, "attribute": "a", "subject_class": "c"}
    folders = [
        write_version(tmp_path / value, {config: pa.Table.from_pylist([row | {column: value}])})
        for value in ("one", "two")
    ]
    assert not version_diff(*folders).empty


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("text", ["Something else.\n", None])
def test_every_other_file_counts(tmp_path: Path, name: str, text: str | None) -> None:
    """A format that is missing is metadata, as are lines of the citation."""
    more = {path: own for path, own in FILES.items() if path != name} | ({name: text} if text else {})
    level, line = said(compared(tmp_path, more=more))
    assert level == "patch"
    kind = name.split("/")[0]
    own = kind == "CITATION.cff" or (text is None and kind in ("csv", "jsonl"))
    assert line.startswith(f"{kind}: ") if own else line == f"other files changed: {name}"


def test_lines_in_another_order_differ(tmp_path: Path) -> None:
    assert said(compared(tmp_path, card="# B\n# A\n"))[0] == "patch"
    a, b = (
        write_version(tmp_path / name, {"items": ROWS}, card=card)
        for name, card in (("c", "# A\nLine.\n"), ("d", "Line.\n# A\n"))
    )
    assert said(version_diff(a, b)) == ("patch", "other files changed: README.md")


def test_files_that_follow_from_other_changes_are_not_named(tmp_path: Path) -> None:
    """CSV and JSONL follow from their own rows only, and an earlier section of the changelog from nothing."""
    written = {name: text + "More.\n" for name, text in FILES.items()}
    more = {**written, "CHANGELOG.md": CHANGELOG.replace("## 1.0.0", "## 1.1.0\n\nMore.\n\n## 1.0.0")}
    new: dict[str, Any] = {"version": "1.1.0", "previous": "1.0.0"}
    rows = {"items": items_table([ONE]), "scores": scores_table({})}
    assert compared(tmp_path / "1", rows, more=more, **new).files == ("LICENSE",)
    assert compared(tmp_path / "2", rows, more=written, **new).files == ("CHANGELOG.md", "LICENSE")
    scores = {"items": ROWS, "scores": scores_table({ONE["id"]: "neutral"})}
    csv = ("csv/items-test.csv", "jsonl/items-test.jsonl")
    assert compared(tmp_path / "3", scores, more=more, **new).files == ("LICENSE", *csv)
    licence = compared(tmp_path / "4", more=more, license="mit", **new)
    assert licence.files == ("LICENSE", csv[0], "images/stages.png", csv[1])
    assert "images/stages.png" in diff_page(licence)


@pytest.mark.parametrize(
    "change",
    [{"kind": "items,questions"}, {"columns": {"items": {"id": "int64"}}}, {"previous": "0.9.0"}],
)
def test_fields_of_the_manifest_count(tmp_path: Path, change: dict[str, Any]) -> None:
    level, line = said(compared(tmp_path, **change))
    assert (level, line.split(":")[0]) == ("patch", next(iter(change)))
