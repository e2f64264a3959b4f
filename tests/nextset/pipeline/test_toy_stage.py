"""A stage of another package: it runs in its place, has a state, and its artifact names its command."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.toy_packages import install_toy

SOURCE = '''
from nextset.pipeline.stage import Stage


class Spelling(Stage):
    """Counts the items."""

    name = "spelling"
    inputs = ("generate",)
    before = ("fill",)
    command = "spell"
    artifacts = {"spelling_words*": "spell --words"}
    shown_tables = ("counts",)
    place = "spelling"

    def wanted(self, settings):
        return bool(settings.templates)

    def check(self, study):
        print("checked before the first stage", (study.out / "generate").exists())

    def recipe(self, study):
        from nextset.artifacts.artifact import Recipe, open_artifact

        return Recipe("spelling", 1, {"generate": open_artifact(study.out / "generate").digest})

    def run(self, study, progress):
        import pyarrow as pa

        from nextset.artifacts.build import Part, PartResult, build

        part = Part("counts", lambda: PartResult(pa.table({"items": [1, 2, 3]})))
        return build(study.out / "spelling", self.recipe(study), lambda: [part])


SPELLING = Spelling()
'''

SCRIPT = """
import sys
from pathlib import Path

import nextset
from nextset.artifacts.artifact import open_artifact

study = nextset.Study.load(sys.argv[1])
summary = nextset.run(study, until="fill")
print("stages", *(result.stage for result in summary.stages))
print("page", summary.spelling.name)
print("json", summary.as_json()["spelling"] == str(summary.spelling))
(state,) = [s for s in nextset.status(study) if s.stage == "spelling"]
print("state", state.state, state.rows)
for name in ("spelling", "spelling_words_en"):
    try:
        open_artifact(study.out / "elsewhere" / name)
    except nextset.MissingStage as e:
        print("remedy", e.remedy)
"""


@pytest.mark.slow
def test_a_stage_of_an_installed_package_is_part_of_the_pipeline(tmp_path: Path, programs: Path) -> None:
    site, folder = tmp_path / "site", tmp_path / "study"
    entry_points = "[nextset.stages]\nspelling = toy_spelling:SPELLING\n"
    install_toy(site, "toy_spelling", "0.1", entry_points, SOURCE)
    folder.mkdir()
    (folder / "study.yaml").write_text('format: 1\nname: toy\ntemplates: ["builtin:gender"]\n')
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])}

    printed = ""

    def output(*arguments: str) -> list[str]:
        nonlocal printed
        command = [str(programs / "python"), *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        printed = done.stderr
        return done.stdout.splitlines()

    assert output("-c", SCRIPT, str(folder)) == [
        "stages generate spelling fill",
        "page index.html",
        "json True",
        "state done {'counts': 3}",
        "remedy run `nextset spell STUDY` (or `nextset run STUDY`) first",
        "remedy run `nextset spell --words STUDY` (or `nextset run STUDY`) first",
    ]
    assert "checked before the first stage False\n" in printed  # stdout is nextset's
    manifest = json.loads((folder / "out" / "spelling" / "manifest.json").read_text())
    assert manifest["command"] == "spell"
    listed = output("-m", "nextset", "status", str(folder), "--all")
    (line,) = [line for line in listed if "spelling" in line]
    assert line.split() == ["spelling", "done", "3", "counts"]
    # it runs before fill, and so belongs to this step
    steps = output("-m", "nextset", "status", str(folder))
    assert [line.split()[:2] for line in steps[:3]] == [
        ["generate", "done"],
        ["fill", "done"],
        ["filter", "–"],
    ]
    assert "3 counts" in steps[1]
    assert steps[-1] == "next: nothing to run; every step is done"


@pytest.mark.parametrize(
    ("registered", "remedy"),
    [
        ("mine = toy:WRONG_NAME", "register it as spelling, or uninstall the package"),
        ("other = toy:NOT_A_STAGE", "register a Stage under its own name"),
    ],
)
def test_what_is_not_a_stage_of_that_name_is_an_error_with_a_remedy(
    tmp_path: Path, programs: Path, registered: str, remedy: str
) -> None:
    site, study = tmp_path / "site", tmp_path / "study"
    source = SOURCE + "\nWRONG_NAME, NOT_A_STAGE = SPELLING, 3\n"
    install_toy(site, "toy", "0.1", f"[nextset.stages]\n{registered}\n", source)
    study.mkdir()
    (study / "study.yaml").write_text("format: 1\nname: s\ntemplates: ['builtin:gender']\n", encoding="utf-8")
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [programs / "nextset", "status", str(study)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert "error: toy 0.1 registers" in done.stderr
    assert f"try: {remedy}" in done.stderr


@pytest.mark.parametrize(
    ("method", "arguments"), [("wanted", "settings"), ("check", "study"), ("run", "study, progress")]
)
def test_a_stage_of_a_package_that_raises_is_named(
    tmp_path: Path, programs: Path, method: str, arguments: str
) -> None:
    site, study = tmp_path / "site", tmp_path / "study"
    broken = f"    def {method}(self, {arguments}):\n        return {{}}['nothing']\n"
    source = SOURCE.replace("\n\nSPELLING", f"\n{broken}\n\nSPELLING")
    install_toy(site, "toy", "0.1", "[nextset.stages]\nspelling = toy:SPELLING\n", source)
    study.mkdir()
    (study / "study.yaml").write_text("format: 1\nname: s\ntemplates: ['builtin:gender']\n", encoding="utf-8")
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [programs / "nextset", "run", str(study), "--until", "spelling"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert "error: the stage spelling of toy 0.1 raised KeyError: 'nothing'" in done.stderr
    assert "try: report the error to the authors of toy 0.1" in done.stderr
    assert "Traceback" not in done.stderr
