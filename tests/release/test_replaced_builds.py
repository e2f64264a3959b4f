from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from nextset.release.dataset_files.replaced_builds import keep_replaced, last_replaced
from tests.release.dataset_folders import make_version


def rebuilt(tmp_path: Path, target: Path, **changes: object) -> None:
    """Build the version again in ``target``, as the stage does."""
    work = make_version(tmp_path / "work", **changes)  # type: ignore[arg-type]
    keep_replaced(work, target)
    shutil.rmtree(target, ignore_errors=True)
    work.rename(target)


def test_builds_with_other_contents_are_all_kept(tmp_path: Path) -> None:
    target = tmp_path / "lefties-1.0.0"
    for changed in ([], [1], [2], [2]):
        rebuilt(tmp_path, target, changed=changed)
    names = [f"lefties-1.0.0{end}" for end in ("", ".replaced", ".replaced-2")]
    assert sorted(p.name for p in tmp_path.iterdir()) == names
    assert last_replaced(target) == tmp_path / names[2]


@pytest.mark.parametrize("file", ["README.md", "notes.txt"])
def test_what_somebody_wrote_into_a_build_is_kept(tmp_path: Path, file: str) -> None:
    target = tmp_path / "lefties-1.0.0"
    rebuilt(tmp_path, target)
    (target / file).write_text("My words", encoding="utf-8")
    rebuilt(tmp_path, target)
    assert (target.with_name("lefties-1.0.0.replaced") / file).read_text(encoding="utf-8") == "My words"


def test_a_build_that_lacks_files_is_not_worth_keeping(tmp_path: Path) -> None:
    target = tmp_path / "lefties-1.0.0"
    rebuilt(tmp_path, target)
    (target / "README.md").unlink()
    rebuilt(tmp_path, target)
    assert last_replaced(target) is None
