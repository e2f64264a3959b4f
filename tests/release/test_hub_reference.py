"""ORG/NAME@REVISION, downloads of versions, and their verification."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ArtifactError, InputError, ServerError
from nextset.http_patience import retry_after
from nextset.release.hub.hub_reference import HubReference, download_version, local_version, parse_reference
from nextset.release.hub.hub_token import HubToken
from nextset.release.hub.push import push_version
from nextset.release.hub.verification import verify_folder, verify_published, verify_version
from nextset.release.version_folder.release_manifest import (
    MANIFEST,
    PublishedFile,
    manifest_bytes,
    read_release_manifest,
)
from tests.release.dataset_folders import list_files, make_version, rewrite_manifest
from tests.release.loopback_hub import DUMMY, LoopbackHub, serving
from tests.release.loopback_hub_client import through_loopback

REPO = "org/lefties"
FIRST = HubReference(REPO, "v1.0.0")
NAMES = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,10}[A-Za-z0-9])?", fullmatch=True).filter(
    lambda name: "--" not in name and ".." not in name and not name.endswith(".git")
)
REVISIONS = st.from_regex(r"v[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}|main|[0-9a-f]{40}", fullmatch=True)


@given(NAMES, NAMES, REVISIONS)
def test_a_reference_is_read_as_it_is_written(org: str, name: str, revision: str) -> None:
    reference = HubReference(f"{org}/{name}", revision)
    assert parse_reference(str(reference)) == reference


@given(st.text(max_size=30))
def test_any_text_is_a_reference_or_an_input_error(text: str) -> None:
    try:
        assert str(parse_reference(text)) == text
    except InputError as e:
        assert e.remedy


@pytest.mark.parametrize(
    "text",
    ["lefties@v1", "org/lefties", "org/lefties@", "org/a/b@v1", "org/a..b@v1", "../x@v1", "org/x@../y",
     "https://huggingface.co/datasets/org/x@v1", "org/x@v1?y", "org/x.git@v1", "org/x@-v1"],
)  # fmt: skip
def test_texts_that_are_no_reference(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_reference(text)
    assert "write" in refused.value.remedy


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "12"}, 12),
        ({"Retry-After": "0.25"}, 0.25),
        ({"Retry-After": "Thu, 01 Jan 2026 00:01:30 GMT", "Date": "Thu, 01 Jan 2026 00:00:00 GMT"}, 90),
        ({"Retry-After": "Thu, 01 Jan 2026 00:00:00 GMT", "Date": "Thu, 01 Jan 2026 00:00:09 GMT"}, 0),
        ({"RateLimit": '"api";r=0;t=55'}, 55),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_the_seconds_that_the_hub_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackHub]:
    """A hub with two versions."""
    home = tmp_path_factory.mktemp("versions")
    with through_loopback(), serving(home / "hub") as hub:
        for number, folder in (
            ("1.0.0", make_version(home / "1")),
            ("1.1.0", make_version(home / "2", "1.1.0", previous="1.0.0", changed=[1])),
        ):
            done = push_version(folder, REPO, token=HubToken(DUMMY), endpoint=hub.url)
            assert done.plan.version == number
        yield hub


@pytest.fixture(autouse=True)
def _no_login(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "none"))


def damaged(hub: LoopbackHub, tag: str, **files: bytes | None) -> None:
    """Set ``tag`` on a commit with other files, as somebody could who may write to the repository."""
    head = hub.store.refs[REPO, "tags"]["v1.0.0"]
    changed = dict(hub.store.files(head))
    for name, raw in files.items():
        path = next((p for p in changed if p.startswith(name.replace("__", "/"))), name)
        changed.pop(path, None)
        if raw is not None:
            changed[path] = hub.store.keep(raw)
    hub.store.refs[REPO, "heads"]["side"] = head
    hub.store.refs[REPO, "tags"][tag] = hub.store.commit(REPO, "side", changed, "Change", "", "colleague")


@pytest.mark.slow
def test_anyone_verifies_a_published_version(hub: LoopbackHub) -> None:
    found = verify_version(str(FIRST), endpoint=hub.url)
    assert (found.intact, found.name, found.version, found.files, found.rows) == (
        True, "lefties", "1.0.0", 5, 6,
    )  # fmt: skip
    assert found.commit == hub.store.refs[REPO, "tags"]["v1.0.0"]


@pytest.mark.slow
def test_verification_names_what_is_missing_altered_extra_and_mislabelled(hub: LoopbackHub) -> None:
    damaged(
        hub,
        "v9.0.0",
        CITATION=None,
        README=b"# Other\n",
        data__items__test=b"PAR1",
        notes=b"a note",
    )
    found = verify_published(HubReference(REPO, "v9.0.0"), endpoint=hub.url)
    assert [(d.path, d.what) for d in found.differences] == [
        ("CITATION.cff", "missing"),
        ("README.md", "altered"),
        ("data/items/test-00000-of-00002.parquet", "altered"),
        ("notes", "extra"),
    ]
    assert found.disagreements == ("the tag is v9.0.0, the manifest says 1.0.0",)
    assert found.rows == 3
    with pytest.raises(ArtifactError, match=r"CITATION\.cff is missing, or differs from the file"):
        download_version(HubReference(REPO, "v9.0.0"), endpoint=hub.url)


@pytest.mark.slow
def test_a_download_that_breaks_off_is_made_again(hub: LoopbackHub) -> None:
    for kind in ("cut", "lost before", "500 before", "garbage"):
        hub.fault("resolve", kind, nth=3)
        found = verify_published(FIRST, endpoint=hub.url, pauses=(0,))
        assert (found.intact, kind) == (kind != "garbage", kind)  # a whole answer with other content
        hub.faults.clear()


def test_a_reader_is_told_what_a_reader_can_do() -> None:
    with through_loopback():
        for ask in (verify_published, download_version):
            with pytest.raises(ServerError, match="cannot be reached") as refused:
                ask(HubReference("org/elsewhere", "v1.0.0"), endpoint="http://127.0.0.1:9", pauses=())
            assert "what has arrived" not in refused.value.remedy
            assert "name a folder that holds the version" in refused.value.remedy


@pytest.mark.slow
def test_manifests_that_are_damaged_missing_or_hostile(hub: LoopbackHub, tmp_path: Path) -> None:
    damaged(hub, "damaged", **{"manifest": b'{"format": 1'})
    damaged(hub, "missing", **{"manifest": None})
    manifest = read_release_manifest(make_version(tmp_path))
    outside = PublishedFile(path="../../outside", bytes=1, sha256="0" * 64)
    damaged(hub, "hostile", **{"manifest": manifest_bytes(replace(manifest, files=(outside,)))})
    for tag, message in (
        ("damaged", "is damaged"),
        ("missing", "it has no manifest.json"),
        ("hostile", "not a path inside the version"),
    ):
        for ask in (verify_published, download_version):
            with pytest.raises(ArtifactError, match=message) as refused:
                ask(HubReference(REPO, tag), endpoint=hub.url)
            assert refused.value.message.startswith(f"{REPO}@{tag}")


@pytest.mark.slow
def test_versions_that_are_not_there_or_not_to_be_seen(hub: LoopbackHub) -> None:
    hub.store.create("org/private", private=True)
    for reference in ("org/nothing@v1.0.0", "org/private@main", f"{REPO}@v7.0.0"):
        with pytest.raises(ServerError, match="answered 404") as refused:
            verify_version(reference, endpoint=hub.url)
        assert "check the name" in refused.value.remedy


@pytest.mark.slow
def test_a_version_is_downloaded_once_and_mended(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = local_version(str(FIRST), tmp_path.joinpath, endpoint=hub.url)
    assert verify_folder(folder).intact
    before = len(hub.requests)
    assert download_version(FIRST, endpoint=hub.url) == folder
    assert [name for name, _ in hub.requests[before:]] == []
    whole = list_files(folder)
    (folder / "README.md").write_bytes(b"damaged")
    assert list_files(download_version(FIRST, endpoint=hub.url)) == whole
    for manifest in (b"{", b'{"format": 1}', b"\xff"):
        (folder / MANIFEST).write_bytes(manifest)
        assert list_files(download_version(FIRST, endpoint=hub.url)) == whole
    for note in (b"[]", b"\xff", b'{"hub": 1, "commit": 2}'):
        (folder.parent / "v1.0.0.json").write_bytes(note)
        assert list_files(download_version(FIRST, endpoint=hub.url)) == whole
    assert download_version(HubReference(REPO, "main"), endpoint=hub.url) != folder


def test_a_folder_comes_before_the_hub(tmp_path: Path) -> None:
    folder = make_version(tmp_path / "org" / "lefties@v1")
    assert local_version("org/lefties@v1", tmp_path.joinpath) == folder
    with pytest.raises(InputError, match="neither a folder nor a version on the Hub"):
        local_version("out/dataset/none", tmp_path.joinpath)


def test_a_folder_is_verified_without_the_hub(tmp_path: Path) -> None:
    folder = make_version(tmp_path / "1")
    assert verify_version(str(folder)).rows == 6
    (folder / "data/items/test-00001-of-00002.parquet").write_bytes(b"PAR1 not a table PAR1")
    found = verify_version(str(folder))
    assert [str(d).split(" (")[0] for d in found.differences] == [
        "data/items/test-00001-of-00002.parquet is altered"
    ]
    rewrite_manifest(folder, read_release_manifest(folder), "data/items/test-00001-of-00002.parquet")
    (difference,) = verify_version(str(folder)).differences
    assert difference.detail.startswith("not readable: ")
    (folder / MANIFEST).unlink()
    with pytest.raises(ArtifactError, match="is not the folder of a dataset version"):
        verify_version(str(folder))


def test_a_version_that_was_downloaded_needs_no_hub(
    hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    folder = download_version(FIRST, endpoint=hub.url)
    hub.fault("info", "500 before")
    asked = len(hub.requests)
    assert download_version(FIRST, endpoint=hub.url) == folder
    assert len(hub.requests) == asked
    # a file that was changed is downloaded again, and another Hub has another version
    (folder / "README.md").write_text("other", encoding="utf-8")
    assert download_version(FIRST, endpoint=hub.url, pauses=(0,)) == folder
    assert len(hub.requests) > asked
    assert verify_folder(folder).intact
    with pytest.raises(ServerError):
        download_version(FIRST, endpoint="http://127.0.0.1:9", pauses=())
