"""Files of published predictions, whole and damaged."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import InputError, NextsetError
from nextset.files.squad_predictions import read_answer_file, read_no_answer_scores


def _file(folder: Path, raw: bytes) -> Path:
    file = folder / "predictions.json"
    file.write_bytes(raw)
    return file


def test_answers_are_read_as_they_are(tmp_path: Path) -> None:
    answers = {"1": " Ann ", "2": "", "57 é": "no answer"}
    raw = json.dumps(answers, indent=4).encode()
    found = read_answer_file(_file(tmp_path, raw))
    assert found.answers == answers
    assert read_answer_file(_file(tmp_path, b"\xef\xbb\xbf" + raw)).answers == answers
    assert len(found.digest) == 64


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "not JSON"),
        (b'{"1": "An', "not JSON"),
        (b"{}", "no predictions"),
        (b"[]", "no predictions"),
        (b'["Ann"]', "not an object"),
        (b'"Ann"', "not an object"),
        (b'{"1": null}', "to '1' is not a text: null"),
        (b'{"1": NaN}', "not a text: NaN"),
        (b'{"1": ["Ann"]}', r'not a text: \["Ann"\]'),
        (b'{"1": "Ann", "1": "Eve"}', "is repeated"),
        (b'{"1": "\\ud800"}', "half a character"),
        (b'{"1": "\xff"}', "byte 7 is not UTF-8"),
        (b'{"1": "' + b"a" * 10_001 + b'"}', "10,001 characters"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_damaged_files_are_refused_with_a_remedy(tmp_path: Path, raw: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read_answer_file(_file(tmp_path, raw))
    assert caught.value.remedy
    assert "predictions.json" in str(caught.value)


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_answer_file(tmp_path / "none.json")
    with pytest.raises(InputError, match="folder"):
        read_answer_file(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe"):
        read_answer_file(tmp_path / "pipe")


@given(raw=st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_answers_or_an_error(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    file = _file(tmp_path_factory.mktemp("answers"), raw)
    try:
        found = read_answer_file(file).answers
    except NextsetError:
        return
    assert all(isinstance(text, str) for text in found.values())


def test_no_answer_scores(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text('{"a": 1, "b": 0.5}')
    assert read_no_answer_scores(tmp_path / "p.json") == {"a": 1.0, "b": 0.5}
    for value in ("true", "NaN", '"x"', "1e999"):
        (tmp_path / "p.json").write_text(f'{{"a": {value}}}')
        with pytest.raises(InputError):
            read_no_answer_scores(tmp_path / "p.json")
