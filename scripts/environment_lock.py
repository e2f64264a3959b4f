"""The lock of the environments: versions and hashes for Linux and macOS, solved by uv; see scripts/lock."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.markers import Marker

ROOT = Path(__file__).resolve().parent.parent
START = "3.11"
"""The first version of Python that nextset runs on."""
END = "3.14"
"""The first version of Python that cannot have the checks: label-studio-sdk does not allow pandas' numpy."""
MACHINES = (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"))
"""The systems and processors for which torch has packages, as markers name them."""
PYTHONS = tuple(f"3.{minor}.{patch}" for minor in range(11, 20) for patch in range(20))
"""Versions of Python at which a marker is evaluated."""

BUILD = Path("requirements/build.txt")
PLAIN = Path("requirements/nextset.txt")
TEST = Path("requirements/test.txt")
LABEL_STUDIO = Path("validation/label_studio/requirements.txt")

CUDA = re.compile(r"(nvidia|cuda)-|triton$")
"""The libraries that only torch's build for CUDA needs; scripts/install installs torch, and these with it."""
PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>.*?))?(?: \\)?$", re.M)
"""The line of a package in a lock."""


@dataclass(frozen=True)
class Lock:
    """A file of the lock."""

    path: Path
    """The file, from the root of the repository."""
    title: str
    """What the packages are for."""
    requirements: tuple[str, ...]
    """The requirements to solve."""


def locks() -> list[Lock]:
    """Return the files of the lock; the file that others take their versions from comes first."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (torch,) = re.findall(r'^torch="(.+)"$', (ROOT / "scripts/install").read_text(encoding="utf-8"), re.M)
    code = (ROOT / LABEL_STUDIO).with_name("installation.py").read_text(encoding="utf-8")
    (studio,) = re.findall(r'^VERSION = "(.+)"$', code, re.M)
    (gunicorn,) = re.findall(r'^GUNICORN = "(.+)"$', code, re.M)
    needs = (*pyproject["project"]["dependencies"], torch)
    # hatchling asks for editables only when it makes an editable installation.
    tools = ("pip", "setuptools", "editables>=0.3", *pyproject["build-system"]["requires"])
    return [
        Lock(TEST, "nextset and its checks", (*needs, *pyproject["dependency-groups"]["test"])),
        Lock(PLAIN, "nextset", needs),
        Lock(BUILD, "the tools that build packages", tools),
        Lock(LABEL_STUDIO, "Label Studio", (f"label-studio=={studio}", f"gunicorn=={gunicorn}")),
    ]


def solved(uv: str, lock: Lock, preferred: str, shared: Iterable[str]) -> str:
    """Return the text of ``lock``, with the versions in the text ``preferred`` if they fit.

    ``shared`` are constraints, see `constraints`.
    """
    limit = f" and python_full_version < '{END}'" if lock.path == TEST else ""
    pythons = [version for version in PYTHONS if lock.path != TEST or version < END]
    project = {
        "name": "environment",
        "version": "0",
        "requires-python": f">={START}",
        "dependencies": lock.requirements,
    }
    environments = [
        f"sys_platform == '{system}' and platform_machine == '{machine}'{limit}"
        for system, machine in MACHINES
    ]
    pyproject = "[project]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in project.items())
    pyproject += f"[tool.uv]\nenvironments = {json.dumps(environments)}\n"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        result = folder / "lock.txt"
        (folder / "pyproject.toml").write_text(pyproject, encoding="utf-8")
        (folder / "constraints.txt").write_text("\n".join(shared), encoding="utf-8")
        result.write_text(preferred, encoding="utf-8")
        command = [uv, "pip", "compile", "--quiet", "pyproject.toml", "--output-file", "lock.txt"]
        command += ["--universal", "--python-version", START, "--constraints", "constraints.txt"]
        command += ["--no-header", "--no-annotate"]
        # The first time without hashes, to see which libraries of CUDA torch names.
        subprocess.run(command, cwd=folder, check=True)
        cuda = [name for name in versions(result.read_text(encoding="utf-8")) if CUDA.match(name)]
        (folder / "cuda.txt").write_text("\n".join(cuda), encoding="utf-8")
        command += ["--excludes", "cuda.txt", "--no-emit-package", "torch", "--generate-hashes"]
        subprocess.run(command, cwd=folder, check=True)
        text = result.read_text(encoding="utf-8")
    return f"# {lock.title}: exact versions with hashes, made by scripts/lock\n" + shortened(text, pythons)


def shortened(text: str, pythons: Iterable[str]) -> str:
    """Return ``text`` with the shortest marker that means the same on `MACHINES` and ``pythons``, or none."""
    environments = [
        {
            "sys_platform": system,
            "platform_machine": machine,
            "python_full_version": python,
            "python_version": python.rpartition(".")[0],
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
        }
        for system, machine in MACHINES
        for python in pythons
    ]

    def short(pin: re.Match[str]) -> str:
        marker = pin["marker"]
        clauses = sorted(set(re.findall(r"(?:python_full_version|sys_platform) \S+ '[^']+'", marker)))
        holds = [Marker(marker).evaluate(environment) for environment in environments]
        if all(holds):
            return f"{pin['name']}=={pin['version']} \\"
        for clause in clauses:
            if [Marker(clause).evaluate(environment) for environment in environments] == holds:
                marker = clause
        return f"{pin['name']}=={pin['version']} ; {marker} \\"

    return PIN.sub(lambda pin: short(pin) if pin["marker"] else pin[0], text)


def versions(text: str) -> dict[str, str]:
    """Return the versions of packages in a lock's text by name, joined by commas if a package has several."""
    named: dict[str, list[str]] = {}
    for pin in PIN.finditer(text):
        named.setdefault(pin["name"], []).append(pin["version"])
    return {name: ", ".join(listed) for name, listed in named.items()}


def constraints(text: str) -> list[str]:
    """Return the pins of a lock's text as constraints for the versions of Python that can have the checks."""
    limit = f"python_full_version < '{END}'"
    return [
        f"{pin['name']}=={pin['version']} ; " + (f"({pin['marker']}) and {limit}" if pin["marker"] else limit)
        for pin in PIN.finditer(text)
    ]


def changes(old: str, new: str) -> list[str]:
    """Return a line for each package whose version differs between two texts of a lock."""
    before, after = versions(old), versions(new)
    return [
        f"  {name} {before.get(name, 'none')} → {after.get(name, 'none')}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]


def main() -> None:
    """Write the files of the lock and print what changed."""
    parser = argparse.ArgumentParser(prog="scripts/lock")
    parser.add_argument("uv", help=argparse.SUPPRESS)
    parser.add_argument("--keep", action="store_true", help="keep the versions that still fit")
    arguments = parser.parse_args()
    before: dict[Path, str] = {}
    after: dict[Path, str] = {}
    for lock in locks():
        path = ROOT / lock.path
        before[lock.path] = path.read_text(encoding="utf-8") if path.exists() else ""
        preferred = before[lock.path] if arguments.keep else ""
        # nextset alone has the same versions as with its checks.
        shared = constraints(after[TEST]) if lock.path in (PLAIN, BUILD) else ()
        after[lock.path] = solved(arguments.uv, lock, preferred, shared)
    # All files are written at the end, so that an error leaves the old lock whole.
    for name, text in after.items():
        (ROOT / name).write_text(text, encoding="utf-8")
        lines = changes(before[name], text)
        sys.stdout.write("\n".join([f"{name}: packages that changed: {len(lines)}", *lines, ""]))


if __name__ == "__main__":
    main()
