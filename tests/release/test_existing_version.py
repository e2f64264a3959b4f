"""A version that exists keeps its contents; only a draft makes way for the next build."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nextset.errors import ArtifactError, StudyError
from nextset.files.file_hash import file_sha256
from nextset.files.json_records import with_digest
from nextset.release.dataset_files.existing_version import existing_version_stays
from nextset.release.versions.version_history import previous_version
from tests.release.dataset_folders import list_files
from tests.release.version_folders import item, items_table, write_version

THREE = [item(f"Men are {word}.") for word in ("calm", "tidy", "late")]


def version(folder: Path, number: str = "1.0.0", rows: Sequence[dict[str, Any]] = THREE, **more: Any) -> Path:
    return write_version(folder / f"a-set-{number}", {"items": items_table(rows)}, number, **more)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """The study's folder of versions, with version 1.0.0."""
    version(tmp_path / "out" / "dataset")
    return tmp_path / "out" / "dataset"


def stays(built: Path, rows: Sequence[dict[str, Any]] = THREE, **more: Any) -> bool:
    """Whether the version on disk stays when 1.0.0 is built from ``rows``."""
    work = version(built.parents[1] / "work", "1.0.0", rows, **more)
    try:
        return existing_version_stays(work, built / "a-set-1.0.0", built.parents[1] / "study.yaml")
    finally:
        shutil.rmtree(work)


def test_other_contents_are_refused_with_the_changes_and_the_next_number(built: Path) -> None:
    before = list_files(built)
    with pytest.raises(StudyError) as e:
        stays(built, THREE[:2], license="mit")
    assert f"a-set 1.0.0 exists in {built / 'a-set-1.0.0'}, and this build differs from it: " in str(e.value)
    assert "items: 3 → 2, 0 added, 1 removed" in e.value.message
    assert "license: cc-by-4.0 → mit" in e.value.message
    assert "set release.previous: out/dataset/a-set-1.0.0 in study.yaml" in e.value.remedy
    assert "makes this build 1.1.0" in e.value.remedy  # a row was removed: minor
    assert f"if no one has 1.0.0 yet, delete {built / 'a-set-1.0.0'}" in e.value.remedy
    assert "release.draft: true" in e.value.remedy
    assert list_files(built) == before


def test_the_number_follows_the_last_version_and_no_draft(built: Path) -> None:
    version(built, "1.1.0", THREE[:2])
    version(built, "1.2.0", draft=True)
    version(built, "1.10.0").rename(built / "a-set-1.10.0.old")
    with pytest.raises(StudyError, match=r"items: 3 → 1, 0 added, 2 removed") as e:
        stays(built, THREE[:1])
    assert "release.previous: out/dataset/a-set-1.1.0 " in e.value.remedy
    assert "makes this build 1.2.0" in e.value.remedy


def test_many_changes_are_refused_in_a_screen(built: Path) -> None:
    changes = {"license": "mit", "authors": ("B",), "languages": ("de",), "judge": "nobody", "private": True}
    more = {"gated": True, "verdicts": {"majority": True}, "content_warning": "Take care.", "canary": "d"}
    with pytest.raises(StudyError, match=r"and \d more changes") as e:
        stays(built, THREE[:1], **changes, **more)
    assert len(e.value.message) < 1000


def test_the_same_contents_stay_and_a_lost_file_is_written_again(built: Path) -> None:
    assert stays(built)
    assert stays(built, nextset="0.2.0")  # not a change of the dataset
    (built / "a-set-1.0.0" / "README.md").unlink()
    assert not stays(built)
    with pytest.raises(StudyError, match=r"files are missing, such as README\.md"):
        stays(built, THREE[:2])


@pytest.mark.parametrize("file", ["README.md", "notes.txt"])
@pytest.mark.parametrize("draft", [False, True])
def test_what_somebody_wrote_into_a_version_is_never_lost(tmp_path: Path, file: str, draft: bool) -> None:
    built = tmp_path / "out" / "dataset"
    (version(built, draft=draft) / file).write_text("My words", encoding="utf-8")
    with pytest.raises(StudyError, match=f"changed after they were built, .*: {file} is (altered|extra)"):
        stays(built, draft=draft)


def test_a_version_makes_no_way_for_a_draft_and_a_draft_for_any_build(built: Path) -> None:
    with pytest.raises(StudyError, match="1 removed"):
        stays(built, THREE[:2], draft=True)
    with pytest.raises(StudyError, match=r"differs from it: draft: false → true") as e:
        stays(built, draft=True)
    assert "release.draft" not in e.value.remedy
    shutil.rmtree(built)
    version(built, draft=True)
    assert not stays(built, THREE[:2], draft=True)
    assert not stays(built, THREE[:2])
    assert not stays(built)


def test_a_manifest_that_was_made_a_draft_by_hand_is_no_draft(built: Path) -> None:
    target, work = built / "a-set-1.0.0", version(built.parents[1] / "work", rows=THREE[:2])
    written = json.loads((target / "manifest.json").read_bytes())
    recorded = file_sha256(target / "manifest.json")
    del written["digest"]
    for wrong in (json.dumps(written | {"draft": True}).encode(), with_digest(written | {"draft": True}, 1)):
        (target / "manifest.json").write_bytes(wrong)
        with pytest.raises(StudyError, match=r"digest .* is missing|manifest\.json is altered"):
            existing_version_stays(work, target, built.parents[1] / "study.yaml", recorded)


def test_a_draft_that_a_killed_build_did_not_record_is_the_one_that_is_built(tmp_path: Path) -> None:
    target, work = (version(tmp_path / name, draft=True) for name in ("out", "work"))
    assert not existing_version_stays(work, target, tmp_path / "study.yaml", "0" * 64)


def test_a_version_says_that_it_replaces_a_draft(built: Path, caplog: pytest.LogCaptureFixture) -> None:
    shutil.rmtree(built / "a-set-1.0.0")
    version(built, draft=True)
    assert not stays(built, draft=True)
    assert caplog.messages == []
    assert not stays(built)
    assert caplog.messages == [f"a-set 1.0.0 replaces the draft of that number in {built / 'a-set-1.0.0'}"]


def test_what_is_no_version_is_in_the_way(built: Path) -> None:
    (built / "a-set-1.0.0" / "manifest.json").unlink()
    with pytest.raises(StudyError, match=r"a-set 1\.0\.0 cannot be written to .*: it has no manifest\.json"):
        stays(built)


def test_a_draft_is_no_previous_version(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="is a draft, which a later build may replace"):
        previous_version(version(tmp_path, draft=True), "a-set")
