"""A file that is read twice is one content, or an error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nextset.errors import InputError
from nextset.files.unchanged_bytes import unchanged_bytes


def test_the_bytes_are_those_that_the_block_reads(tmp_path: Path) -> None:
    (file := tmp_path / "a").write_bytes(b"x")
    with unchanged_bytes(file, InputError) as raw:
        assert raw == file.read_bytes()
    with (
        pytest.raises(InputError, match="the file changed while it was read"),
        unchanged_bytes(file, InputError),
    ):
        file.write_bytes(b"y")


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, problem in (("pipe", "this is a pipe"), ("gone", "no such file"), (".", "this is a folder")):
        with pytest.raises(InputError, match=problem), unchanged_bytes(tmp_path / name, InputError):
            pass
