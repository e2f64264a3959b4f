from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextset.errors import InputError
from nextset.files.json_lines import Line, append_lines, read_lines

rows = st.lists(st.dictionaries(st.text(max_size=5), st.text() | st.integers() | st.none()), max_size=5)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(rows, rows, st.data())
def test_a_log_that_was_cut_goes_on(
    tmp_path: Path, before: list[dict[str, Any]], after: list[dict[str, Any]], data: st.DataObject
) -> None:
    path = tmp_path / "deep" / "log.jsonl"
    path.unlink(missing_ok=True)
    append_lines(path, before)
    whole = path.read_bytes() if before else b""
    cut = data.draw(st.integers(0, len(whole)))
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(whole[:cut])
    append_lines(path, after)
    assert path.read_bytes().startswith(whole[:cut])
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    kept = sum(end <= cut + 1 for end in ends)
    found = list(read_lines(path, InputError))
    assert [line.fields for line in found if line.fields is not None] == before[:kept] + after
    assert [line.number for line in found if line.fields is None] == (
        [] if cut in {0, *ends, *(end - 1 for end in ends)} else [kept + 1]
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_full_disk_is_said_with_the_log(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as e:
        append_lines(path, [{"a": 1}])
    assert e.value.filename == str(path)


def test_there_is_no_log_yet(tmp_path: Path) -> None:
    append_lines(tmp_path / "log.jsonl", [])
    assert not list(tmp_path.iterdir())
    assert not list(read_lines(tmp_path / "log.jsonl", InputError))


def test_a_line_that_is_no_object_is_torn(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(b'[1]\n\n{"a": 1}\n\xff\n' + b"[" * 100_000)
    lines = list(read_lines(tmp_path / "log.jsonl", InputError))
    assert lines == [Line(1, None), Line(3, {"a": 1}), Line(4, None), Line(5, None)]
