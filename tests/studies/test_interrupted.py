"""A run that is killed, damaged or doubled: nothing is lost, nothing is done twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner, Result

import nextset
from nextset.cli.app import app

RUN = [sys.executable, "-m", "nextset", "run"]

# Kills itself with SIGKILL when the n-th file under out/ is renamed into place.
KILLED = """
import os, signal, sys
from nextset.study.study_folder import Study
import nextset
study, nth, seen = Study.load(sys.argv[1]), int(sys.argv[2]), 0
def hook(event, args):
    global seen
    if event == "os.rename" and str(study.out) in str(args[0]):
        seen += 1
        if seen == nth:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
nextset.run(study)
"""


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


def content(folder: Path) -> dict[str, bytes]:
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and not p.name.startswith("."))
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


def fresh(starter_ran: Path, folder: Path) -> Path:
    shutil.copytree(starter_ran, folder, ignore=shutil.ignore_patterns("out"))
    return folder


def test_a_run_that_is_killed_three_times_resumes_to_the_same_bytes(
    starter_ran: Path, tmp_path: Path
) -> None:
    folder = fresh(starter_ran, tmp_path / "mine")
    before: dict[str, str] = {}
    for nth in (1, 9, 16):  # before the first file, and before the ninth and the twenty-fourth
        killed = subprocess.run(
            [sys.executable, "-c", KILLED, folder, str(nth)], check=False, capture_output=True
        )
        assert killed.returncode == -signal.SIGKILL
        earlier, before = before, {s.stage: s.state for s in nextset.status(nextset.Study.load(folder))}
        assert "damaged" not in before.values()
        assert all(before[stage] == "done" for stage, state in earlier.items() if state == "done")
    summary = nextset.run(nextset.Study.load(folder))
    built = {s.stage: s.built for s in summary.stages}
    assert all(built[stage] == "reused" for stage, state in before.items() if state == "done")
    assert content(folder / "out") == content(starter_ran / "out")


def test_a_damaged_score_is_named_and_made_again_alone(starter_ran: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(starter_ran, folder)
    shard = folder / "out" / "score" / "scores" / "00001.parquet"
    others = {p: p.stat().st_mtime_ns for p in shard.parent.glob("*.parquet") if p != shard}
    shard.write_bytes(shard.read_bytes()[:200])
    states = {s.stage: (s.state, s.why) for s in nextset.status(nextset.Study.load(folder))}
    assert states["score"] == ("damaged", "scores/00001.parquet")
    done = call("run", folder)
    assert done.exit_code == 0
    assert "rebuilt, was damaged: scores/00001.parquet" in done.stdout
    assert {p: p.stat().st_mtime_ns for p in others} == others
    assert content(folder / "out") == content(starter_ran / "out")


def test_a_second_run_is_told_who_holds_the_study(starter_ran: Path, tmp_path: Path) -> None:
    folder = fresh(starter_ran, tmp_path / "mine")
    with nextset.Study.load(folder).held("run"):
        done = subprocess.run([*RUN, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert f"process {os.getpid()} on " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_changed_study_runs_only_what_depends_on_it(starter_ran: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(starter_ran, folder)
    file = folder / "study.yaml"
    file.write_text(file.read_text().replace("release:\n", "release:\n  version: 0.2.0\n"))
    done = call("run", folder, "--json")
    built = {s["stage"]: s["built"] for s in json.loads(done.stdout)["stages"]}
    assert {stage for stage, how in built.items() if how != "reused"} == {"dataset_version", "report"}
    assert (folder / "out" / "dataset" / "mine-0.2.0" / "README.md").is_file()


def test_people_are_waited_for(starter_ran: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(starter_ran, folder)
    file = folder / "study.yaml"
    file.write_text(file.read_text().replace("judge: rule", "judge: people"))
    done = call("run", folder)
    assert done.exit_code == 8
    assert "wait for annotators' judgments" in done.stderr
    assert "nextset validate export" in done.stderr
