"""One process at a time on a study."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nextset.errors import StudyHeld
from nextset.files.folder_lock import locked_folder

HOLDER = """
import sys, pathlib
from nextset.files.folder_lock import locked_folder
with locked_folder(pathlib.Path(sys.argv[1]), "run"):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_second_is_told_who_holds_it(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        with (
            pytest.raises(StudyHeld, match=rf"process {process.pid} on .+ \(run\)"),
            locked_folder(tmp_path, "fill"),
        ):
            pass
        process.kill()


@pytest.mark.parametrize(
    "note", [b"[]", b"{}", b"", b"\xff", b'{"pid": "x", "host": 1, "command": []}', b'{"pid":1,"pid":2}']
)
def test_a_damaged_note_hides_who_holds_it_and_nothing_else(tmp_path: Path, note: bytes) -> None:
    with holder(tmp_path) as process:
        (tmp_path / ".held-by.json").write_bytes(note)
        with pytest.raises(StudyHeld, match="a process that has just"), locked_folder(tmp_path, "fill"):
            pass
        process.kill()


def test_a_killed_holder_leaves_it_free(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        process.kill()
        process.wait()
    with locked_folder(tmp_path, "fill"):
        assert str(os.getpid()) in (tmp_path / ".held-by.json").read_text()
    assert not (tmp_path / ".held-by.json").exists()


def test_one_process_may_hold_it_again(tmp_path: Path) -> None:
    with locked_folder(tmp_path, "run"), locked_folder(tmp_path, "fill"):
        assert '"run"' in (tmp_path / ".held-by.json").read_text()


def test_an_error_inside_frees_it(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked_folder(tmp_path, "run"):
        raise ZeroDivisionError
    with holder(tmp_path) as process:
        process.kill()
