"""Push through a loopback Hub: one commit, a true tag, and errors that say what to do."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nextset.cli.release_hub import release_hub_app
from nextset.errors import ArtifactError, InputError, ServerError
from nextset.release.hub.hub_repository import HubRepository
from nextset.release.hub.hub_token import HubToken
from nextset.release.hub.push import Pushed, push_version
from tests.release.dataset_folders import list_files, make_version
from tests.release.loopback_hub import DUMMY, LoopbackHub, serving
from tests.release.loopback_hub_client import client_environment, through_loopback
from tests.release.push_faults import run_push_faults

pytestmark = pytest.mark.slow

REPO = "org/lefties"
LOAD = """
import datasets, json, sys
found = {}
for revision in ("v1.0.0", "main"):
    rows = datasets.load_dataset("org/lefties", revision=revision)["test"]
    found[revision] = [row["hypothesis"] for row in rows]
print(json.dumps(found))
"""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[LoopbackHub]:
    with through_loopback(), serving(tmp_path / "hub") as hub:
        yield hub


def pushed(hub: LoopbackHub, folder: Path, **more: object) -> Pushed:
    options = {"token": HubToken(DUMMY), "endpoint": hub.url, "pauses": (0, 0), **more}
    return push_version(folder, REPO, **options)  # type: ignore[arg-type]


def content(hub: LoopbackHub, commit: str) -> dict[str, str]:
    files = hub.store.files(commit)
    return {path: file["sha256"] for path, file in files.items() if path != ".gitattributes"}


def titles(hub: LoopbackHub) -> list[str]:
    return [c["title"] for c in hub.store.history(hub.store.refs[REPO, "heads"]["main"])]


def test_two_versions_of_120_files_are_two_commits_and_load(hub: LoopbackHub, tmp_path: Path) -> None:
    first = make_version(tmp_path / "1", shards=116)  # and card, citation, template, manifest: 120 files
    second = make_version(tmp_path / "2", "1.1.0", previous="1.0.0", shards=116, changed=[1], word="neat")
    assert len(list_files(first)) == 120
    done = pushed(hub, first)
    assert (done.outcome, done.plan.found, len(done.plan.changes)) == ("published", "no repository", 120)
    done = pushed(hub, second)
    # manifest, card, citation and one of the tables
    assert [c.what for c in done.plan.changes] == ["changed"] * 4
    assert (done.plan.latest, done.plan.unchanged) == ("1.0.0", 116)
    assert titles(hub) == ["lefties 1.1.0", "lefties 1.0.0", "initial commit"]
    assert hub.store.refs[REPO, "heads"].keys() == {"main"}
    tags = hub.store.refs[REPO, "tags"]
    assert {tag: content(hub, c) for tag, c in tags.items()} == {
        "v1.0.0": list_files(first),
        "v1.1.0": list_files(second),
    }
    loaded = subprocess.run(
        [sys.executable, "-c", LOAD],
        env=client_environment(hub.url, tmp_path / "home"),
        capture_output=True,
        text=True,
        check=True,
    )
    texts = json.loads(loaded.stdout)
    assert {revision: len(rows) for revision, rows in texts.items()} == {"v1.0.0": 348, "main": 348}
    assert [a for a, b in zip(texts["main"], texts["v1.0.0"], strict=True) if a != b] == [
        f"The left-handed person {k} is neat." for k in range(3)
    ]


def test_files_that_a_version_no_longer_has_are_deleted_in_its_commit(
    hub: LoopbackHub, tmp_path: Path
) -> None:
    pushed(hub, make_version(tmp_path / "1", shards=3))
    hub.store.add_file(REPO, "main", "notes.txt", b"a note", "colleague", "Add a note")
    second = make_version(tmp_path / "2", "2.0.0", previous="1.0.0", shards=1)
    done = pushed(hub, second)
    assert [c.path for c in done.plan.changes if c.what == "deleted"] == [
        *(f"data/items/test-{i:05d}-of-00003.parquet" for i in range(3)),
        "notes.txt",
    ]
    assert content(hub, hub.store.refs[REPO, "heads"]["main"]) == list_files(second)


def test_a_dry_run_and_a_declined_plan_send_nothing(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = make_version(tmp_path / "1", private=True, gated=True)
    seen = pushed(hub, folder, dry_run=True)
    assert (seen.outcome, seen.plan.settings) == ("dry run", ("private", "readers must ask for access"))
    assert seen.plan.bytes_to_send == sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    assert pushed(hub, folder, confirm=lambda plan: False).outcome == "declined"
    assert hub.store.repositories == {}
    pushed(hub, folder)
    assert hub.store.repositories[REPO] == {"private": True, "gated": "manual"}


def test_a_push_that_was_done_is_done(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = make_version(tmp_path / "1")
    commit = pushed(hub, folder).commit
    before = len(hub.requests)
    assert (pushed(hub, folder).outcome, pushed(hub, folder).commit) == ("already published", commit)
    assert {name for name, _ in hub.requests[before:]} <= {"info", "refs", "tree", "resolve"}
    other = make_version(tmp_path / "2", changed=[0])
    with pytest.raises(ArtifactError, match=r"the tag v1\.0\.0 of .* is on other data: .*00000") as refused:
        pushed(hub, other)
    assert "next version" in refused.value.remedy


def test_the_next_version_follows_the_last_one(hub: LoopbackHub, tmp_path: Path) -> None:
    pushed(hub, make_version(tmp_path / "1", "1.2.0"))
    for version, previous, message in (
        ("1.1.9", "1.2.0", "already has version 1.2.0"),
        ("1.10.0", None, "1.10.0 is a first version"),
        ("1.10.0", "1.1.0", "based on 1.1.0"),
    ):
        folder = make_version(tmp_path / f"{version}-{previous}", version, previous=previous)
        with pytest.raises(ArtifactError, match=message) as refused:
            pushed(hub, folder)
        assert f"release.previous: {REPO}@v1.2.0" in refused.value.remedy
    pushed(hub, make_version(tmp_path / "2", "1.10.0", previous="1.2.0"))
    assert set(hub.store.refs[REPO, "tags"]) == {"v1.2.0", "v1.10.0"}


def test_a_colleague_who_moves_main_is_named_and_nothing_loops(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = make_version(tmp_path / "1")
    hub.fault("commit", "moved", nth=2)  # just before the commit on main
    with pytest.raises(ServerError, match="main was changed by colleague: 'Add a note'") as stopped:
        pushed(hub, folder)
    assert "run the same command again" in stopped.value.remedy
    assert [name for name, _ in hub.requests].count("commit") == 2
    assert not hub.store.refs[REPO, "tags"]
    seen = pushed(hub, folder, dry_run=True).plan
    assert (seen.staged, [c.path for c in seen.changes if c.what == "deleted"]) == (
        "this version",
        ["notes.txt"],
    )
    assert pushed(hub, folder).outcome == "published"
    assert titles(hub) == ["lefties 1.0.0", "Add a note", "initial commit"]


def test_a_version_that_a_colleague_has_built_upon_is_tagged_not_sent_again(
    hub: LoopbackHub, tmp_path: Path
) -> None:
    folder = make_version(tmp_path / "1")
    hub.fault("tag", "403")
    with pytest.raises(ServerError, match=r"creating the tag v1\.0\.0 failed: the Hub answered 403"):
        pushed(hub, folder)
    hub.store.add_file(REPO, "main", "notes.txt", b"a note", "colleague", "Add a note")
    done = pushed(hub, folder)
    assert (done.outcome, done.plan.found, done.plan.changes) == ("published", "untagged", ())
    assert content(hub, hub.store.refs[REPO, "tags"]["v1.0.0"]) == list_files(folder)
    assert titles(hub) == ["Add a note", "lefties 1.0.0", "initial commit"]


def test_what_another_version_left_staged_is_deleted_and_said(hub: LoopbackHub, tmp_path: Path) -> None:
    hub.fault("commit", "403", nth=2)
    with pytest.raises(ServerError, match="403"):
        pushed(hub, make_version(tmp_path / "1", changed=[0]))
    notes: list[str] = []
    folder = make_version(tmp_path / "2")
    assert pushed(hub, folder, dry_run=True).plan.staged == "other data"
    assert pushed(hub, folder, note=notes.append).outcome == "published"
    assert notes == [
        "deleting the branch nextset-staging-v1.0.0, which holds other data or part of a version"
    ]
    assert content(hub, hub.store.refs[REPO, "tags"]["v1.0.0"]) == list_files(folder)


def test_data_that_comes_back_altered_is_never_tagged(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = make_version(tmp_path / "1")
    hub.fault("resolve", "altered", nth=3)
    with pytest.raises(ServerError, match=r"the staged data differs from the folder: .* is altered"):
        pushed(hub, folder)
    assert not hub.store.refs[REPO, "tags"]
    assert (titles(hub), set(hub.store.refs[REPO, "heads"])) == (["initial commit"], {"main"})
    assert pushed(hub, folder).outcome == "published"


def test_a_wait_is_announced_and_bounded(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = make_version(tmp_path / "1")
    notes: list[str] = []
    hub.fault("commit", "429")
    assert pushed(hub, folder, note=notes.append).outcome == "published"
    assert notes[0] == "the Hub asks to wait for 0 s"
    hub.fault("refs", "429", retry_after="90000")
    with pytest.raises(ServerError, match="wait for 1500 minutes"):
        pushed(hub, folder)
    hub.faults.clear()
    hub.fault("refs", "429", always=True)
    with pytest.raises(ServerError, match="answered 429") as stopped:
        pushed(hub, folder)
    assert "wait" in stopped.value.remedy


@pytest.mark.parametrize(
    ("kind", "message", "remedy"),
    [
        ("401", "answered 401", "hf auth login"),
        ("403", "answered 403", "write access"),
        ("404", "answered 404", "check the name"),
        ("409", "answered 409", "look at the repository"),
        ("413", "answered 413", "smaller files"),
        ("500 before", "answered 500", "run the same command again"),
        ("lost before", "the connection broke", "run the same command again"),
    ],
)
def test_each_refusal_is_one_line_with_a_remedy(
    hub: LoopbackHub, tmp_path: Path, kind: str, message: str, remedy: str
) -> None:
    hub.fault("commit", kind, always=True)  # type: ignore[arg-type]
    with pytest.raises(ServerError, match=f"the commit on nextset-staging-v1.0.0 failed: .*{message}") as e:
        pushed(hub, make_version(tmp_path / "1"))
    assert remedy in e.value.remedy
    assert "\n" not in f"{e.value}{e.value.remedy}"
    assert DUMMY not in str(e.value)  # the hub quotes it in its answer


def test_a_hub_that_is_silent_or_not_there(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = make_version(tmp_path / "1")
    with pytest.raises(ServerError, match="cannot be reached") as e:
        pushed(hub, folder, endpoint="http://127.0.0.1:9")
    assert "what has arrived" in e.value.remedy
    with pytest.raises(ServerError, match="address of the Hub is not a valid URL"):
        pushed(hub, folder, endpoint="nowhere")
    hub.fault("info", "slow", always=True)
    with pytest.raises(ServerError, match="did not answer in time"):
        pushed(hub, folder, timeout=0.05, pauses=(0,))
    with pytest.raises(InputError, match="not the name of a dataset"):
        push_version(folder, "lefties")


def test_a_gitignore_on_the_hub_leaves_nothing_out(hub: LoopbackHub, tmp_path: Path) -> None:
    hub.store.create(REPO)
    hub.store.add_file(REPO, "main", ".gitignore", b"*.cff\n", "colleague", "Ignore citations")
    folder = make_version(tmp_path / "1")
    pushed(hub, folder)
    assert content(hub, hub.store.refs[REPO, "tags"]["v1.0.0"]) == list_files(folder)


def test_a_repository_opens_only_after_its_data_is_there(hub: LoopbackHub, tmp_path: Path) -> None:
    hub.store.create(REPO, private=True)
    folder = make_version(tmp_path / "1", gated=True)
    assert pushed(hub, folder).outcome == "published"
    asked = [name for name, _ in hub.requests if name in ("settings", "commit", "tag")]
    assert asked == ["settings", "commit", "commit", "tag", "settings"]
    assert hub.store.repositories[REPO] == {"private": False, "gated": "manual"}


def test_the_token_is_in_no_log_text_traceback_file_or_commit(
    hub: LoopbackHub,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("HF_TOKEN", DUMMY)
    folder = make_version(tmp_path / "1")
    texts: list[str] = []
    for kind in ("403", "401", "500 before", "garbage", "lost after"):
        hub.fault("commit", kind, always=kind == "500 before")
        try:
            pushed(hub, folder, token=None, note=texts.append)
        except ServerError as e:
            texts += [str(e), e.remedy, repr(e), "".join(traceback.format_exception(e))]
            frames = traceback.StackSummary.extract(
                traceback.walk_tb(e.__traceback__), capture_locals=True
            ).format()
            texts += [frame for frame in frames if "/nextset/" in frame]
        hub.faults.clear()
    assert pushed(hub, folder, token=None, note=texts.append).outcome == "already published"
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)  # read when it is imported
    hub.fault("refs", "403")
    shown = CliRunner().invoke(release_hub_app, ["push", str(folder), REPO, "--debug", "--yes"])
    assert shown.exit_code == ServerError.exit_code
    texts += [shown.output, shown.stderr]
    assert len([text for text in texts if "a fault; Bearer ***" in text]) >= 10
    texts += [caplog.text, *capsys.readouterr(), repr(HubToken(DUMMY)), repr(HubRepository(REPO, token=None))]
    assert not [text for text in texts if DUMMY in text]
    for place in (folder, tmp_path / "hub"):
        assert not [
            file for file in place.rglob("*") if file.is_file() and DUMMY.encode() in file.read_bytes()
        ]


def test_the_commands_show_the_plan_and_ask(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = make_version(tmp_path / "1")
    env = {**client_environment(hub.url, tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}
    program = "from nextset.cli.release_hub import release_hub_app; release_hub_app()"

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program, *arguments]
        return subprocess.run(
            command, env=env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )

    seen = run("push", str(folder), REPO, "--dry-run")
    assert "  + data/items/test-00000-of-00002.parquet (" in seen.stdout, seen.stderr
    assert "  | # lefties 1.0.0" in seen.stdout
    assert seen.stdout.endswith("nothing was sent (dry run)\n")
    token = env.pop("HF_TOKEN")
    assert run("push", str(folder), REPO, "--dry-run").stdout == seen.stdout  # a plan needs no token
    assert "there is no Hub token" in run("push", str(folder), REPO, "--yes").stderr
    env["HF_TOKEN"] = token
    unasked = run("push", str(folder), REPO)
    assert (unasked.returncode, unasked.stderr.splitlines()[-1]) == (
        1,
        "  try: run it again with --yes, or first with --dry-run to see the plan",
    )
    assert hub.store.repositories == {}
    done = run("push", str(folder), REPO, "--yes")
    assert done.stdout.startswith("published: lefties 1.0.0, commit "), done.stderr
    checked = run("verify", f"{REPO}@v1.0.0", "--json")
    assert json.loads(checked.stdout)["intact"] is True
    hub.store.refs[REPO, "tags"]["v1.0.0"] = hub.store.add_file(
        REPO, "main", "notes.txt", b"a note", "colleague", "Add a note"
    )
    checked = run("verify", f"{REPO}@v1.0.0")
    assert checked.returncode == 4
    assert "  notes.txt is extra (not in the manifest)\n" in checked.stdout


def test_faults_leave_no_tag_on_incomplete_data_and_nothing_twice(tmp_path: Path) -> None:
    run = run_push_faults(tmp_path, versions=16, kills=2, seed=7)
    assert (run.versions, run.killed > 0) == (16, True)
    assert (run.incomplete_tags, run.unequal, run.repeated, run.unfinished) == (0, 0, 0, 0)
