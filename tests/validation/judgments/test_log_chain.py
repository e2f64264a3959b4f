"""The log's lines are chained: what was changed, deleted, inserted or moved by hand is found, by its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from nextset.records.judgment import LOG_NAME
from nextset.validation.judgments.judgment_log import END_NAME, append, append_merged, erase, read
from nextset.validation.judgments.log_entry import Entry
from tests.validation.judgments.entries import ENTRY

ROWS = [replace(ENTRY, annotation=str(i), judge=f"a-{i % 3}", comment=f"c{i}") for i in range(6)]
AT = "2026-06-01T10:00:00.000000+00:00"


def lines(folder: Path) -> list[bytes]:
    return (folder / LOG_NAME).read_bytes().splitlines(keepends=True)


def written(folder: Path, changed: list[bytes]) -> str:
    (folder / LOG_NAME).write_bytes(b"".join(changed))
    return read(folder).misfit


def verdict(line: bytes) -> bytes:
    return line.replace(b'"invalid"', b'"incoherent"')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for row in ROWS:
        append(tmp_path, [row])
    assert (read(tmp_path).misfit, read(tmp_path).chained_from) == ("", 1)
    return tmp_path


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda w: [*w[:2], verdict(w[2]), *w[3:]], "line 3 does not fit"),
        (lambda w: [verdict(w[0]), *w[1:]], "line 1 does not fit"),
        (lambda w: [*w[:5], verdict(w[5])], "line 6 does not fit"),
        (lambda w: [*w[:2], *w[3:]], "line 3 does not fit"),
        (lambda w: w[1:], "line 1 does not fit"),
        (lambda w: w[:-1], "lines after line 5 are missing"),
        (lambda w: w[:2], "lines after line 2 are missing"),
        (lambda w: [], "lines after line 0 are missing"),
        (lambda w: [*w[:3], w[4], w[3], w[5]], "line 4 does not fit"),
        (lambda w: [*w[:3], w[1], *w[3:]], "line 4 does not fit"),
        (lambda w: [*w[:3], json.dumps(asdict(ENTRY)).encode() + b"\n", *w[3:]], "line 4 does not fit"),
        (lambda w: [*w, json.dumps(asdict(ENTRY)).encode() + b"\n"], "line 7 does not fit"),
        (lambda w: [*w[:5], b"x" + w[5]], "line 6 is damaged"),
        (lambda w: [*w[:5], w[5].replace(b'", "', b'", ')], "line 6 is damaged"),
        (lambda w: [*w[:5], w[5][:99] + b"\n"], "line 6 is damaged"),
        (lambda w: [*w[:5], w[5][:99]], "line 6 is damaged"),
        (lambda w: [*w[:4], bytes(len(w[4]) + len(w[5]))], "line 5 is damaged"),
        (lambda w: [w[0], b"\n", *w[1:]], ""),
        (lambda w: [line.replace(b"\n", b"\r\n") for line in w], ""),
    ],
)
def test_what_was_done_by_hand_is_found(
    folder: Path, change: Callable[[list[bytes]], list[bytes]], where: str
) -> None:
    problem = written(folder, change(lines(folder)))
    assert problem.startswith(where)
    assert bool(problem) == bool(where)
    # what is added later makes nothing of it good
    append(folder, [replace(ENTRY, annotation="99")])
    assert read(folder).misfit.startswith(where)
    assert bool(read(folder).misfit) == bool(where)


@pytest.mark.parametrize("kept", [6, 4, 1])
@pytest.mark.parametrize("left", [None, b"", b"{}", b"\0" * 40, b'{"chain": "'])
def test_a_log_without_its_end_is_named(folder: Path, kept: int, left: bytes | None) -> None:
    (folder / END_NAME).unlink()
    if left is not None:
        (folder / END_NAME).write_bytes(left)
    problem = f"lines after line {kept} may be missing: log_end.json"
    assert written(folder, lines(folder)[:kept]).startswith(problem)
    append(folder, [replace(ENTRY, annotation="99")])
    append(folder, [replace(ENTRY, annotation="100")])
    assert read(folder).misfit.startswith(problem)
    erase(folder, ["a-0"], AT, without("a-0"))
    assert read(folder).misfit == ""
    assert read(folder).erasures[0].before.startswith(problem)


def test_a_kill_before_or_after_the_first_line_and_while_lines_are_erased_is_no_change(
    tmp_path: Path,
) -> None:
    (tmp_path / END_NAME).write_bytes(b'{"chain": ""}\n')
    assert read(tmp_path).misfit == ""
    append(tmp_path, ROWS[:2])
    (tmp_path / END_NAME).write_bytes(b'{"chain": ""}\n')
    assert read(tmp_path).misfit == ""
    append(tmp_path, ROWS[2:])
    assert read(tmp_path).misfit == ""
    assert written(tmp_path, lines(tmp_path)[:-1]).startswith("lines after line 5 are missing")


def test_a_line_that_was_cut_while_it_was_written_is_no_change_by_hand(folder: Path) -> None:
    whole = (folder / LOG_NAME).read_bytes()
    append(folder, [replace(ENTRY, annotation="98")])
    (folder / LOG_NAME).write_bytes((folder / LOG_NAME).read_bytes()[:-40])
    (folder / END_NAME).write_text(
        json.dumps({"chain": json.loads(lines(folder)[5])["chain"]})
    )  # as a kill leaves it
    assert (folder / LOG_NAME).read_bytes().startswith(whole)
    assert (read(folder).misfit, read(folder).torn) == ("", [7])
    append(folder, [replace(ENTRY, annotation="98")])
    assert (read(folder).misfit, len(read(folder).entries)) == ("", 7)


def test_a_log_of_before_is_read_and_chained_from_its_next_line_on(tmp_path: Path) -> None:
    old = [{k: v for k, v in asdict(row).items() if k not in ("nth", "changed_by")} for row in ROWS[:2]]
    (tmp_path / LOG_NAME).write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in old))
    assert (read(tmp_path).entries, read(tmp_path).chained_from, read(tmp_path).misfit) == (ROWS[:2], 0, "")
    append(tmp_path, ROWS)
    assert (read(tmp_path).entries, read(tmp_path).chained_from, read(tmp_path).misfit) == (ROWS, 3, "")
    assert written(tmp_path, [verdict(lines(tmp_path)[0]), *lines(tmp_path)[1:]]).startswith("line 3")


def without(judge: str) -> Callable[[Entry], Entry | None]:
    return lambda entry: None if entry.judge == judge else entry


def test_an_erasure_keeps_a_chain_that_fits_and_says_what_was_removed(folder: Path) -> None:
    with (folder / LOG_NAME).open("ab") as f:
        f.write(b'{"judge": "a-1", "comm')  # cut while it was written
    erased = erase(folder, ["a-1"], AT, without("a-1"))
    assert (erased.erased, erased.comments, erased.judges) == (3, 0, ("a-1",))
    log = read(folder)
    assert (log.misfit, log.erasures) == ("", [erased])
    assert log.entries == [row for row in ROWS if row.judge != "a-1"]
    # the person appears in the record alone
    assert sum(b"a-1" in line for line in lines(folder)) == 1
    before = lines(folder)
    assert erase(folder, ["a-1"], AT, without("a-1")).erased == 0
    assert lines(folder) == before
    # old answers of the person do not come back, new ones after a new consent do
    assert append(folder, ROWS).new == 0
    append_merged(folder, [replace(ROWS[1], answered_at="2026-07-01T10:00:00.000000+00:00")])
    assert read(folder).misfit == ""
    assert written(folder, before[:-1]).startswith("lines after line 4")


def test_comments_are_removed_and_the_answers_stay(folder: Path) -> None:
    silent = erase(
        folder, ["a-2"], AT, lambda e: replace(e, comment="") if e.judge == "a-2" and e.comment else e
    )
    assert (silent.erased, silent.comments) == (0, 2)
    assert [e.comment for e in read(folder).entries] == ["c0", "c1", "", "c3", "c4", ""]
    assert read(folder).misfit == ""
    assert append(folder, ROWS).new == 0, "the server still has the same answers"


def test_an_erasure_does_not_hide_what_was_changed_before(folder: Path) -> None:
    written(folder, [verdict(lines(folder)[0]), *lines(folder)[1:]])
    erase(folder, ["a-1"], AT, without("a-1"))
    log = read(folder)
    assert log.misfit == ""
    assert log.erasures[0].before.startswith("line 1 does not fit")
