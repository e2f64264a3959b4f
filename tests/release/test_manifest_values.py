"""Manifests that are wrong in themselves: one line that says so, exit code 4, nothing a terminal obeys."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from typer.testing import CliRunner

from nextset.cli.app import app
from nextset.cli.output import errors, print_note, print_result, printable
from nextset.errors import ArtifactError, StudyError
from nextset.release.dataset_files.release_manifest import MANIFEST, parse_manifest
from nextset.release.hub.hub_repository import References
from nextset.release.hub.push_plan import _check_sequence, _latest
from nextset.release.versions.diff_records import MetadataChange, VersionDiff
from nextset.release.versions.version_number import next_version, parse_version
from nextset.study.release_settings import ReleaseSettings
from tests.release.dataset_folders import make_version

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
    # 2 x 128 = 256 bytes in UTF-8
    "a path whose part is too long": ({"files": [file(path="ä" * 128)]}, "is too long"),
    "a path that is too long": ({"files": [file(path="a/" * 600 + "a")]}, "is too long"),
    "a hash": ({"files": [file(sha256="0" * 63)]}, "no SHA-256"),
    "a hash in capitals": ({"files": [file(sha256="A" * 64)]}, "no SHA-256"),
    "negative bytes": ({"files": [file(bytes=-1)]}, "a number of bytes or rows that no file has"),
    "negative rows": ({"files": [file(rows=-1)]}, "a number of bytes or rows that no file has"),
    "too many bytes": ({"files": [file(bytes=10**40)]}, "a number of bytes or rows that no file has"),
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["a name with an escape", "a version in other digits", "a path with a surrogate",
     "a path with an escape", "a path whose part is too long", "negative rows", "not a number"],
)  # fmt: skip
def test_commands_say_so_in_a_line_with_exit_code_4(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_plantedTokenOfThisTest00000000")
    whole = str(make_version(tmp_path / "whole"))
    wrong = str(changed(make_version(tmp_path / "wrong"), WRONG[name][0]))
    for command in (
        ["verify", wrong],
        ["push", "org/lefties", wrong, "--yes"],
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
