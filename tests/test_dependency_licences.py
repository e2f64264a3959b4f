"""Every package that nextset or an extra installs has a licence that Apache-2.0 code may depend on."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageMetadata, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ACCEPTED = {
    "0bsd", "apache-2.0", "bsd-2-clause", "bsd-3-clause", "bsl-1.0", "cnri-python", "isc", "mit", "mit-0",
    "mit-cmu", "psf-2.0", "python-2.0", "tcl", "unlicense", "zlib",
    "mpl-2.0",  # asks for the source of its own files only
    # before SPDX expressions, packages wrote what they liked
    "2-clause bsd", "3-clause bsd license", "apache 2", "apache 2.0", "apache 2.0 license",
    "apache software license", "apache license, version 2.0", "bsd", "bsd license", "isc license",
    "isc license (iscl)", "mit license", "mozilla public license 2.0 (mpl 2.0)", "psfl",
    "python software foundation license",
}  # fmt: skip
"""Licences in lower case, as metadata name them; everything else is refused."""
IN_ITS_FILES = {"label-studio-sdk": "Apache License"}
"""Packages without a licence in their metadata, and how the file LICENSE that they install begins."""
NEEDS_GPU = {"vllm"}
"""Extras that machines without a GPU cannot install; vLLM itself is under the Apache License 2.0."""
OF_TORCH = ("nvidia-", "cuda-")
"""Libraries of NVIDIA, which only torch's build for CUDA installs: they may be distributed with programs."""


def installed_by(requirements: Iterable[str]) -> dict[str, Distribution]:
    """The packages that ``requirements`` install on this machine, by name, with all that those need."""
    found: dict[str, tuple[Distribution, set[str]]] = {}
    left = [Requirement(written) for written in requirements]
    while left:
        wanted = left.pop()
        name = canonicalize_name(wanted.name)
        package, extras = found.get(name) or (distribution(name), set())
        if name in found and wanted.extras <= extras:
            continue
        found[name] = package, extras | wanted.extras
        for written in package.requires or ():
            needed = Requirement(written)
            if needed.marker is None or any(
                needed.marker.evaluate({"extra": extra}) for extra in ("", *extras, *wanted.extras)
            ):
                left.append(needed)
    return {name: package for name, (package, _) in found.items()}


def licences(metadata: PackageMetadata) -> list[str]:
    """The licences of a package: from its SPDX expression, else a line of text, else its classifiers."""
    expression = _first(metadata, "License-Expression")
    text = _first(metadata, "License")
    if expression or re.fullmatch(r"[\w.+-]+( (AND|OR) [\w.+-]+)+", text):
        without = re.sub(r" WITH [\w.-]+", "", expression or text)
        return re.findall(r"[^\s()]+", re.sub(r"\b(AND|OR)\b", " ", without))
    known = [c for c in metadata.get_all("Classifier") or () if c.startswith("License :: ")]
    if text.lower() in ACCEPTED or not known:
        return [text] if text else []
    return [c.rsplit(" :: ", 1)[-1] for c in known]


def _first(metadata: PackageMetadata, name: str) -> str:
    return str((metadata.get_all(name) or [""])[0]).strip()


def refused(package: Distribution) -> str | None:
    """Why ``package`` may not be a dependency; None if it may."""
    name = canonicalize_name(package.metadata["Name"])
    if name.startswith(OF_TORCH):
        return None
    named = licences(package.metadata)
    if not named:
        beginning = IN_ITS_FILES.get(name)
        text = package.read_text("LICENSE") or ""
        return None if beginning and text.lstrip().startswith(beginning) else f"{name}: no licence is named"
    wrong = [licence for licence in named if licence.lower() not in ACCEPTED]
    return f"{name}: {', '.join(wrong)}" if wrong else None


def test_no_dependency_of_nextset_or_an_extra_has_a_licence_that_is_not_accepted(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [
        name
        for extra, names in project["optional-dependencies"].items()
        for name in names
        if extra not in NEEDS_GPU
    ]
    packages = installed_by([*project["dependencies"], *extras])
    assert {"torch", "certifi", "crowd-kit", "ray", "scipy"} <= packages.keys()
    assert [why for _, package in sorted(packages.items()) if (why := refused(package))] == []


def written(folder: Path, name: str, *lines: str) -> Distribution:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    text = "\n".join(["Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", *lines, "", ""])
    (info / "METADATA").write_text(text, encoding="utf-8")
    return Distribution.at(info)


def test_licences_that_are_refused(tmp_path: Path) -> None:
    gpl = "Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)"
    cases = {
        ("License-Expression: GPL-3.0-or-later",): "GPL-3.0-or-later",
        ("License-Expression: MIT AND (AGPL-3.0-only OR LGPL-2.1)",): "AGPL-3.0-only, LGPL-2.1",
        ("License: GPL",): "GPL",
        (gpl, "License: see LICENSE"): "GNU General Public License v3 (GPLv3)",
        (gpl, "Classifier: License :: OSI Approved :: MIT License"): "GNU General Public License v3 (GPLv3)",
        ("License: our own",): "our own",
        (): "no licence is named",
        ("License-Expression: MIT AND Apache-2.0 WITH LLVM-exception",): None,
        ("License: MPL-2.0 AND MIT",): None,
        ("License: BSD", "Classifier: License :: OSI Approved :: BSD License"): None,
    }
    for i, (lines, why) in enumerate(cases.items()):
        assert refused(written(tmp_path, f"p{i}", *lines)) == (why and f"p{i}: {why}")


def test_extras_are_followed() -> None:
    assert "pyarrow" in installed_by(["ray[data]"])
    assert "pyarrow" not in installed_by(["ray"])
