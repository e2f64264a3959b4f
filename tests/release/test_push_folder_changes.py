"""A folder that changes during a push: the tag names the data that was checked, or there is no tag."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nextset.cli.release_hub import release_hub_app
from nextset.errors import ArtifactError
from nextset.release.hub.hub_reference import HubReference
from nextset.release.hub.hub_token import HubToken
from nextset.release.hub.push import Pushed, push_version
from nextset.release.hub.push_plan import PushPlan
from nextset.release.hub.verification import verify_published
from nextset.release.version_folder.folder_hashes import changes_since, version_files
from nextset.release.version_folder.release_manifest import read_release_manifest
from tests.release.dataset_folders import list_files, make_version
from tests.release.loopback_hub import DUMMY, LoopbackHub, serving
from tests.release.loopback_hub_client import through_loopback

REPO = "org/lefties"
SHARD = "data/items/test-00000-of-00002.parquet"
GIT_HASH = "95c64c99ec38de5cbf256fcc44572155e5320c98"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[LoopbackHub]:
    with through_loopback(), serving(tmp_path / "hub") as hub:
        yield hub


def replace_text(path: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        file = folder / path
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    return change


def flip_a_bit(folder: Path) -> None:
    raw = bytearray((folder / SHARD).read_bytes())
    raw[50] ^= 1
    (folder / SHARD).write_bytes(raw)


def rebuild(folder: Path) -> None:
    make_version(folder, word="lazy", changed=[0])


CHANGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "the card, of the same size": (replace_text("README.md", "cc-by-4.0", "cc-by-9.9"), "README.md"),
    "the citation": (replace_text("CITATION.cff", "1.0.0", "6.6.6"), "CITATION.cff"),
    "the manifest": (replace_text("manifest.json", "cc-by-4.0", "cc-by-9.9"), "manifest.json"),
    "a manifest cut in half": (replace_text("manifest.json", "}", ""), "manifest.json"),
    "everything, built again": (rebuild, SHARD),
    "a bit of a table": (flip_a_bit, SHARD),
    "a file that is deleted": (lambda f: (f / "CITATION.cff").unlink(), "CITATION.cff"),
    "a table that is deleted": (lambda f: (f / SHARD).unlink(), SHARD),
}


def pushed(hub: LoopbackHub, folder: Path, at: str, change: Callable[[Path], None]) -> Pushed:
    """Push ``folder``, which changes at the end of the step ``at``."""

    def progress(step: str) -> Callable[[int, int], None]:
        def tick(i: int, n: int) -> None:
            if step == at and i == n:
                change(folder)

        return tick

    def confirm(plan: PushPlan) -> bool:
        if at == "confirm":
            change(folder)
        return True

    return push_version(
        folder,
        REPO,
        token=HubToken(DUMMY),
        endpoint=hub.url,
        pauses=(0, 0),
        progress=progress,
        confirm=confirm,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("at", ["confirm", "compare downloads"])
def test_a_folder_that_changed_is_not_tagged(hub: LoopbackHub, tmp_path: Path, name: str, at: str) -> None:
    change, path = CHANGES[name]
    with pytest.raises(ArtifactError, match="the folder changed while it was pushed: .*" + re.escape(path)):
        pushed(hub, make_version(tmp_path / "1"), at, change)
    assert not hub.store.refs[REPO, "tags"]
    assert [c["title"] for c in hub.store.history(hub.store.refs[REPO, "heads"]["main"])] == [
        "initial commit"
    ]
    # The next push publishes the version that is whole now, and nothing of the one before.
    again = make_version(tmp_path / "again", word="neat", changed=[1])
    assert pushed(hub, again, "", change).outcome == "published"
    files = hub.store.files(hub.store.refs[REPO, "tags"]["v1.0.0"])
    held = {p: f["sha256"] for p, f in files.items() if p != ".gitattributes"}
    assert held == list_files(again)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("at", ["upload to nextset-staging-v1.0.0", "upload to main"])
def test_a_change_after_the_upload_reaches_no_tag(
    hub: LoopbackHub, tmp_path: Path, name: str, at: str
) -> None:
    change, _ = CHANGES[name]
    folder = make_version(tmp_path / "1")
    before = list_files(folder)
    if at == "upload to main":  # all that is committed was compared before, and is sent as it was compared
        assert pushed(hub, folder, at, change).outcome == "published"
        found = verify_published(
            HubReference(REPO, "v1.0.0"), token=HubToken(DUMMY), endpoint=hub.url, pauses=(0,)
        )
        assert found.intact
        files = hub.store.files(hub.store.refs[REPO, "tags"]["v1.0.0"])
        assert {p: f["sha256"] for p, f in files.items() if p != ".gitattributes"} == before
    else:
        with pytest.raises(ArtifactError, match="the folder changed while it was pushed"):
            pushed(hub, folder, at, change)
        assert not hub.store.refs[REPO, "tags"]


@pytest.mark.slow
def test_a_file_that_goes_away_is_an_error_without_traceback(
    hub: LoopbackHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_version(tmp_path / "1")
    (folder / "CITATION.cff").unlink()
    monkeypatch.setenv("HF_TOKEN", DUMMY)
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    done = CliRunner().invoke(release_hub_app, ["push", str(folder), REPO, "--yes"])
    assert done.exit_code == 4
    assert "CITATION.cff is missing" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", CHANGES)
def test_the_files_are_those_that_were_read(tmp_path: Path, name: str) -> None:
    change, path = CHANGES[name]
    folder = make_version(tmp_path)
    manifest = read_release_manifest(folder)
    files = version_files(folder, manifest)
    assert {p: f.sha256 for p, f in files.items()} == list_files(folder)
    # b"domain: handedness\n" as `git hash-object` names it
    assert files["templates/0a"].git_hash == GIT_HASH
    assert changes_since(folder, files) == []
    change(folder)
    assert path in changes_since(folder, files)
    with pytest.raises(ArtifactError, match="changed while it was pushed: .*" + re.escape(path)):
        version_files(folder, manifest)
