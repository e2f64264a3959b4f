"""The wheel holds what it must, nothing else, and works by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PACKAGES = {
    "nextset",
    "generation",
    "scoring",
    "filtering",
    "validation",
    "release",
    "auditing",
    "word_lists",
    "bbnli_templates",
}
DATA = {
    "auditing/report.html.j2",
    "bbnli_templates/gender/man_is_to_surgeon.yaml",
    "nextset/starter/study.yaml",
    "nextset/starter/templates/women_are_to_caring.yaml",
    "release/card.md.j2",
    "scoring/builtin/masked-lm/model.safetensors",
    "scoring/builtin/nli-albert/README.md",
    "scoring/generative/prompts/en.yaml",
    "validation/page/guidelines/en.md",
    "validation/report/report.html.j2",
    "validation/page/guidelines/questions.de.md",
    "validation/page/page.css",
    "validation/page/wording/de.yaml",
    "validation/page/wording/en.yaml",
    "word_lists/en/lexicon.yaml",
    "word_lists/en/templates/gender.yaml",
    "generation/questions/corrections.yaml",
}


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        folder,
        root,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


def test_what_it_holds(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    info = next(n for n in names if n.endswith(".dist-info/METADATA")).split("/")[0]
    assert {n.split("/")[0] for n in names} == {*PACKAGES, info}
    assert {f"{p}/py.typed" for p in PACKAGES} <= names
    assert names >= DATA
    assert any(n.startswith(f"{info}/licenses/LICENSE") for n in names)
    assert not [n for n in names if "__pycache__" in n or "/out/" in n or n.endswith((".bin", ".pt", ".pkl"))]


def test_it_works_by_itself(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    code = "import nextset, sys; sys.stdout.write(nextset.__file__)"
    where = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(tmp_path))
    for arguments in (["new", "mine"], ["lint", "mine"], ["preview", "mine"], ["--version"]):
        done = subprocess.run(
            [sys.executable, "-m", "nextset", *arguments],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
