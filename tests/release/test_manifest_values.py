"""Manifests that are wrong in themselves: one line that says so, exit code 4, nothing a terminal obeys."""

from __future__ import annotations

import io
import json
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from typer.testing import CliRunner

from nextset.cli.app import app
from nextset.cli.output import errors, print_note, print_result
from nextset.errors import ArtifactError, ImportedDataError, NewerFormat, StudyError
from nextset.files.json_records import with_digest
from nextset.printable_text import printable, printable_line
from nextset.release.harness.release_source import release_source
from nextset.release.hub.hub_reference import check_whole
from nextset.release.hub.hub_repository import References
from nextset.release.hub.push_plan import _check_sequence, _latest
from nextset.release.hub.push_refusals import checked_manifest
from nextset.release.hub.verification import verify_folder
from nextset.release.overlap.duplicate_search import find_earlier_duplicates
from nextset.release.version_folder.dotted_version import parse_version
from nextset.release.version_folder.release_manifest import (
    MANIFEST,
    ReleaseManifest,
    manifest_bytes,
    parse_manifest,
    read_release_manifest,
)
from nextset.release.versions.diff_records import MetadataChange, VersionDiff
from nextset.release.versions.version_number import next_version
from nextset.release.versions.version_tables import open_version
from nextset.study.imported_version import version_manifest
from nextset.study.release_settings import ReleaseSettings
from tests.release.dataset_folders import make_version
from tests.release.harness_version import MANIFEST_OF

STRICT = ("0.0.0", "1.0.0", "1.10.0", "999999999.0.10")
LOOSE = (
    "1.0",
    "01.0.0",
    "1.00.0",
    "1.0.0 ",
    "1.0.0\n",
    "1.0.-1",
    "v1.0.0",
    "1.0.0rc1",
    "٣.٤.٥",
    "1000000000.0.0",
)
SHA = "0" * 64


def file(**values: Any) -> dict[str, Any]:
    return {"path": "a.txt", "bytes": 1, "sha256": SHA, **values}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a name with an escape": ({"name": "lef\x1b[31mties"}, r"the name is 'lef\x1b[31mties'"),
    "a name with a slash": ({"name": "../lefties"}, "the name is '../lefties'"),
    "an empty name": ({"name": ""}, "the name is ''"),
    "a name that is a number": ({"name": 3}, "name: "),
    "a version with a zero before it": ({"version": "01.0.0"}, "'01.0.0' is not a version"),
    "a version in other digits": ({"version": "٣.٤.٥"}, "is not a version"),
    "a version that is too long": ({"version": "9" * 5000 + ".0.0"}, "is not a version"),
    "a previous version": ({"previous": "latest"}, "'latest' is not a version"),
    "a kind": ({"kind": "items,images"}, "the kind is 'items,images'"),
    "a kind twice": ({"kind": "items,items"}, "the kind is 'items,items'"),
    "a path with a surrogate": ({"files": [file(path="a\ud800.txt")]}, r"'a\ud800.txt' is not a path inside"),
    "a path with an escape": ({"files": [file(path="a\x1b]0;t\x07")]}, r"'a\x1b]0;t\x07' is not a path"),
    "a path that runs backwards": ({"files": [file(path="a\u202etxt")]}, r"'a\u202etxt' is not a path"),
    "a path outside": ({"files": [file(path="../a")]}, "'../a' is not a path inside the version"),
    "an absolute path": ({"files": [file(path="/a")]}, "'/a' is not a path inside the version"),
    "a path with backslashes": ({"files": [file(path="..\\a")]}, "is not a path inside the version"),
    "a path with a drive": ({"files": [file(path="a:b")]}, "'a:b' is not a path inside the version"),
    "a path with a star": ({"files": [file(path="a*b")]}, "'a*b' is not a path inside the version"),
    "a path with a bar": ({"files": [file(path="a|b")]}, "'a|b' is not a path inside the version"),
    "a path into git": ({"files": [file(path=".git/x")]}, "'.git/x' is not a path inside the version"),
    "a path into git, in capitals": ({"files": [file(path="a/.GIT/x")]}, "'a/.GIT/x' is not a path inside"),
    "a path with a dot": ({"files": [file(path="./a")]}, "'./a' is not a path inside the version"),
    "a path with an empty part": ({"files": [file(path="a//b")]}, "'a//b' is not a path inside"),
    "a path that climbs": ({"files": [file(path="a/../../b")]}, "'a/../../b' is not a path inside"),
    "a path with a line break": ({"files": [file(path="a\nb")]}, r"'a\nb' is not a path inside"),
    "an empty path": ({"files": [file(path="")]}, "'' is not a path inside the version"),
    "a path twice": ({"files": [file(), file()]}, "the path 'a.txt' is listed twice"),
    "paths that differ in case": (
        {"files": [file(path="data/Age/a"), file(path="data/age/a")]},
        "the paths 'data/Age/a' and 'data/age/a' are the same file on some file systems",
    ),
    "paths that differ in normal form": (
        {"files": [file(path="\u00e9"), file(path="e\u0301")]},
        r"the paths '\xe9' and 'e\u0301' are the same file on some file systems",
    ),
    "the manifest": ({"files": [file(path="Manifest.json")]}, "'Manifest.json' is the path of the manifest"),
    "a path that is a file and a folder": (
        {"files": [file(path="data/a"), file(path="DATA/A/b")]}, "'DATA/A' is both a file and the folder of"),
    "a path below the manifest": (
        {"files": [file(path="manifest.json/a")]}, "'manifest.json' is both a file and the folder of"),
    "an unknown key": ({"licence": "x"}, "the key 'licence' is unknown"),
    # 2 x 128 = 256 bytes in UTF-8
    "a path whose part is too long": ({"files": [file(path="ä" * 128)]}, "is too long"),
    "a path that is too long": ({"files": [file(path="a/" * 600 + "a")]}, "is too long"),
    "a hash": ({"files": [file(sha256="0" * 63)]}, "is not 64 hexadecimal digits"),
    "a hash in capitals": ({"files": [file(sha256="A" * 64)]}, "is not 64 hexadecimal digits"),
    "negative bytes": ({"files": [file(bytes=-1)]}, "an impossible number of bytes or rows"),
    "negative rows": ({"files": [file(rows=-1)]}, "an impossible number of bytes or rows"),
    "too many bytes": ({"files": [file(bytes=10**40)]}, "an impossible number of bytes or rows"),
    "a config with a slash": ({"files": [file(config="../items")]}, "the config or split '../items'"),
    "not a number": ({"verdicts": {"posterior_at_least": float("nan")}}, "NaN is not a finite number"),
    "infinity": ({"verdicts": {"posterior_at_least": float("inf")}}, "Infinity is not a finite number"),
}  # fmt: skip


def changed(folder: Path, values: dict[str, Any]) -> Path:
    written = json.loads((folder / MANIFEST).read_bytes())
    (folder / MANIFEST).write_text(json.dumps({**written, **values}), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", WRONG)
def test_a_manifest_that_is_wrong_in_itself_is_damaged(tmp_path: Path, name: str) -> None:
    values, message = WRONG[name]
    folder = changed(make_version(tmp_path), values)
    with pytest.raises(ArtifactError, match="is damaged, or not the manifest") as damaged:
        parse_manifest((folder / MANIFEST).read_bytes(), MANIFEST)
    assert message in str(damaged.value)
    assert str(damaged.value).isprintable()


def test_every_flipped_bit_of_a_manifest_is_found(tmp_path: Path) -> None:
    raw = (make_version(tmp_path) / MANIFEST).read_bytes()
    for place in range(0, len(raw), 11):
        flipped = bytearray(raw)
        flipped[place] ^= 1 << place % 8
        (tmp_path / MANIFEST).write_bytes(flipped)
        with pytest.raises(ArtifactError, match="is damaged, or not the manifest"):
            read_release_manifest(tmp_path)
        with pytest.raises(ImportedDataError, match="not the manifest of a dataset version"):
            version_manifest(tmp_path)


def test_a_manifest_of_an_earlier_version_has_no_digest(tmp_path: Path) -> None:
    written = json.loads((make_version(tmp_path) / MANIFEST).read_bytes())
    del written["digest"]
    raw = json.dumps(written | {"nextset": "0.0.9"}).encode()
    assert parse_manifest(raw, MANIFEST) == replace(read_release_manifest(tmp_path), nextset="0.0.9")


@pytest.mark.parametrize("changed", [{}, {"draft": True}, {"nextset": "0.0.9", "draft": True}])
def test_a_manifest_that_lost_its_digest_is_damaged(tmp_path: Path, changed: dict[str, object]) -> None:
    path = make_version(tmp_path) / MANIFEST
    written = json.loads(path.read_bytes()) | changed
    del written["digest"]
    path.write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"the digest that nextset writes since 0\.1\.0 is missing"):
        read_release_manifest(path.parent)
    with pytest.raises(ImportedDataError, match=r"the digest that nextset writes since 0\.1\.0 is missing"):
        version_manifest(path.parent)


@pytest.mark.parametrize("key", ["version", "name", "path", "sha256"])
def test_a_key_twice_in_one_object_is_damaged(tmp_path: Path, key: str) -> None:
    raw = (make_version(tmp_path) / MANIFEST).read_bytes()
    before = f'"{key}": '.encode()
    twice = raw.replace(before, before + b'"1.0.0", ' + before, 1)
    assert twice != raw
    with pytest.raises(ArtifactError, match=f"the key '{key}' is repeated"):
        parse_manifest(twice, MANIFEST)


def test_a_number_beyond_all_floats_and_nesting_beyond_all_stacks(tmp_path: Path) -> None:
    raw = (make_version(tmp_path) / MANIFEST).read_bytes()
    with pytest.raises(ArtifactError, match="1e999 is not a finite number"):
        parse_manifest(raw.replace(b'"aggregated": true', b'"aggregated": 1e999'), MANIFEST)
    with pytest.raises(ArtifactError, match="is damaged"):
        parse_manifest(b"[" * 200_000, MANIFEST)


@given(st.binary(max_size=200) | st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
).map(lambda value: json.dumps({"format": 1, "files": value}).encode()))  # fmt: skip
def test_any_bytes_are_a_manifest_or_an_artifact_error(raw: bytes) -> None:
    with pytest.raises(ArtifactError, match="is damaged"):
        parse_manifest(raw, MANIFEST)


def read_locally(folder: Path) -> tuple[Callable[[], object], ...]:
    """Every way to read the version in ``folder``."""
    return (
        lambda: read_release_manifest(folder),
        lambda: verify_folder(folder),
        lambda: check_whole(folder),
        lambda: checked_manifest(folder, None, demo=True),
        lambda: release_source(folder),
        lambda: open_version(folder),
        lambda: find_earlier_duplicates("items", lambda: iter(()), folder, 0.1),
    )


@pytest.mark.parametrize("name", [name for name in WRONG if "path" in name or name == "the manifest"])
def test_every_reader_refuses_the_same_paths_with_the_same_words(tmp_path: Path, name: str) -> None:
    values, message = WRONG[name]
    folder = changed(make_version(tmp_path), values)
    said = set()
    for read in read_locally(folder):
        with pytest.raises(ArtifactError) as refused:
            read()
        said.add((refused.value.message, refused.value.remedy))
    ((what, remedy),) = said
    assert what.startswith(f"{folder / MANIFEST} is damaged, or not the manifest")
    assert message in what
    assert remedy == "build or download the version again"


PARTS = st.sampled_from(["data", "Data", "a", "A", "é", "e\u0301", "ß", "SS", "..", ".git", ".Git", MANIFEST])
PATHS = st.lists(PARTS | st.text(max_size=3), max_size=3).map("/".join) | st.text(max_size=6)


def parsed(paths: list[str]) -> ReleaseManifest | None:
    """Return the manifest that lists ``paths``; None if it is refused."""
    written = {**json.loads(manifest_bytes(MANIFEST_OF)), "files": [file(path=path) for path in paths]}
    del written["digest"]
    try:
        return parse_manifest(with_digest(written, 1), MANIFEST)
    except ArtifactError as e:
        assert e.message.startswith(f"{MANIFEST} is damaged")
        assert e.message.isprintable()
        return None


@given(st.lists(PATHS, max_size=4), st.randoms())
def test_paths_that_are_read_are_different_files_inside_any_folder(paths: list[str], order: Random) -> None:
    shuffled = order.sample(paths, len(paths))
    read = parsed(paths)
    assert (parsed(shuffled) is None) == (read is None)
    if read is None:
        return
    assert [f.path for f in read.files] == paths
    for path in paths:
        windows = PureWindowsPath(path)
        assert not windows.drive
        assert not windows.root
        assert windows.as_posix() == str(PurePosixPath(path)) == path
        assert not {"..", ".git"} & {part.lower() for part in windows.parts}
    for alike in (str.lower, str.casefold, lambda p: unicodedata.normalize("NFD", p)):
        assert len({alike(path) for path in [*paths, MANIFEST]}) == len(paths) + 1


@given(st.lists(st.from_regex(r"[a-z0-9_-]{1,9}(/[a-z0-9][a-z0-9_.-]{0,8})?", fullmatch=True), unique=True))
def test_different_paths_of_plain_names_are_read_unless_a_file_is_a_folder(paths: list[str]) -> None:
    folders = {path.split("/")[0] for path in paths if "/" in path}
    assert (parsed(paths) is None) == bool(folders.intersection(paths))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["a name with an escape", "a version in other digits", "a path with a surrogate",
     "a path with an escape", "a path whose part is too long", "a path into git", "a path twice",
     "negative rows", "not a number"],
)  # fmt: skip
def test_commands_say_so_in_a_line_with_exit_code_4(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_plantedTokenOfThisTest00000000")
    whole = str(make_version(tmp_path / "whole"))
    wrong = str(changed(make_version(tmp_path / "wrong"), WRONG[name][0]))
    for command in (
        ["verify", wrong],
        ["push", wrong, "org/lefties", "--yes"],
        ["diff", whole, wrong],
        ["export", wrong, "--harness", "lm-eval", "--to", str(tmp_path / "out")],
    ):
        done = CliRunner().invoke(app, ["release", *command])
        assert done.exit_code == 4, (command, done.output, done.exception)
        first, second = done.stderr.splitlines()[-2:]
        assert first.startswith("error: ")
        assert "is damaged, or not the manifest" in first
        assert second == "  try: build or download the version again"
        assert done.stderr.replace("\n", "").isprintable()


@pytest.mark.parametrize("version", STRICT)
def test_a_version_is_read_everywhere(tmp_path: Path, version: str) -> None:
    assert ".".join(map(str, parse_version(version))) == version
    assert ReleaseSettings(name="lefties", version=version).version == version
    raw = (make_version(tmp_path, version) / MANIFEST).read_bytes()
    assert parse_manifest(raw, MANIFEST).version == version
    assert _latest(References({}, {f"v{version}": "c"})) == version


@pytest.mark.parametrize("version", LOOSE)
def test_a_loose_version_is_read_nowhere(tmp_path: Path, version: str) -> None:
    with pytest.raises(StudyError, match="is not a version"):
        parse_version(version)
    if version.strip() == version:  # study.yaml is read without the spaces around a value
        with pytest.raises(ValidationError):
            ReleaseSettings(name="lefties", version=version)
    manifest = parse_manifest((make_version(tmp_path) / MANIFEST).read_bytes(), MANIFEST)
    with pytest.raises(ArtifactError, match="is not a version"):
        parse_manifest((changed(tmp_path, {"version": version}) / MANIFEST).read_bytes(), MANIFEST)
    assert _latest(References({}, {f"v{version}": "c", "v0.9.0": "d"})) == "0.9.0"
    _check_sequence(manifest, None, "org/lefties")


def test_escapes_for_what_a_terminal_obeys() -> None:
    assert printable("a\x1b[31m\x07\x85\u202eb\ud800\ufeff\r") == r"a\x1b[31m\x07\x85\u202eb\ud800\ufeff\r"
    assert printable("é → 東\n\ta\u00a0b") == "é → 東\n\ta\u00a0b"
    assert printable_line("é → 東\n\ta\u00a0b\x1b") == "é → 東\\n\\ta\u00a0b\\x1b"


@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_printed(text: str) -> None:
    shown = printable(text)
    assert printable(shown) == shown
    shown.encode()


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_surrogates_and_controls_reach_no_stream(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    hostile = "x\x1b[2J\ud800é"
    print_result(hostile, False, None)
    print_result("", True, {"path": hostile})
    print_note(hostile)
    for raised in (ArtifactError(hostile, remedy=hostile), OSError(2, "No such file", hostile)):
        with pytest.raises(SystemExit), errors(False):
            raise raised
    for stream in (out, err):
        stream.flush()
        assert b"\x1b" not in stream.buffer.getvalue()
    text, written = out.buffer.getvalue().decode(encoding).split("\n", 1)
    assert text == r"x\x1b[2J\ud800" + ("é" if encoding == "utf-8" else r"\xe9")
    assert json.loads(written) == {"path": hostile}


def test_the_last_version_has_none_after_it() -> None:
    changed = (MetadataChange(field="license", before="cc-by-4.0", after="cc0-1.0"),)
    diff = VersionDiff(
        name="lefties", old="", new="", configs=(), withdrawn=(), schema=(), tables=(), metadata=changed
    )
    assert next_version("0.0.999999998", diff).version == "0.0.999999999"
    with pytest.raises(StudyError, match=r"0\.0\.1000000000' is not a version"):
        next_version("0.0.999999999", diff)


def test_a_manifest_in_a_newer_format_is_not_damaged(tmp_path: Path) -> None:
    folder = changed(make_version(tmp_path), {"format": 2, "nextset": "0.9.1", "novel": []})
    with pytest.raises(NewerFormat, match=r"nextset \(0\.9\.1\) wrote this file, in format 2") as e:
        read_release_manifest(folder)
    assert e.value.remedy == (
        "install nextset 0.9.1, which reads the file; the file is not damaged: do not delete it"
    )
