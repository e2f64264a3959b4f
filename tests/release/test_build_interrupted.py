"""`nextset release build`, twice and killed on the way: the dataset version always has the same bytes."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import nextset
from nextset.cli.app import app
from nextset.errors import StudyError
from nextset.release.dataset_files.stage import version_text, write_dataset_version

pytestmark = pytest.mark.slow

_BUILT = shutil.ignore_patterns("release*", "dataset*")
"""What the stages of `release build` wrote, except for the audit."""
# Builds each study in a process of its own, which kills itself with SIGKILL when the n-th file or folder
# under out/ is renamed into place; what a build imports is imported once.
_KILLED = """
import json, os, signal, sys, traceback
import nextset.scoring.models.loading, nextset.release.dataset_files.stage, nextset.release.stages
import datasets, transformers
from nextset.cli.app import app

def build(folder, nth):
    out, seen = os.path.join(folder, "out"), 0
    def hook(event, args):
        nonlocal seen
        if event == "os.rename" and str(args[0]).startswith(out):
            seen += 1
            if seen == nth:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)
    app(["release", "build", folder], standalone_mode=False)

ended = {}
for nth, folder in json.loads(sys.argv[1]).items():
    child = os.fork()
    if child == 0:
        try:
            build(folder, int(nth))
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    ended[nth] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps(ended))
"""
_MOMENTS = (1, 9, 18, 31)


def content(folder: Path) -> dict[str, bytes]:
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and not p.name.startswith("."))
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


def build(folder: Path) -> Result:
    return CliRunner().invoke(app, ["release", "build", str(folder)])


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study of a newcomer, run to its end."""
    folder = nextset.new_study(tmp_path_factory.mktemp("starter") / "mine").file.parent
    nextset.run(nextset.Study.load(folder))
    return folder


def unreleased(finished: Path, folder: Path) -> Path:
    shutil.copytree(finished, folder, ignore=_BUILT)
    return folder


def test_a_version_that_is_built_again_has_the_same_bytes(finished: Path, tmp_path: Path) -> None:
    """Also in another process."""
    folder = unreleased(finished, tmp_path / "mine")
    subprocess.run(
        [sys.executable, "-m", "nextset", "release", "build", folder], check=True, capture_output=True
    )
    assert content(folder / "out" / "dataset") == content(finished / "out" / "dataset")


def test_a_build_without_changes_is_the_version_that_it_follows(finished: Path, tmp_path: Path) -> None:
    """Its files, also the changelog, card and images, are compared with those of the previous version."""
    folder = tmp_path / "mine"
    shutil.copytree(finished, folder)
    (version,) = (folder / "out" / "dataset").iterdir()
    settings = folder / "study.yaml"
    named = f"release:\n  previous: out/dataset/{version.name}\n"
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("  draft: true", "  draft: false"), "utf-8")
    assert build(folder).exit_code == 0  # the draft makes way for the version
    before = content(folder / "out" / "dataset")
    settings.write_text(settings.read_text("utf-8").replace("release:\n", named), "utf-8")
    assert build(folder).exit_code == 0
    assert version_text(nextset.Study.load(folder)) == "version  1.0.0: nothing changed since 1.0.0"
    assert content(folder / "out" / "dataset") == before


@pytest.fixture(scope="module")
def killed(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Studies whose build was killed, by its moment."""
    top = tmp_path_factory.mktemp("killed")
    folders = {nth: unreleased(finished, top / str(nth)) for nth in _MOMENTS}
    named = json.dumps({nth: str(folder) for nth, folder in folders.items()})
    done = subprocess.run([sys.executable, "-c", _KILLED, named], check=True, capture_output=True, text=True)
    ended = json.loads(done.stdout.splitlines()[-1])
    assert ended == {str(nth): -signal.SIGKILL for nth in _MOMENTS}, done.stderr
    return folders


@pytest.mark.parametrize("nth", _MOMENTS)
def test_a_build_that_was_killed_ends_with_the_same_bytes(
    finished: Path, killed: dict[int, Path], nth: int
) -> None:
    folder = killed[nth]
    assert build(folder).exit_code == 0
    assert content(folder / "out" / "dataset") == content(finished / "out" / "dataset")
    assert not list((folder / "out").glob("*.rows.*"))
    assert not list((folder / "out").rglob("*.partial*"))


def test_a_build_that_is_refused_keeps_what_is_known_of_the_version(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(finished, folder)
    listed = content(folder / "out" / "dataset_version")
    (folder / "out" / "dataset" / "mine-1.0.0" / "README.md").write_text("My words", "utf-8")
    with pytest.raises(StudyError, match="this build would overwrite them"):
        write_dataset_version(folder)
    assert content(folder / "out" / "dataset_version") == listed
    assert not list((folder / "out").glob("dataset_version.*"))


def test_a_draft_makes_way_for_a_changed_study_and_a_version_does_not(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(finished, folder)
    study = nextset.Study.load(folder)
    assert version_text(study).startswith("version  1.0.0 (draft): ")
    version = folder / "out" / "dataset" / "mine-1.0.0"
    assert "This is a draft." in (version / "README.md").read_text("utf-8")
    settings = folder / "study.yaml"
    settings.write_text(
        settings.read_text("utf-8").replace("  draft: true", "  authors: [A. Author]"), "utf-8"
    )
    assert build(folder).exit_code == 0
    before = content(folder / "out" / "dataset")
    settings.write_text(settings.read_text("utf-8").replace("A. Author", "B. Author"), "utf-8")
    for _ in range(2):
        refused = build(folder)
        assert refused.exit_code == 3, refused.stderr
        assert "authors" in refused.stderr
        assert "1.0.1" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert content(folder / "out" / "dataset") == before
