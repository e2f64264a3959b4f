"""The manifest of a dataset version: manifest.json, which lists every other file with its hash."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from nextset.errors import ArtifactError, NewerFormat, newer_format
from nextset.files.json_records import check_version_digest, with_digest
from nextset.files.unique_keys import unique_keys
from nextset.folded_names import folded_name
from nextset.release.forms.released_form import main_configs
from nextset.study.release_settings import NAME, VERSION
from nextset.study.stereotype_sentences import StereotypeRow

__all__ = [
    "CARD",
    "MANIFEST",
    "PublishedFile",
    "ReleaseManifest",
    "ReleaseModel",
    "Waiver",
    "manifest_bytes",
    "parse_manifest",
    "read_release_manifest",
]

MANIFEST = "manifest.json"
CARD = "README.md"
"""The dataset card's path in the folder."""
FORMAT = 1
_INDENT = 1
_UNCLEAN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_NOT_IN_PATHS = set('\\:*?"<>|')  # Windows treats them as drives, folders and patterns
_NOT_PARTS = {"", ".", "..", ".git"}  # a file in .git could be a hook, which git runs
_PART, _PATH = 255, 1024  # bytes: the limit of file systems for one name, and a limit for a whole path
_MOST = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFile:
    """A file of a dataset version."""

    path: str
    """Its path in the folder, with slashes."""
    bytes: int
    """Its size in bytes."""
    sha256: str
    """The hash of its content, in hex."""
    rows: int | None = None
    """Its rows; null for files that are not Parquet tables."""
    config: str | None = None
    """The config that it belongs to, such as items; null for files that are not Parquet tables."""
    split: str | None = None
    """The split that it belongs to; null for files that are not Parquet tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseModel:
    """A model that took part in making a dataset version."""

    name: str
    """The model's published name."""
    revision: str
    """Digest of its weights."""
    role: str
    """fill, filter or held out."""
    pinned: bool
    """True if the name pins the weights, as a Hub id with a commit does."""
    version: str | None = None
    """The imported version that it took part in, such as carers 1.0.0; null for this one."""

    @property
    def toy(self) -> bool:
        """True if the model is one of the small built-in models."""
        return self.name.startswith("builtin:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A check that the authors waived."""

    what: str
    """The key in release.waivers."""
    reason: str
    """The authors' reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseManifest:
    """A description of a dataset version, with the files that it consists of."""

    name: str
    """The dataset's name."""
    version: str
    """major.minor.patch."""
    previous: str | None
    """The version before this one; null for the first."""
    kind: str
    """items, questions or statements: the main config; several are joined by a comma."""
    license: str
    """The licence, as the Hub abbreviates it; empty if none was chosen."""
    authors: tuple[str, ...]
    """The dataset's authors; may be empty."""
    languages: tuple[str, ...]
    """BCP 47 tags."""
    canary: str
    """The canary GUID, also in every row of the main configs."""
    content_warning: str
    """The content warning on the card."""
    judge: str
    """people; rule if a rule checked the form; nobody if neither."""
    verdicts: Mapping[str, Any]
    """The rule that selects units by verdict, as in study.yaml."""
    models: tuple[ReleaseModel, ...]
    """The models that took part in making the version."""
    waivers: tuple[Waiver, ...]
    """Checks that were waived."""
    stereotypes: tuple[StereotypeRow, ...] = ()
    """The stereotypes that templates state as sentences; the key may be missing."""
    columns: Mapping[str, Mapping[str, str]]
    """The type of each column, by config."""
    study: Mapping[str, str]
    """Digests of the study's artifacts, by stage."""
    nextset: str
    """The version of nextset."""
    private: bool
    """Make the repository on the Hub private."""
    gated: bool
    """Require readers on the Hub to ask for access."""
    draft: bool = False
    """True for a draft, which a later build may replace."""
    files: tuple[PublishedFile, ...]
    """Every file except the manifest, by path."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The main configs that ``kind`` lists."""
        return tuple(kind.strip() for kind in self.kind.split(","))

    def files_of(self, config: str, split: str | None = None) -> tuple[PublishedFile, ...]:
        """Return the Parquet files of ``config`` (and ``split``), by path."""
        return tuple(f for f in self.files if f.config == config and split in (None, f.split))


def manifest_bytes(manifest: ReleaseManifest) -> bytes:
    """Return the manifest in the form of manifest.json. The same manifest gives the same bytes."""
    written = {"format": FORMAT, **asdict(manifest)}
    if not manifest.stereotypes:
        del written["stereotypes"]
    return with_digest(json.loads(json.dumps(written, sort_keys=True)), _INDENT)


def read_release_manifest(folder: Path) -> ReleaseManifest:
    """Return the manifest of the dataset version in ``folder``. Raises ArtifactError if there is none."""
    path = folder / MANIFEST
    if not path.is_file():
        raise ArtifactError(
            f"{folder} is not the folder of a dataset version: it has no {MANIFEST}",
            remedy="name the folder that `nextset release build STUDY` wrote",
        )
    return parse_manifest(path.read_bytes(), str(path))


def parse_manifest(raw: bytes, source: str) -> ReleaseManifest:
    """Return the manifest in ``raw``, read from ``source``.

    On any file system, its paths are different files inside the version's folder. Raises ArtifactError if
    they are not, or if the manifest is damaged, and NewerFormat if a newer version of nextset wrote it.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        written = json.loads(raw, object_pairs_hook=unique_keys, parse_constant=_finite, parse_float=_finite)
        if not isinstance(written, dict):
            raise ValueError("it is not a JSON object")
        given = written.pop("format", None)
        if newer := newer_format(given, FORMAT, written.get("nextset")):
            raise NewerFormat(f"{source}: {newer[0]}", remedy=newer[1])
        if given != FORMAT:
            raise ValueError(f"the format is not {FORMAT}")
        written.pop("digest", None)
        if unknown := sorted(written.keys() - {field.name for field in fields(ReleaseManifest)}):
            raise ValueError(f"the key {_shown(unknown[0])} is unknown")
        manifest = TypeAdapter(ReleaseManifest).validate_python(written)
        _check_values(manifest)
        check_version_digest(raw)
    except ValidationError as e:
        first = e.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part)[:40] for part in first["loc"])
        why = f"{where}: {first['msg']}"
    except RecursionError:
        why = "its values are nested too deeply"
    except ValueError as e:
        why = str(e).splitlines()[0]
    else:
        return manifest
    raise ArtifactError(
        f"{source} is damaged, or not the manifest of a dataset version: {why}",
        remedy="build or download the version again",
    )


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written[:40]} is not a finite number")
    return number


def _check_values(manifest: ReleaseManifest) -> None:
    """Raise ValueError if the name, a version, the kind or the files are not possible in a version."""
    if not re.fullmatch(NAME, manifest.name):
        raise ValueError(f"the name is {_shown(manifest.name)}")
    for version in (manifest.version, manifest.previous):
        if version is not None and not re.fullmatch(VERSION, version):
            raise ValueError(f"{_shown(version)} is not a version such as 1.2.0")
    different = set(manifest.kinds)
    if not different <= set(main_configs()) or len(different) < len(manifest.kinds):
        raise ValueError(
            f"the kind is {_shown(manifest.kind)}, but must list some of {', '.join(main_configs())}"
        )
    for file in manifest.files:
        _check_path(file.path)
        _check_file(file)
    _check_different([file.path for file in manifest.files])


def _check_path(path: str) -> None:
    parts = path.split("/")
    if not _NOT_PARTS.isdisjoint(map(folded_name, parts)) or _NOT_IN_PATHS & set(path) or not _is_clean(path):
        raise ValueError(f"{_shown(path)} is not a path inside the version")
    if max(len(part.encode()) for part in parts) > _PART or len(path.encode()) > _PATH:
        raise ValueError(f"the path {_shown(path)} is too long")


def _check_different(paths: Sequence[str]) -> None:
    """Raise ValueError if two of ``paths``, or a path and the manifest, can be the same file."""
    seen: dict[str, str] = {}
    for path in paths:
        folded = folded_name(path)
        if folded == MANIFEST:
            raise ValueError(f"{_shown(path)} is the path of the manifest itself")
        if folded in seen:
            first = seen[folded]
            if first == path:
                raise ValueError(f"the path {_shown(path)} is listed twice")
            both = f"{_shown(first)} and {_shown(path)}"
            raise ValueError(f"the paths {both} are the same file on some file systems")
        seen[folded] = path
    for path in paths:
        for place in (i for i, c in enumerate(path) if c == "/"):
            folder = path[:place]
            if folded_name(folder) in seen or folded_name(folder) == MANIFEST:
                raise ValueError(f"{_shown(folder)} is both a file and the folder of {_shown(path)}")


def _check_file(file: PublishedFile) -> None:
    path = file.path
    for label in (file.config, file.split):
        if label is not None and (not label or "/" in label or "\\" in label or not _is_clean(label)):
            raise ValueError(f"{_shown(path)} has the config or split {_shown(label)}")
    if not re.fullmatch("[0-9a-f]{64}", file.sha256):
        raise ValueError(f"the SHA-256 of {_shown(path)} is not 64 hexadecimal digits")
    if not all(0 <= n <= _MOST for n in (file.bytes, file.rows or 0)):
        raise ValueError(f"{_shown(path)} has an impossible number of bytes or rows")


def _is_clean(text: str) -> bool:
    """Return whether ``text`` has no control characters, direction marks, line separators or surrogates."""
    return not any(unicodedata.category(c) in _UNCLEAN for c in text)


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 80 else text[:79] + "…")
