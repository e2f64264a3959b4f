"""The wheel that is built from the sdist holds everything under nextset, and works among clashing names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def done(command: list[str | Path], folder: Path, **environment: str) -> str:
    """What ``command`` prints; a test fails with its errors."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(
        command, cwd=folder, env=inherited | environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, as ``python -m build`` does."""
    folder = tmp_path_factory.mktemp("wheel")
    done([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, root], folder)
    assert len(list(folder.glob("*.tar.gz"))) == 1
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment with the wheel; what nextset needs comes from this one's."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    interpreter = folder / "bin" / "python"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", interpreter, "install", "--quiet"]
    done([*pip, "--disable-pip-version-check", "--no-deps", "--no-index", wheel], folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    assert sorted(path.name.split("-")[0] for path in packages.iterdir()) == ["nextset", "nextset"]
    # A .pth file in a folder that comes from a .pth file is not read: the editable nextset stays out.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return interpreter


@pytest.fixture
def clashing(tmp_path: Path) -> Path:
    """A folder of somebody who names things as nextset's packages are named."""
    (tmp_path / "scoring.py").write_text("MINE = 'a file of my own'\n", encoding="utf-8")
    for name in ("release", "validation", "filtering", "generation", "auditing", "word_lists"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("MINE = 'a folder of my own'\n", encoding="utf-8")
    return tmp_path


def test_it_holds_every_file_of_the_packages(wheel: Path, root: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    info = next(n for n in names if n.endswith(".dist-info/METADATA")).split("/")[0]
    assert {n.split("/")[0] for n in names} == {"nextset", info}
    here = {
        path.relative_to(root).as_posix()
        for top in (root / "nextset", *(root / "nextset").iterdir())
        for path in top.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {n for n in names if n.startswith("nextset/")} == here
    assert here >= {
        "nextset/py.typed",
        "nextset/starter/templates/women_are_to_caring.yaml",
        "nextset/bbnli_templates/gender/man_is_to_surgeon.yaml",
        "nextset/word_lists/en/templates/gender.yaml",
        "nextset/scoring/builtin/masked-lm/model.safetensors",
        "nextset/auditing/probe/page/probe.html",
        "nextset/validation/annotator_pages/page.css",
        "nextset/release/dataset_card/card.md.j2",
        "nextset/release/dataset_card/croissant_context.json",
        "nextset/validation/label_studio/gunicorn_script.txt",
    }
    assert any(n.startswith(f"{info}/licenses/LICENSE") for n in names)
    assert not [n for n in names if n.endswith((".bin", ".pt", ".pkl", ".pyc"))]


def test_a_clone_without_links_is_refused(root: Path, tmp_path: Path) -> None:
    """As git without symbolic links leaves it: each link is a file with the link's target in it."""
    shutil.copytree(root / "nextset", tmp_path / "nextset", symlinks=True)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(root / name, tmp_path / name)
    for path in (tmp_path / "nextset").iterdir():
        if path.is_symlink():
            target = str(path.readlink())
            path.unlink()
            path.write_text(target, encoding="utf-8")
    for command in (["build", "--wheel", "--no-isolation", "."], ["nextset", "status", "study"]):
        ran = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode != 0
        assert "git config --global core.symlinks true" in ran.stdout + ran.stderr
        assert "Traceback" not in ran.stdout + ran.stderr
    assert not list(tmp_path.glob("dist/*"))


def test_it_works_beside_clashing_names(python: Path, clashing: Path) -> None:
    site = python.parents[1]
    code = """
import nextset, release, scoring, validation
from nextset.scoring.models.sources import BUILTIN
from nextset.word_lists import FOLDER
assert scoring.MINE and release.MINE and validation.MINE
assert (BUILTIN / "nli-albert").is_dir() and (FOLDER / "en" / "pack.yaml").is_file()
assert all(callable(getattr(nextset, name)) for name in nextset.__all__)
print(nextset.__file__)
"""
    assert done([python, "-c", code], clashing).startswith(str(site))
    nextset: list[str | Path] = [python, "-m", "nextset"]
    assert "0.1.0" in done([*nextset, "--version"], clashing)
    done([*nextset, "new", "mine"], clashing)
    for command in ("lint", "preview", "generate"):
        done([*nextset, command, "mine"], clashing)
    assert (clashing / "mine" / "out" / "generate" / "manifest.json").is_file()
