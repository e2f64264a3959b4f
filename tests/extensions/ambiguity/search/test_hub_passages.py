"""Collections on a loopback Hub, read by a process of its own: real HTTP, the cache of datasets."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nextset.study.study_folder import Study
from tests.extensions.ambiguity.search.passage_studies import PASSAGES, passage_study
from tests.release.loopback_hub import LoopbackHub, serving
from tests.release.loopback_hub_client import client_environment

pytestmark = pytest.mark.slow

SCRIPT = """
import json, os, sys
from nextset.errors import NextsetError
from nextset.extensions.ambiguity.search.stage import index_passages
for study in sys.argv[1:]:
    try:
        found = index_passages(study)
        print(json.dumps([found.built, found.table("passages").to_pylist(), found.digest]))
    except NextsetError as e:
        print(json.dumps([type(e).__name__, str(e), e.remedy]))
sys.stdout.flush()
os._exit(0)  # threads of the libraries may abort the process when Python ends
"""
REPO = "org/people"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackHub]:
    """A hub with one collection in two splits, and one with two configs."""
    with serving(tmp_path_factory.mktemp("hub")) as served:
        for repo in (REPO, "org/two"):
            served.store.create(repo, private=False)
        rows = [json.dumps({**row, "group": row["group"] or ""}) + "\n" for row in PASSAGES]
        add(served, REPO, "train.jsonl", "".join(rows[:3]))
        add(served, REPO, "test.jsonl", "".join(rows[3:]))
        configs = "".join(
            f"- {{config_name: {name}, data_files: {name[0]}.jsonl}}\n" for name in ("corpus", "queries")
        )
        add(served, "org/two", "README.md", f"---\nconfigs:\n{configs}---\n")
        add(served, "org/two", "c.jsonl", "".join(rows[:2]))
        add(served, "org/two", "q.jsonl", '{"text": "Who?"}\n')
        yield served


def add(hub: LoopbackHub, repo: str, name: str, text: str) -> None:
    hub.store.add_file(repo, "main", name, text.encode(), "tester", f"Add {name}")


def indexed(hub: LoopbackHub, home: Path, *studies: Study) -> list[list[Any]]:
    """What a process makes of the collection of each study in turn."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, *(study.folder for study in studies)],
        env=client_environment(hub.url, home, PYTHONPATH=str(Path(__file__).parents[4])),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()[-len(studies) :]]


def test_a_collection_on_the_hub(hub: LoopbackHub, tmp_path: Path) -> None:
    study = passage_study(tmp_path / "s", collection={"source": f"{REPO}@main"})
    (built, passages, digest), again = indexed(hub, tmp_path / "home", study, study)
    assert built == "made"
    expected = [{**row, "group": row["group"] or ""} for row in PASSAGES]
    assert sorted(passages, key=lambda row: str(row["id"])) == expected
    assert (again[0], again[2]) == ("reused", digest)


def test_configs_and_names_that_are_not_there(hub: LoopbackHub, tmp_path: Path) -> None:
    collections = (
        {"source": "org/two@main"},
        {"source": "org/two@main", "config": "corpus"},
        {"source": "org/gone@main"},
        {"source": f"{REPO}@v9"},
    )
    studies = [passage_study(tmp_path / f"s{i}", collection=c) for i, c in enumerate(collections)]
    (kind, problem, remedy), found, gone, revision = indexed(hub, tmp_path / "home", *studies)
    assert (kind, problem) == ("InputError", "org/two on the Hub has the configs corpus, queries")
    assert "passages.config: NAME" in remedy
    assert [row["id"] for row in found[1]] == ["a", "b"]
    assert gone[:2] == ["InputError", "there is no dataset org/gone on the Hub"]
    assert revision[:2] == ["InputError", f"{REPO} on the Hub has no such revision"]


def test_a_hub_that_is_down(tmp_path: Path) -> None:
    with serving(tmp_path / "hub") as gone:
        pass
    study = passage_study(tmp_path / "s", collection={"source": f"{REPO}@main"})
    ((kind, problem, _),) = indexed(gone, tmp_path / "home", study)
    assert kind == "ServerError"
    assert "the Hub did not answer" in problem
