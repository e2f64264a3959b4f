"""Only a path where nothing is counts as absent."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from nextset.errors import InputError, StudyError
from nextset.files.json_lines import read_lines
from nextset.files.regular_file import has_file
from nextset.files.yaml_reader import read_text

IN_ITS_PLACE = {
    "a folder": "this is a folder, not a file",
    "a pipe": "this is a pipe, not a file",
    "a socket": "this is a socket, not a file",
    "a device": "this is a device, not a file",
    "a dangling link": "this link leads nowhere",
    "a link to itself": "this link leads nowhere",
    "a link to a folder": "this is a folder, not a file",
}


def put(what: str, path: Path) -> None:
    """Make ``what`` (of `IN_ITS_PLACE`) at ``path``."""
    if what == "a folder":
        path.mkdir()
    elif what == "a pipe":
        os.mkfifo(path)
    elif what == "a socket":
        before = Path.cwd()
        os.chdir(path.parent)  # the path of a socket has at most 107 bytes
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
        os.chdir(before)
    else:
        targets = {"a device": Path("/dev/null"), "a link to a folder": path.parent, "a link to itself": path}
        path.symlink_to(targets.get(what, path.parent / "gone"))


@pytest.mark.parametrize("what", IN_ITS_PLACE)
def test_what_is_not_a_file_is_neither_read_nor_absent(what: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    put(what, path)
    with pytest.raises(StudyError, match=IN_ITS_PLACE[what]) as refused:
        list(read_lines(path, StudyError))
    assert refused.value.file == path
    assert "restore the file" in refused.value.remedy


def test_a_link_to_a_file_is_read_and_nothing_is_absent(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").symlink_to(tmp_path / "other")
    (tmp_path / "other").write_text('{"a": 1}\n', encoding="utf-8")
    assert has_file(tmp_path / "log.jsonl", InputError)
    assert [line.fields for line in read_lines(tmp_path / "log.jsonl", InputError)] == [{"a": 1}]
    assert not has_file(tmp_path / "nothing.jsonl", InputError)
    assert not has_file(tmp_path / "no folder" / "nothing.jsonl", InputError)


def test_the_folder_on_the_way_counts_too(tmp_path: Path) -> None:
    (tmp_path / "judgments").symlink_to(tmp_path / "gone")
    with pytest.raises(InputError, match="this link leads nowhere") as refused:
        has_file(tmp_path / "judgments" / "log.jsonl", InputError)
    assert refused.value.file == tmp_path / "judgments"
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read: Not a directory"):
        has_file(tmp_path / "file" / "log.jsonl", InputError)


@pytest.mark.parametrize("what", ["a folder", "a pipe", "a device"])
def test_a_hand_written_file_is_a_regular_one(what: str, tmp_path: Path) -> None:
    put(what, tmp_path / "study.yaml")
    with pytest.raises(StudyError, match=f"this is {what}, not a file"):
        read_text(tmp_path / "study.yaml", StudyError)
