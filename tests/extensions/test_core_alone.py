"""nextset without its extensions: a copy of the package runs studies and releases the same datasets."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import nextset

ROOT = Path(__file__).parents[2]
EXTENSIONS = "nextset.extensions."


def install_core(site: Path) -> None:
    """Copy nextset without its extensions into ``site``, with the entry points of the rest."""
    ignored = shutil.ignore_patterns("extensions", "__pycache__")
    shutil.copytree(ROOT / "nextset", site / "nextset", ignore=ignored)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = site / f"nextset-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: nextset\nVersion: {project['version']}\n", encoding="utf-8"
    )
    lines: list[str] = []
    for group, parts in project["entry-points"].items():
        own = [f"{name} = {value}" for name, value in parts.items() if not value.startswith(EXTENSIONS)]
        lines += [f"[{group}]", *own, ""]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


def nextset_in(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "-m", "nextset", *arguments]
    return subprocess.run(command, cwd=site, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nextset without its extensions."""
    site = tmp_path_factory.mktemp("core")
    install_core(site)
    return site


def files_of(dataset: Path) -> dict[str, bytes]:
    return {
        path.relative_to(dataset).as_posix(): path.read_bytes()
        for path in sorted(dataset.rglob("*"))
        if path.is_file()
    }


STEREOTYPES = ("man_is_to_surgeon", "black_is_to_criminal", "muslim_man_to_oppressive")
RUNS = """
import sys, nextset
for study in sys.argv[1:]:
    nextset.run(study)
print(nextset.__file__)
"""


def written_studies(folder: Path) -> list[str]:
    """Smaller copies of shipped studies, with all their stages: items with fills, and questions."""
    first_look, unqover = (
        yaml.safe_load((ROOT / "studies" / name / "study.yaml").read_text(encoding="utf-8"))
        for name in ("first_look", "unqover")
    )
    first_look["templates"] = [t for t in first_look["templates"] if t.endswith(STEREOTYPES)]
    first_look["fill"] = {"top_k": 3}
    unqover["questions"] |= {"classes": ["religion"], "subset": 100}
    for study in (first_look, unqover):
        (folder / study["name"]).mkdir(parents=True)
        (folder / study["name"] / "study.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
    return [str(folder / study["name"]) for study in (first_look, unqover)]


@pytest.mark.slow
def test_studies_give_the_same_dataset_without_the_extensions(core: Path, tmp_path: Path) -> None:
    alone, full = written_studies(tmp_path / "alone"), written_studies(tmp_path / "full")
    environment = {**os.environ, "PYTHONPATH": str(core)}
    done = subprocess.run(
        [sys.executable, "-c", RUNS, *alone],
        cwd=core,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(f"{core / 'nextset' / '__init__.py'}\n")
    for folders in zip(alone, full, strict=True):
        nextset.run(folders[1])
        without, with_extensions = (files_of(Path(folder) / "out" / "dataset") for folder in folders)
        assert without
        assert without.keys() == with_extensions.keys()
        assert not [name for name in without if without[name] != with_extensions[name]]


@pytest.mark.slow
def test_a_section_of_an_extension_that_is_not_installed_is_an_unknown_key(
    core: Path, tmp_path: Path
) -> None:
    (tmp_path / "study.yaml").write_text(
        'format: 1\nname: x\ntemplates: ["builtin:gender"]\n'
        'interventions: {models: ["builtin:nli-electra"]}\n'
    )
    done = nextset_in(core, "run", str(tmp_path))
    assert done.returncode != 0
    assert "study.yaml:4: unknown key 'interventions'" in done.stderr
    assert "if it is the section of an extension, install the package that adds it" in done.stderr


@pytest.mark.slow
def test_commands_and_functions_of_extensions_come_and_go_with_them(core: Path) -> None:
    alone, full = nextset_in(core, "--help").stdout, nextset_in(ROOT, "--help").stdout
    for command in ("interventions", "retrieval", "selectional", "triggers", "tune"):
        assert f" {command} " in full
        assert f" {command} " not in alone
    code = "import nextset; print(len(nextset.__all__), hasattr(nextset, 'audit_interventions'))"
    environment = {**os.environ, "PYTHONPATH": str(core)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=core, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith(" False\n")
