"""The studies with a session on a server, as the gateway finds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import JudgmentError
from nextset.validation.label_studio.studies_with_sessions import note_study, noted_studies


def test_studies_are_noted_once_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = tmp_path / "server"
    assert noted_studies(server) == ()
    for name in ("b", "a", "b", "ünïcode name"):
        note_study(server, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    note_study(server, Path("a"))
    assert noted_studies(server) == tuple(tmp_path / name for name in ("b", "a", "ünïcode name"))


def test_a_file_that_was_cut_keeps_what_is_whole(tmp_path: Path) -> None:
    for name in ("a", "b"):
        note_study(tmp_path, tmp_path / name)
    file = tmp_path / "studies.jsonl"
    whole = file.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole)):
        file.write_bytes(whole[:cut])
        found = noted_studies(tmp_path)
        assert found in ((tmp_path / "a",), (tmp_path / "a", tmp_path / "b"))
        note_study(tmp_path, tmp_path / "b")
        assert noted_studies(tmp_path) == (tmp_path / "a", tmp_path / "b"), cut


def test_lines_that_name_no_study_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "studies.jsonl").write_bytes(
        b'{"study": 1}\n{}\n[1]\nnot json\n\n{"study": "/x"}\n\xff\xfe\n'
    )
    assert noted_studies(tmp_path) == (Path("/x"),)


def test_something_else_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "studies.jsonl").mkdir()
    with pytest.raises(JudgmentError):
        noted_studies(tmp_path)
