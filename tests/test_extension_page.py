"""docs/how_to/extend.md: the study with own code runs, and the toy package is used by its entry points."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

import nextset
from tests.docs_pages import ROOT, blocks
from tests.toy_packages import install_toy

PAGE = ROOT / "docs" / "how_to" / "extend.md"


def written_files(folder: Path) -> None:
    """Write each block of the page that begins with the name of a file, and the metadata of its package."""
    for language in ("python", "yaml", "toml"):
        for text in blocks(PAGE, language):
            name = text.split("\n")[0].removeprefix("# ")
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    project = tomllib.loads((folder / "toy" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = project["entry-points"].items()
    lines = [f"[{group}]\n" + "".join(f"{n} = {v}\n" for n, v in parts.items()) for group, parts in groups]
    install_toy(folder / "toy", "toy", "0.1", "".join(lines))


def run(programs: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder / "toy"), str(ROOT)])
    return subprocess.run(
        [programs / "python", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_page_has_fewer_than_1500_words() -> None:
    assert len(PAGE.read_text(encoding="utf-8").split()) < 1_500


@pytest.mark.slow
def test_a_study_with_own_code_runs_once_it_is_trusted(tmp_path: Path, programs: Path) -> None:
    written_files(tmp_path)
    (command,) = [line.split() for text in blocks(PAGE, "sh") for line in text.splitlines()]
    refused = run(programs, tmp_path, "-m", *command[:-1])
    assert refused.returncode == 3
    assert "own.py" in refused.stderr
    assert "--trust-code" in refused.stderr
    done = run(programs, tmp_path, "-m", *command)
    assert done.returncode == 0, done.stderr
    study = nextset.Study.load(tmp_path / "mine", trust_code=True)
    kept = nextset.filter_candidates(study)
    assert kept.built == "reused"
    assert set(kept.to_pandas("rejected")["reason"]) == {"no model is sure and wrong"}
    measures = nextset.audit(study).to_pandas("measures")
    assert len(set(measures["model"])) == 2
    assert "says_yes" in set(measures["measure"])
    card = next((tmp_path / "mine" / "out" / "dataset").glob("*/README.md")).read_text(encoding="utf-8")
    assert "own.py" in card
    tested = run(programs, tmp_path / "mine", "test_own.py")
    assert tested.returncode == 0, tested.stderr


@pytest.mark.slow
def test_a_package_is_used_by_its_entry_points(tmp_path: Path, programs: Path) -> None:
    written_files(tmp_path)
    file = tmp_path / "mine" / "study.yaml"
    settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    settings["filter"] |= {"models": ["builtin:nli-electra", "scorer:coin"], "rule": "nobody_right"}
    settings["models"] = {"scorer:coin": {"canaries_waived": "chance"}}
    settings["audit"] = {"measures": ["says_no"]}
    settings["name"] = "packaged"
    settings["release"]["name"] = "packaged"
    file.write_text(yaml.safe_dump(settings), encoding="utf-8")
    done = run(programs, tmp_path, "-m", "nextset", "run", "mine")
    assert done.returncode == 0, done.stderr
    assert re.search(r"longest .*10", done.stderr + done.stdout)
    assert (tmp_path / "mine" / "out" / "longest" / "hypotheses").is_dir()
    measures = tmp_path / "mine" / "out" / "audit" / "measures"
    assert "says_no" in pq.read_table(measures)["measure"].to_pylist()
    again = run(programs, tmp_path, "-m", "nextset", "status", "mine")
    assert "stale" not in again.stdout
