"""The lock of the environments has all that is needed; scripts/lock shortens markers and prints changes."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from nextset.validation.label_studio.installation import GUNICORN, VERSION
from scripts.environment_lock import (
    BUILD,
    CUDA,
    END,
    LABEL_STUDIO,
    PLAIN,
    TEST,
    changes,
    constraints,
    shortened,
)
from tests.docs_pages import ROOT

LOCKS = (BUILD, PLAIN, TEST, LABEL_STUDIO)
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
GPU_EXTRAS = {"vllm"}
"""Extras that only machines with a GPU can install; no lock has them."""
EXTRAS = [
    written
    for extra, needed in PROJECT["optional-dependencies"].items()
    for written in needed
    if extra not in GPU_EXTRAS
]
NEEDS: dict[Path, list[str]] = {
    BUILD: ["pip", *PYPROJECT["build-system"]["requires"]],
    PLAIN: PROJECT["dependencies"],
    TEST: [*PROJECT["dependencies"], *EXTRAS, *PYPROJECT["dependency-groups"]["test"]],
    LABEL_STUDIO: [f"label-studio=={VERSION}", f"gunicorn=={GUNICORN}"],
}
MACHINES = [
    {
        "sys_platform": system,
        "platform_system": system.capitalize(),
        "platform_machine": machine,
        "python_full_version": python,
        "python_version": python.rpartition(".")[0],
    }
    for system, machine in (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"))
    for python in ("3.11.0", "3.11.9", "3.12.3", "3.13.1")
]


def entries(path: Path) -> list[tuple[Requirement, list[str]]]:
    """The packages of a lock with their hashes; every line has to be a comment, a package or a hash."""
    text = (ROOT / path).read_text(encoding="utf-8").replace("\\\n", " ")
    found = []
    for line in text.splitlines():
        if not line.startswith("#"):
            requirement, *hashes = line.split(" --hash=")
            found.append((Requirement(requirement.strip()), [written.strip() for written in hashes]))
    return found


def pins(path: Path, machine: dict[str, str]) -> dict[str, Version]:
    """The versions by name that the lock installs on a machine."""
    chosen = [r for r, _ in entries(path) if r.marker is None or r.marker.evaluate(machine)]
    names = [canonicalize_name(requirement.name) for requirement in chosen]
    assert len(names) == len(set(names)), "a package has two versions"
    return {name: Version(str(r.specifier).removeprefix("==")) for name, r in zip(names, chosen, strict=True)}


@pytest.mark.parametrize("path", LOCKS, ids=str)
def test_every_package_has_an_exact_version_and_hashes(path: Path) -> None:
    listed = entries(path)
    assert len(listed) >= 5
    for requirement, hashes in listed:
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert requirement.url is None
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", written) for written in hashes), requirement


@pytest.mark.parametrize("path", LOCKS, ids=str)
def test_neither_torch_nor_a_library_of_cuda_nor_an_address_is_named(path: Path) -> None:
    assert "://" not in (ROOT / path).read_text(encoding="utf-8")
    names = {canonicalize_name(requirement.name) for requirement, _ in entries(path)}
    assert {name for name in names if name == "torch" or CUDA.match(name)} == set()


@pytest.mark.parametrize("path", LOCKS, ids=str)
@pytest.mark.parametrize(
    "machine", MACHINES, ids=lambda m: f"{m['platform_machine']}-{m['python_full_version']}"
)
def test_the_lock_has_everything_that_is_needed_within_its_range(path: Path, machine: dict[str, str]) -> None:
    """Dependencies of dependencies are those that the installed packages name.

    If a package has another version than in the lock, as in scripts/test --newest, its needs are left out.
    """
    locked = pins(path, machine)
    left = [(Requirement(written), "") for written in NEEDS[path]]
    seen: set[tuple[str, frozenset[str]]] = set()
    while left:
        needed, extra = left.pop()
        name = canonicalize_name(needed.name)
        if needed.marker and not needed.marker.evaluate(machine | {"extra": extra}):
            continue
        if CUDA.match(name) or (name, frozenset(needed.extras)) in seen:
            continue
        seen.add((name, frozenset(needed.extras)))
        if name != "torch":
            assert name in locked, needed
            assert needed.specifier.contains(locked[name], prereleases=True), needed
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        if name == "torch" or Version(package.version) == locked[name]:
            for written in package.requires or ():
                left += [(Requirement(written), of) for of in ("", *needed.extras)]


@pytest.mark.parametrize(
    "machine", MACHINES, ids=lambda m: f"{m['platform_machine']}-{m['python_full_version']}"
)
def test_nextset_alone_has_the_versions_that_the_checks_have(machine: dict[str, str]) -> None:
    checks = pins(TEST, machine)
    plain = pins(PLAIN, machine)
    assert plain.items() <= checks.items()
    tools = pins(BUILD, machine)
    assert {name for name, version in tools.items() if checks.get(name, version) != version} == set()


def test_later_pythons_have_nextset_but_not_its_checks() -> None:
    assert "numpy" in pins(PLAIN, MACHINES[0] | {"python_full_version": f"{END}.0", "python_version": END})
    install = (ROOT / "scripts" / "install").read_text(encoding="utf-8")
    assert f"sys.version_info >= ({END.replace('.', ', ')})" in install


HASH = "    --hash=sha256:00\n"


def test_markers_are_as_short_as_they_can_be() -> None:
    everywhere = "(sys_platform == 'darwin' or sys_platform == 'linux') and platform_machine != 'i686'"
    intel = "platform_machine == 'x86_64' and sys_platform == 'linux'"
    linux = f"({intel}) or ({intel.replace('x86_64', 'aarch64')})"
    text = f"a==1 ; {everywhere} \\\n{HASH}b==2 ; {linux} \\\n{HASH}c==3 ; {intel} \\\n{HASH}d==4 \\\n{HASH}"
    assert shortened(text, ["3.11.0"]) == (
        f"a==1 \\\n{HASH}b==2 ; sys_platform == 'linux' \\\n{HASH}c==3 ; {intel} \\\n{HASH}d==4 \\\n{HASH}"
    )


def test_constraints_are_for_the_pythons_of_the_checks() -> None:
    found = constraints(f"a==1 \\\n{HASH}b==2 ; sys_platform == 'linux' or sys_platform == 'x' \\\n{HASH}")
    assert found[0] == f"a==1 ; python_full_version < '{END}'"
    assert Requirement(found[1]).marker == Marker(
        f"(sys_platform == 'linux' or sys_platform == 'x') and python_full_version < '{END}'"
    )


def test_changes_name_the_old_and_the_new_version() -> None:
    old = f"a==1 \\\n{HASH}b==2 ; python_full_version < '3.12' \\\n{HASH}c==1 \\\n{HASH}"
    new = f"a==2 \\\n{HASH}b==2 \\\n{HASH}b==3 \\\n{HASH}d==1 \\\n{HASH}"
    assert changes(old, new) == ["  a 1 → 2", "  b 2 → 2, 3", "  c 1 → none", "  d none → 1"]
