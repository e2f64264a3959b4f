"""Pushes through a loopback Hub that fails on the way: interrupted, doubled and ambiguous uploads."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nextset.errors import ServerError
from nextset.release.hub.hub_reference import HubReference
from nextset.release.hub.hub_token import HubToken
from nextset.release.hub.push import push_version
from nextset.release.hub.verification import verify_published
from tests.release.dataset_folders import list_files, make_version
from tests.release.loopback_hub import DUMMY, FaultKind, LoopbackHub, serving
from tests.release.loopback_hub_client import client_environment, through_loopback

__all__ = ["FaultRun", "run_push_faults"]

_AMBIGUOUS: tuple[FaultKind, ...] = (
    "lost before",
    "lost after",
    "500 before",
    "500 after",
    "garbage",
    "twice",
)
_REFUSED: tuple[FaultKind, ...] = ("401", "403", "404", "409", "413", "429")
_WRITE = (*_AMBIGUOUS, *_AMBIGUOUS, *_REFUSED)
_READ: tuple[FaultKind, ...] = ("lost before", "500 before", "429", "cut", "garbage", "403")
_KINDS: Mapping[str, tuple[FaultKind, ...]] = {
    "create": _WRITE,
    "branch": _WRITE,
    "commit": (*_WRITE, "moved", "moved"),
    "tag": _WRITE,
    "unbranch": _WRITE,
    "resolve": (*_READ, "altered", "altered"),
    "refs": _READ,
    "info": _READ,
    # huggingface_hub itself repeats these after a second, so few of them are lost
    "put": ("garbage", "403", "lost after", "500 before"),
    "batch": ("garbage", "403", "500 before"),
    "preupload": ("garbage", "403"),
    "tree": ("garbage", "403"),
}
_OFTEN = ("commit", "commit", "commit", "tag", "tag", "branch", "unbranch", "resolve")
_MOST = {"commit": 2, "resolve": 8, "put": 3, "refs": 5, "info": 3, "tree": 4}
_CALLS = 8
_PUSHER = """
import sys
from pathlib import Path
from nextset.release.hub.push import push_version
push_version(Path(sys.argv[1]), sys.argv[2], endpoint=sys.argv[3], pauses=(0, 0))
"""


@dataclass
class FaultRun:
    """What became of the pushes."""

    versions: int = 0
    """Versions that were pushed with at least one fault."""
    faults: int = 0
    """Faults that happened."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Faults by endpoint and kind."""
    killed: int = 0
    """Pushers that were killed (SIGKILL)."""
    calls: int = 0
    """Calls of `push` that it took."""
    incomplete_tags: int = 0
    """Times that a tag was seen on anything but its whole version."""
    unequal: int = 0
    """Files that came back other than they were."""
    repeated: int = 0
    """Versions with more than one commit on main, or none."""
    unfinished: int = 0
    """Versions that were not published after eight calls, or left a staging branch."""


def run_push_faults(folder: Path, versions: int, kills: int, seed: int = 1) -> FaultRun:
    """Push ``versions`` versions with faults, ``kills`` of them by processes that are killed."""
    draw, run = random.Random(seed), FaultRun()
    first = make_version(folder / "first", "1.0.0")
    second = make_version(folder / "second", "1.1.0", previous="1.0.0", shards=3, changed=[1], word="neat")
    third = make_version(folder / "third", "1.0.0", shards=1, word="quick")
    with through_loopback(), serving(folder / "hub") as hub:
        trial = 0
        while run.versions < versions and trial < 3 * versions:
            trial += 1
            repo = f"org/trial-{trial}"
            history = [first]
            if draw.random() < 0.4:
                _push(hub, first, repo)
                history.append(second)
            happened = len(hub.happened)
            if run.killed < kills:
                _killed_push(hub, history[-1], repo, draw, run, folder)
                if draw.random() < 0.3 and len(history) == 1:
                    history = [third]  # another version 1.0.0 is pushed in place of the interrupted one
                    if hub.store.refs[repo, "tags"] or _published(hub, repo, first):
                        history = [first]
            else:
                _plan_faults(hub, draw)
            _finish(hub, history, repo, run)
            if len(hub.happened) > happened:
                run.versions += 1
            hub.faults.clear()
        run.faults = len(hub.happened)
        run.kinds = Counter(f"{fault.endpoint}: {fault.kind}" for fault in hub.happened)
    return run


def _push(hub: LoopbackHub, folder: Path, repo: str) -> str:
    token = HubToken(DUMMY)
    return push_version(folder, repo, token=token, endpoint=hub.url, pauses=(0, 0)).outcome


def _plan_faults(hub: LoopbackHub, draw: random.Random) -> None:
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        endpoint = draw.choice((*_KINDS, *_OFTEN, *_OFTEN))
        nth = draw.randint(1, _MOST.get(endpoint, 1))
        hub.fault(endpoint, draw.choice(_KINDS[endpoint]), nth)


def _killed_push(
    hub: LoopbackHub, folder: Path, repo: str, draw: random.Random, run: FaultRun, home: Path
) -> None:
    endpoint = draw.choice(
        ("put", "branch", "commit", "commit", "commit", "tag", "tag", "unbranch", "resolve")
    )
    kind: FaultKind = draw.choice(("kill before", "kill after"))
    hub.fault(endpoint, kind, draw.randint(1, _MOST.get(endpoint, 1)))
    command = [sys.executable, "-c", _PUSHER, str(folder), repo, hub.url]
    pusher = subprocess.Popen(
        command, env=client_environment(hub.url, home / "home"), stderr=subprocess.PIPE, text=True
    )
    hub.client = pusher.pid
    _, errors = pusher.communicate()
    assert pusher.returncode in (0, -9), errors
    run.killed += pusher.returncode == -9


def _published(hub: LoopbackHub, repo: str, folder: Path) -> bool:
    head = hub.store.refs[repo, "heads"].get("main")
    return head is not None and _content(hub, head) == list_files(folder)


def _content(hub: LoopbackHub, commit: str) -> dict[str, str]:
    files = hub.store.files(commit)
    return {path: file["sha256"] for path, file in files.items() if path != ".gitattributes"}


def _finish(hub: LoopbackHub, history: list[Path], repo: str, run: FaultRun) -> None:
    """Push again until the version is there; look at the tags after each call."""
    expected = {f"v1.{i}.0": list_files(folder) for i, folder in enumerate(history)}
    outcome = ""
    for _ in range(_CALLS):
        run.calls += 1
        try:
            outcome = _push(hub, history[-1], repo)
        except ServerError as e:
            assert e.remedy
            assert DUMMY not in f"{e}{e.remedy}"
        for tag, commit in hub.store.refs[repo, "tags"].items():
            run.incomplete_tags += _content(hub, commit) != expected[tag]
        if outcome == "already published":
            break
    hub.faults.clear()
    tags, heads = hub.store.refs[repo, "tags"], hub.store.refs[repo, "heads"]
    run.unfinished += outcome != "already published" or set(tags) != set(expected) or set(heads) != {"main"}
    made = [c["title"] for c in hub.store.history(heads["main"]) if c["authors"] == [{"user": "maintainer"}]]
    run.repeated += len(made) != len(history) or len(set(made)) != len(history)
    for tag in tags:
        verified = verify_published(HubReference(repo, tag), token=HubToken(DUMMY), endpoint=hub.url)
        run.unequal += len(verified.differences) + len(verified.disagreements)
