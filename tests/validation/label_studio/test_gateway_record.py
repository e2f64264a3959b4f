"""Where a gateway listens, noted while it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nextset.errors import ServerError
from nextset.validation.label_studio.gateway_record import (
    GatewayRecord,
    note_gateway,
    read_gateway,
    remove_gateway,
)

URL = "https://judge.example.org"


def test_it_is_read_as_it_was_noted_and_then_gone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert read_gateway(folder) is None
    record = GatewayRecord(url=URL, pid=os.getpid(), socket="/run/ls")
    note_gateway(folder, record)
    note_gateway(folder, record)
    assert read_gateway(folder) == record
    remove_gateway(folder)
    remove_gateway(folder)
    assert read_gateway(folder) is None
    assert not list(folder.iterdir())


def test_a_gateway_that_was_killed_does_not_run(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    note_gateway(tmp_path, GatewayRecord(url=URL, pid=process.pid))
    assert read_gateway(tmp_path) is not None
    process.kill()
    process.communicate()
    assert read_gateway(tmp_path) is None
    note_gateway(tmp_path, GatewayRecord(url=URL, pid=os.getpid()))
    assert read_gateway(tmp_path) is not None, "the next one takes its place"


def test_a_note_that_was_left_half_written_does_not_stop_the_next(tmp_path: Path) -> None:
    (tmp_path / "gateway.json.tmp").write_text('{"url"', encoding="utf-8")
    note_gateway(tmp_path, GatewayRecord(url=URL, pid=os.getpid()))
    assert read_gateway(tmp_path) is not None


def test_a_damaged_file_is_said_with_what_to_do(tmp_path: Path) -> None:
    note_gateway(tmp_path, GatewayRecord(url=URL, pid=os.getpid(), socket="/run/ls"))
    file = tmp_path / "gateway.json"
    whole = file.read_bytes()
    broken = [whole[:cut] for cut in range(len(whole))]
    broken += [
        b"[]",
        b"\xff",
        b'{"url": 1, "pid": 2}',
        b'{"url": "a", "pid": 0}',
        b'{"url": "a", "pid": -1}',
        b'{"url": "a", "pid": 99999999999999999999}',
        b'{"url": "a", "pid": 1, "more": 1}',
    ]
    for content in broken:
        file.write_bytes(content)
        with pytest.raises(ServerError, match=r"gateway\.json, which names the running gateway") as e:
            read_gateway(tmp_path)
        assert "delete the file" in e.value.remedy
    file.unlink()
    file.mkdir()
    with pytest.raises(ServerError, match=r"gateway\.json"):
        read_gateway(tmp_path)
