"""The reasons not to push a version: all at once, each with a remedy, and before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from nextset.errors import ArtifactError, ServerError
from nextset.files.atomic_files import parquet_bytes
from nextset.redaction import redacted
from nextset.release.hub.hub_token import HubToken
from nextset.release.hub.push_refusals import checked_manifest, refusals
from nextset.release.version_folder.release_manifest import (
    ReleaseModel,
    Waiver,
    read_release_manifest,
)
from tests.release.dataset_folders import CANARY, REAL_MODEL, make_version, rewrite_manifest

TOKEN = HubToken("hf_plantedTokenOfThisTest00000000")
SHARD = "data/items/test-00000-of-00002.parquet"
TOY = ReleaseModel(name="builtin:toy", revision="2" * 64, role="filter", pinned=True)
LOOSE = ReleaseModel(name="org/loose", revision="3" * 64, role="held out", pinned=False)


def reasons(folder: Path, *, demo: bool = False) -> list[str]:
    found = refusals(folder, read_release_manifest(folder), TOKEN, demo=demo)
    assert all(refusal.remedy for refusal in found)
    return [refusal.reason for refusal in found]


def test_a_whole_version_is_not_refused(tmp_path: Path) -> None:
    assert reasons(make_version(tmp_path)) == []


def test_what_the_manifest_says_of_licence_models_and_judges(tmp_path: Path) -> None:
    folder = make_version(
        tmp_path, license="", models=(REAL_MODEL, TOY, LOOSE), judge="rule", canary="no GUID"
    )
    assert reasons(folder) == [
        "it has no licence",
        "it has no canary",
        "models without a fixed revision: org/loose",
        "built-in models, which exist only for trying the tool, helped to make it: builtin:toy",
        "no one judged its items: a rule checked only their form",
        "README.md does not name the canary",
        f"there are rows without the canary in {SHARD}, data/items/test-00001-of-00002.parquet",
    ]
    waived = (Waiver(what="unpinned", reason="the authors keep the weights"),)
    folder = make_version(tmp_path / "demo", models=(TOY, LOOSE), judge="rule", waivers=waived)
    assert reasons(folder, demo=True) == []


def test_all_reasons_come_at_once(tmp_path: Path) -> None:
    folder = make_version(tmp_path, license="", judge="rule")
    with pytest.raises(
        ArtifactError, match=r"for 2 reasons: \(1\) it has no licence; \(2\) no one judged"
    ) as e:
        checked_manifest(folder, TOKEN, demo=False)
    assert e.value.remedy.startswith("(1) set release.license in study.yaml and build again; (2) ")


def test_a_draft_is_not_pushed_not_even_as_a_demonstration(tmp_path: Path) -> None:
    folder = make_version(tmp_path, draft=True)
    assert reasons(folder) == ["it is a draft"]
    with pytest.raises(ArtifactError) as e:
        checked_manifest(folder, None, demo=True)
    assert e.value.remedy == "(1) remove release.draft from study.yaml and build again"


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda f: (f / SHARD).unlink(), f"{SHARD} is missing"),
        (lambda f: (f / SHARD).write_bytes((f / SHARD).read_bytes()[:50]), f"{SHARD} is altered (50 bytes"),
        (
            lambda f: (f / "README.md").write_bytes((f / "README.md").read_bytes()[:-1] + b"!"),
            "README.md is altered (different SHA-256)",
        ),
        (lambda f: (f / "notes.txt").write_text("a note", encoding="utf-8"), "notes.txt is extra"),
        (lambda f: ((f / SHARD).unlink(), (f / SHARD).symlink_to("/etc/hosts")), "is missing (a link)"),
    ],
)
def test_files_that_are_not_those_of_the_manifest(
    tmp_path: Path, damage: Callable[[Path], object], reason: str
) -> None:
    folder = make_version(tmp_path)
    damage(folder)
    (found,) = reasons(folder)
    assert reason in found


def replaced(folder: Path, path: str, raw: bytes) -> Path:
    """Write another content, which the manifest then lists."""
    (folder / path).write_bytes(raw)
    rewrite_manifest(folder, read_release_manifest(folder), path)
    return folder


def test_a_card_without_its_warning_or_canary(tmp_path: Path) -> None:
    folder = make_version(tmp_path)
    assert reasons(replaced(folder, "README.md", b"# Lefties\n")) == [
        "README.md has no content warning",
        "README.md does not name the canary",
    ]
    assert reasons(replaced(folder, "README.md", b"")) == ["it has no card (README.md)"]


def test_a_warning_that_the_card_wraps_and_marks_is_still_there(tmp_path: Path) -> None:
    folder = make_version(tmp_path)
    warning = read_release_manifest(folder).content_warning.split()
    lines = [" ".join(warning[i : i + 4]) for i in range(0, len(warning), 4)]
    card = f"> **{lines[0]}**\n> " + "\n> ".join(lines[1:]) + f"\n\n`{CANARY}`\n"
    assert reasons(replaced(folder, "README.md", card.encode())) == []


@pytest.mark.parametrize(
    "rows",
    [
        {"id": ["a", "b", "c"]},
        {"id": ["a", "b", "c"], "canary": [CANARY, CANARY, "another"]},
        {"id": ["a", "b", "c"], "canary": [CANARY, None, CANARY]},
        {"id": ["a", "b", "c"], "canary": [1, 2, 3]},
        {"id": ["a", "b"], "canary": [CANARY, CANARY]},  # the manifest lists three
    ],
)
def test_rows_without_the_canary(tmp_path: Path, rows: dict[str, list[object]]) -> None:
    folder = replaced(make_version(tmp_path), SHARD, parquet_bytes(pa.table(rows)))
    assert reasons(folder) == [f"there are rows without the canary in {SHARD}"]
    assert reasons(replaced(folder, SHARD, b"PAR1 cut short")) == [
        f"there are rows without the canary in {SHARD}"
    ]


def test_a_kind_without_rows(tmp_path: Path) -> None:
    assert reasons(make_version(tmp_path, kind="items,questions")) == [
        "the manifest lists no rows of questions"
    ]


def test_the_token_itself_is_never_published(tmp_path: Path) -> None:
    folder = make_version(tmp_path / "text")
    replaced(folder, "CITATION.cff", b"x" * (2**20 - 10) + TOKEN.secret.encode())  # across two chunks
    assert reasons(folder) == ["your Hub token is in CITATION.cff"]
    bindings = [[{"group": f"see {TOKEN.secret}"}]] * 3
    table = pa.table({"id": ["a"] * 3, "canary": [CANARY] * 3, "bindings": bindings})
    folder = make_version(tmp_path / "rows")
    assert reasons(replaced(folder, SHARD, parquet_bytes(table))) == [f"your Hub token is in {SHARD}"]


def test_a_token_that_is_none_is_not_sent(tmp_path: Path) -> None:
    for text in ("hf_ä" + "x" * 20, "hf_two words", "hf_line\nbreak", ""):
        with pytest.raises(ServerError, match="the Hub token is not valid") as refused:
            HubToken(text)
        assert not text or text not in str(refused.value)
    assert redacted(f"{TOKEN.secret} hf_{'A1' * 17}") == "*** ***"
    assert repr(HubToken("s3cret")) == "HubToken(***)"
    assert redacted("the secret s3cret") == "the secret ***"
