"""Digests that are kept: the same as reckoned, and never those of files that have changed."""

from __future__ import annotations

import os
import shutil
from hashlib import blake2b
from pathlib import Path

import pytest

from nextset.files.kept_texts import forget_texts
from nextset.scoring.cache import model_digests as module
from nextset.scoring.cache.model_digests import digests
from nextset.scoring.models.sources import locate


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model's folder whose files count as settled, though they have just been written."""
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "RACY", -60_000_000_000)
    made = tmp_path / "model"
    made.mkdir()
    for name in ("a.safetensors", "b.safetensors", "config.json"):
        (made / name).write_bytes(name.encode() * 10)
    return made


def reckoned(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """As another process would, which has seen nothing yet."""
    monkeypatch.setattr(module, "_SEEN", {})
    return digests(sorted(folder.glob("*.safetensors")), sorted(folder.glob("*.json")))


def expected(folder: Path) -> tuple[str, str]:
    weights = b"".join(path.read_bytes() for path in sorted(folder.glob("*.safetensors")))
    whole = weights + b"".join(path.read_bytes() for path in sorted(folder.glob("*.json")))
    return blake2b(weights, digest_size=16).hexdigest(), blake2b(whole, digest_size=16).hexdigest()


def kept(folder: Path) -> list[Path]:
    return sorted((folder.parent / "cache" / "digests").glob("*"))


def test_a_kept_digest_is_what_is_reckoned(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reckoned(folder, monkeypatch) == expected(folder)
    (file,) = kept(folder)
    written = file.stat().st_mtime_ns
    assert reckoned(folder, monkeypatch) == expected(folder)
    assert [path.stat().st_mtime_ns for path in kept(folder)] == [written]
    forget_texts()
    assert kept(folder) == []
    assert reckoned(folder, monkeypatch) == expected(folder)


@pytest.mark.parametrize("name", ["a.safetensors", "b.safetensors", "config.json"])
def test_a_file_that_changes_is_noticed_though_size_and_time_are_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = reckoned(folder, monkeypatch)
    file = folder / name
    times = (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    file.write_bytes(file.read_bytes()[::-1])
    os.utime(file, ns=times)
    assert reckoned(folder, monkeypatch) == expected(folder) != before


def test_a_file_that_another_takes_the_place_of_is_noticed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = reckoned(folder, monkeypatch)
    other = folder / "new"
    shutil.copy2(folder / "a.safetensors", other)
    other.write_bytes(other.read_bytes()[::-1])
    other.replace(folder / "a.safetensors")
    assert reckoned(folder, monkeypatch) == expected(folder) != before


def test_files_that_may_change_within_the_same_tick_are_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RACY", 3_600_000_000_000)
    assert reckoned(folder, monkeypatch) == expected(folder)
    assert kept(folder) == []
    assert module._SEEN == {}


@pytest.mark.parametrize("damage", [b"", b"0" * 82, b"\xff" * 10])
def test_a_kept_digest_that_is_damaged_is_reckoned_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    reckoned(folder, monkeypatch)
    (file,) = kept(folder)
    whole = file.read_bytes()
    file.write_bytes(damage or whole.replace(whole[:1], b"g"))
    assert reckoned(folder, monkeypatch) == expected(folder)
    assert file.read_bytes() == whole


def test_a_model_is_found_where_nothing_can_be_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder.parent / "a file").write_text("no folder")
    monkeypatch.setenv("NEXTSET_CACHE", str(folder.parent / "a file"))
    monkeypatch.setattr(module, "_SEEN", {})
    found = locate(str(folder))
    assert (found.digest, found.identity) == expected(folder)
    assert locate(str(folder)) == found
