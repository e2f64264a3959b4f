"""Texts for masked language models, and files of predictions."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import InputError
from nextset.training.training_data.data_source import find_source
from nextset.training.training_data.plain_texts import read_texts


def _texts(path: Path, **columns: str) -> tuple[str, ...]:
    return read_texts([find_source(str(path), path)], columns)


def test_lines_and_columns(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeffOne.\r\n\n  Two.\n".encode())
    assert _texts(tmp_path / "a.txt") == ("One.", "  Two.")
    (tmp_path / "a.csv").write_text("n,sentence\n1,One.\n2,\n3,Two.\n")
    assert _texts(tmp_path / "a.csv", text="sentence") == ("One.", "Two.")
    with pytest.raises(InputError, match="no column 'text'") as caught:
        _texts(tmp_path / "a.csv")
    assert "'sentence'" in caught.value.remedy


def test_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"fine\n\xff\n")
    with pytest.raises(InputError, match="not UTF-8") as caught:
        _texts(tmp_path / "a.txt")
    assert caught.value.line == 2
    (tmp_path / "b.txt").write_text("\n\n")
    with pytest.raises(InputError, match="there are no texts"):
        _texts(tmp_path / "b.txt")
    (tmp_path / "a.jsonl").write_text('{"text": 5}\n')
    with pytest.raises(InputError, match="a value that is not a text"):
        _texts(tmp_path / "a.jsonl")
