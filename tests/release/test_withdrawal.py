"""Withdrawn items: the log, the ids, and the list in every later version."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.cli.new import new_study
from nextset.cli.release_withdraw import withdraw_items, withdrawn_text
from nextset.errors import MissingStage, StudyError, StudyHeld
from nextset.release.versions.withdrawal import (
    WithdrawnRow,
    read_withdrawals,
    resolve_ids,
    with_counterparts,
    withdraw,
    withdrawn_ids,
    withdrawn_table,
    without_withdrawn,
)
from nextset.study.study_folder import Study
from tests.release.version_folders import item, items_table, write_version

A, B, C, D = ("aaaa" + "0" * 28, "aaab" + "0" * 28, "c" * 32, "d" * 32)
ITEMS = pa.table(
    {
        "id": [A, B, C, D],
        "counterpart_id": pa.array([B, A, None, None], pa.string()),
        "counterfactual_set": pa.array([None, None, "s", None], pa.string()),
    }
)


def test_an_item_is_withdrawn_with_its_counterpart(tmp_path: Path) -> None:
    file = tmp_path / "withdrawn.jsonl"
    new, earlier = withdraw(file, ["aaaa"], " An  annotator objected. ", ITEMS)
    assert [(w.id, w.kind, w.reason) for w in new] == [
        (A, "asked", "An annotator objected."),
        (B, "counterpart", "An annotator objected."),
    ]
    assert earlier == ()
    assert read_withdrawals(file) == new
    assert [json.loads(line)["id"] for line in file.read_text().splitlines()] == [A, B]


def test_withdrawing_twice_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "withdrawn.jsonl"
    withdraw(file, [A], "first", ITEMS)
    raw = file.read_bytes()
    new, earlier = withdraw(file, [A, B], "second", ITEMS)
    assert (new, earlier, file.read_bytes()) == ((), (A, B), raw)
    assert {w.reason for w in read_withdrawals(file)} == {"first"}


def test_an_id_that_is_only_in_the_log_is_known(tmp_path: Path) -> None:
    file = tmp_path / "withdrawn.jsonl"
    withdraw(file, [D], "first", ITEMS)
    assert withdraw(file, [D], "again", ITEMS.slice(0, 3)) == ((), (D,))


def test_the_whole_set_goes() -> None:
    """p points to q; q is in a set with r; r is the counterpart of s."""
    items = pa.table(
        {
            "id": ["p", "q", "r", "s", "t"],
            "counterpart_id": pa.array(["q", None, "s", "r", None], pa.string()),
            "counterfactual_set": pa.array([None, "1", "1", None, "2"], pa.string()),
        }
    )
    for start in "pqrs":
        assert sorted(with_counterparts([start], items)) == ["p", "q", "r", "s"]
    assert with_counterparts(["t"], items) == ["t"]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("aaa", "'aaa' is too short; ids that begin with it: 2, such as aaaa"),
        ("cccd", "no item of the release has the id 'cccd'"),
        ("cccccccd", f"no item of the release has the id 'cccccccd'; the nearest is {C}"),
        ("ccccccdd", "no item of the release has the id 'ccccccdd'"),
        ("c" * 27 + "d" * 5, "ddddd'"),
        ("c" * 31 + "e", f"the nearest is {C}"),
        ("ccc", "'ccc' is too short; ids that begin with it: 1, such as cccc"),
        ("", "no item of the release has the id ''"),
        ("zzzz", "no item of the release has the id 'zzzz'"),
        ("c" * 40, "no item of the release"),
        ("\x1b[2J", r"no item of the release has the id '\\x1b"),
    ],
)
def test_an_unknown_or_ambiguous_id_is_an_error(tmp_path: Path, written: str, message: str) -> None:
    file = tmp_path / "withdrawn.jsonl"
    with pytest.raises(StudyError, match=message.replace("[", r"\[")):
        withdraw(file, [D, written], "a reason", ITEMS)
    assert not file.exists()


GOOD = {"id": A, "reason": "r", "kind": "asked"}


@pytest.mark.parametrize(
    ("reason", "found"),
    [
        ("", "has 0"),
        (" \n", "has 0"),
        ("x" * 1001, "has 1,001"),
        ("a\x00b", r"has '\x00'"),
        ("a\u202eb", r"has '\u202e'"),
        ("a\ud800b", r"has '\ud800'"),
        ("a\ue000b", r"has '\ue000'"),
    ],
)
def test_a_reason_is_printable(tmp_path: Path, reason: str, found: str) -> None:
    """On the command line as in a line that was written by hand."""
    file = tmp_path / "withdrawn.jsonl"
    with pytest.raises(StudyError, match="1 to 1,000 printable characters") as refused:
        withdraw(file, [A], reason, ITEMS)
    assert str(refused.value).endswith(f"; this reason {found}")
    assert not file.exists()
    file.write_text("\n" + json.dumps(GOOD | {"reason": reason}) + "\n", encoding="utf-8")
    with pytest.raises(StudyError, match="1 to 1,000 printable characters") as refused:
        read_withdrawals(file)
    assert (refused.value.file, refused.value.line) == (file, 2)
    assert str(refused.value).endswith(f"; this reason {found}")


def test_a_reason_that_was_written_by_hand_gets_single_spaces(tmp_path: Path) -> None:
    file = tmp_path / "withdrawn.jsonl"
    file.write_text(json.dumps(GOOD | {"reason": " An\n annotator\tobjected."}), encoding="utf-8")
    assert [w.reason for w in read_withdrawals(file)] == ["An annotator objected."]


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "aaaa', "[]", "{}", "nothing",
        json.dumps(GOOD | {"id": "AAAA" + A[4:]}), json.dumps(GOOD | {"id": 3}),
        json.dumps(GOOD | {"reason": None}),
        json.dumps(GOOD | {"kind": []}), json.dumps(GOOD | {"kind": "other"}), json.dumps(GOOD | {"more": 1}),
    ],
)  # fmt: skip
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "withdrawn.jsonl"
    file.write_text(json.dumps(GOOD) + "\n\n" + line + "\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"withdrawn.jsonl:3: this line is damaged"):
        read_withdrawals(file)


def test_a_line_with_a_key_twice_is_named(tmp_path: Path) -> None:
    file = tmp_path / "withdrawn.jsonl"
    line = json.dumps(GOOD).replace('"reason"', f'"id": "{B}", "reason"')
    file.write_text(json.dumps(GOOD) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"withdrawn.jsonl:2: the key 'id' is repeated \(2 times"):
        read_withdrawals(file)


@pytest.mark.parametrize("what", ["a folder", "a pipe", "a dangling link"])
def test_withdrawn_items_do_not_return_if_the_log_is_not_a_file(what: str, tmp_path: Path) -> None:
    file = tmp_path / "withdrawn.jsonl"
    if what == "a folder":
        file.mkdir()
    elif what == "a pipe":
        os.mkfifo(file)
    else:
        file.symlink_to(tmp_path / "gone")
    for use in (lambda: read_withdrawals(file), lambda: withdraw(file, [A], "a reason", ITEMS)):
        with pytest.raises(StudyError, match=r"withdrawn\.jsonl: this (is a|link leads nowhere)"):
            use()
    assert not (tmp_path / "gone").exists()


@given(st.sets(st.text("0123456789abcdef", min_size=32, max_size=32), min_size=1, max_size=20), st.data())
def test_a_prefix_is_enough_if_it_is_unambiguous(known: set[str], data: st.DataObject) -> None:
    wanted = data.draw(st.sampled_from(sorted(known)))
    prefix = wanted[: data.draw(st.integers(4, 32))]
    same = [k for k in known if k.startswith(prefix)]
    if len(same) == 1:
        assert resolve_ids([prefix, prefix.upper()], known) == [wanted]
    else:
        with pytest.raises(StudyError, match="is the beginning of"):
            resolve_ids([prefix], known)


def test_withdrawn_rows_stay_listed_with_their_first_version(tmp_path: Path) -> None:
    file = tmp_path / "withdrawn.jsonl"
    withdraw(file, [D], "first reason", ITEMS)
    first = withdrawn_table(None, read_withdrawals(file), "1.1.0")
    assert first.to_pylist() == [{"id": D, "reason": "first reason", "version": "1.1.0", "kind": "asked"}]
    withdraw(file, [C], "second reason", ITEMS)
    second = withdrawn_table(first, read_withdrawals(file), "1.2.0")
    assert [(r["id"], r["version"]) for r in second.to_pylist()] == [(C, "1.2.0"), (D, "1.1.0")]
    # the log is lost: what was published stays listed, and out of the items
    assert withdrawn_table(second, (), "1.3.0") == second
    out = withdrawn_ids(second, ())
    assert without_withdrawn(ITEMS, out)["id"].to_pylist() == [A, B]
    assert without_withdrawn(ITEMS, frozenset()) is ITEMS
    assert set(second.column_names) == set(WithdrawnRow.__slots__)


def study_with_previous(tmp_path: Path) -> Study:
    folder = new_study(tmp_path / "mine").file.parent
    rows = [item("Left-handed people are clumsy.", id=A), item("Something else.", id=C)]
    write_version(tmp_path / "v1", {"items": items_table(rows)})
    file = folder / "study.yaml"
    text = file.read_text(encoding="utf-8")
    assert "release:\n" in text
    file.write_text(text.replace("release:\n", "release:\n  previous: ../v1\n"), encoding="utf-8")
    return Study.load(folder)


def test_the_command_looks_into_the_previous_version(tmp_path: Path) -> None:
    study = study_with_previous(tmp_path)
    done = withdraw_items(study, ["aaaa"], "An annotator objected.")
    assert done.file == study.folder / "withdrawn.jsonl"
    assert withdrawn_text(done).splitlines()[0] == f"withdrawn: {A}"
    again = withdraw_items(study, [A], "Again.")
    assert withdrawn_text(again).splitlines() == [f"withdrawn earlier: {A}", "nothing new was withdrawn"]
    with pytest.raises(StudyError, match="no item of the release"):
        withdraw_items(study, ["ffff"], "Why not.")


def test_without_a_release_there_is_nothing_to_withdraw(tmp_path: Path) -> None:
    study = new_study(tmp_path / "mine")
    with pytest.raises(MissingStage, match="there is no release to withdraw from"):
        withdraw_items(study, [A], "Why not.")


@pytest.mark.slow
def test_another_process_that_holds_the_study_is_not_disturbed(tmp_path: Path) -> None:
    import subprocess
    import sys

    study = study_with_previous(tmp_path)
    code = (
        "import sys; from nextset.study.study_folder import Study\n"
        "with Study.load(sys.argv[1]).held('run'):\n  print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(study.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StudyHeld):
            withdraw_items(study, [A], "Why not.")
        other.communicate("")
    assert not (study.folder / "withdrawn.jsonl").exists()
