"""Files are written completely or not at all, also by several writers at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nextset.files.atomic_files import remove_temporary, write_atomically, write_together


def test_two_writers_of_one_file_do_not_collide(tmp_path: Path) -> None:
    texts = [bytes([65 + i]) * 20_000 for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for written in [pool.submit(write_atomically, tmp_path / "a", raw) for raw in texts * 5]:
            written.result()
    assert (tmp_path / "a").read_bytes() in texts
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_failed_write_names_the_file_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError) as failed:  # noqa: PT011 (the class depends on the system)
        write_atomically(tmp_path / "a", b"x")
    assert failed.value.filename == str(tmp_path / "a")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_what_a_killed_process_was_writing_is_removed(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / ".0123456789abcdef.tmp").touch()
    (tmp_path / "rows" / "mine.tmp").touch()
    remove_temporary(tmp_path)
    assert [p.name for p in (tmp_path / "rows").iterdir()] == ["mine.tmp"]


def test_files_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").mkdir()  # cannot be replaced by a file
    with pytest.raises(OSError) as failed:  # noqa: PT011 (the class depends on the system)
        write_together({tmp_path / "a": b"new", tmp_path / "new": b"new", tmp_path / "b": b"new"})
    assert failed.value.filename == str(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]
    write_together({tmp_path / "a": b"new", tmp_path / "folder" / "c": b"new"})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "folder" / "c").read_bytes() == b"new"
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a", "b", "c", "folder"]


def test_of_a_folder_alone(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    for folder in (tmp_path, tmp_path / "rows"):
        (folder / ".0123456789abcdef.tmp").touch()
    remove_temporary(tmp_path, below=False)
    assert [p.name for p in tmp_path.iterdir()] == ["rows"]
    assert len(list((tmp_path / "rows").iterdir())) == 1
