"""The reasons not to publish a dataset version, found before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from nextset.errors import ArtifactError, examples
from nextset.release.hub.hub_token import HubToken
from nextset.release.version_folder.folder_hashes import folder_differences
from nextset.release.version_folder.release_manifest import (
    CARD,
    MANIFEST,
    PublishedFile,
    ReleaseManifest,
    ReleaseModel,
    read_release_manifest,
)

__all__ = ["Refusal", "checked_manifest", "refusals"]

_BUILD = "build the version again: nextset release build STUDY"
_REBUILD = (
    f"{_BUILD}; this overwrites your edits to {CARD}, so first write them into `about` in study.yaml, "
    "which the card shows"
)
_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason not to publish a version."""

    reason: str
    """The problem."""
    remedy: str
    """The remedy: one command or one edit."""


def checked_manifest(folder: Path, token: HubToken | None, *, demo: bool) -> ReleaseManifest:
    """Return the manifest of the version in ``folder``.

    Raises ArtifactError with all reasons not to publish the version, if there are any.
    """
    manifest = read_release_manifest(folder)
    problems = refusals(folder, manifest, token, demo=demo)
    if problems:
        count = "1 reason" if len(problems) == 1 else f"{len(problems)} reasons"
        reasons = "; ".join(f"({i}) {r.reason}" for i, r in enumerate(problems, 1))
        remedies = dict.fromkeys(r.remedy for r in problems)
        raise ArtifactError(
            f"{manifest.name} {manifest.version} cannot be pushed, for {count}: {reasons}",
            remedy="; ".join(f"({i}) {r}" for i, r in enumerate(remedies, 1)),
        )
    return manifest


def refusals(
    folder: Path, manifest: ReleaseManifest, token: HubToken | None, *, demo: bool
) -> tuple[Refusal, ...]:
    """Return every reason not to publish the version in ``folder``.

    ``demo`` allows a version that toys or a rule helped to make. ``token`` must not be in any file.
    """
    differences = folder_differences(folder, manifest)
    if differences:
        remedy = _REBUILD if any(d.path == CARD for d in differences) else _BUILD
        whole = Refusal(f"the files differ from {MANIFEST}: {examples(differences)}", remedy)
        return (whole, *_of_the_manifest(manifest, demo=demo))
    return (
        *_of_the_manifest(manifest, demo=demo),
        *_of_the_card(folder, manifest),
        *_of_the_rows(folder, manifest),
        *_of_the_token(folder, manifest, token),
    )


def _of_the_manifest(manifest: ReleaseManifest, *, demo: bool) -> Iterator[Refusal]:
    if manifest.draft:
        yield Refusal("it is a draft", "remove release.draft from study.yaml and build again")
    if not manifest.license:
        yield Refusal("it has no licence", "set release.license in study.yaml and build again")
    if not _GUID.fullmatch(manifest.canary):
        yield Refusal("it has no canary", _BUILD)
    unpinned = sorted({_named(m) for m in manifest.models if not m.pinned})
    if unpinned and not any(w.what == "unpinned" for w in manifest.waivers):
        yield Refusal(
            f"models without a fixed revision: {examples(unpinned)}",
            "write them as ORG/NAME@COMMIT in study.yaml and run the study again, or give the reason in "
            "release.waivers.unpinned and build again",
        )
    toys = sorted({_named(m) for m in manifest.models if m.toy})
    if toys and not demo:
        of_imports = any(m.toy and m.version for m in manifest.models)
        imported = ", import versions that real models made" if of_imports else ""
        yield Refusal(
            f"built-in models, which exist only for trying the tool, helped to make it: {examples(toys)}",
            f"name real models in study.yaml and run the study again{imported}, or push with --demo",
        )
    if manifest.judge == "rule" and not demo:
        yield Refusal(
            "no one judged its items: a rule checked only their form",
            "have people judge the items (docs/how_to/sessions.md), or push with --demo",
        )


def _named(model: ReleaseModel) -> str:
    return f"{model.name} (of {model.version}, which was imported)" if model.version else model.name


def _of_the_card(folder: Path, manifest: ReleaseManifest) -> Iterator[Refusal]:
    card = folder / CARD
    text = card.read_text(encoding="utf-8", errors="replace") if card.is_file() else ""
    if not text:
        yield Refusal(f"it has no card ({CARD})", _BUILD)
        return
    if not manifest.content_warning or _words(manifest.content_warning) not in _words(text):
        yield Refusal(f"{CARD} has no content warning", _BUILD)
    if manifest.canary and manifest.canary not in text:
        yield Refusal(f"{CARD} does not name the canary", _BUILD)


def _words(text: str) -> str:
    """Return the words of ``text``, without the marks and line breaks of Markdown."""
    return " " + " ".join(re.findall(r"[^\W_]+", text)) + " "


def _of_the_rows(folder: Path, manifest: ReleaseManifest) -> Iterator[Refusal]:
    """Yield a refusal if rows of the main configs cannot be read, are missing, or lack the canary."""
    for config in manifest.kinds:
        files = manifest.files_of(config)
        if not files:
            yield Refusal(f"the manifest lists no rows of {config}", _BUILD)
        without = [file.path for file in files if not _has_canary(folder, file, manifest.canary)]
        if without:
            yield Refusal(f"there are rows without the canary in {examples(without)}", _BUILD)


def _has_canary(folder: Path, file: PublishedFile, canary: str) -> bool:
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(folder / file.path) as parquet:
            if "canary" not in parquet.schema_arrow.names or parquet.metadata.num_rows != file.rows:
                return False
            return all(
                pc.all(pc.equal(batch["canary"], canary), skip_nulls=False).as_py()
                for batch in parquet.iter_batches(columns=["canary"])
                if batch.num_rows
            )
    except (pa.ArrowException, OSError, TypeError):
        return False


def _of_the_token(folder: Path, manifest: ReleaseManifest, token: HubToken | None) -> Iterator[Refusal]:
    if token is None:
        return
    paths = (MANIFEST, *(file.path for file in manifest.files))
    holding = [path for path in paths if _holds(folder / path, token.secret)]
    if holding:
        yield Refusal(
            f"your Hub token is in {examples(holding)}",
            "revoke the token on the Hub, remove it from the study, and build again",
        )


def _holds(file: Path, secret: str) -> bool:
    """Return whether ``secret`` is in the bytes of ``file``, or in the texts of its rows if it is Parquet."""
    import pyarrow.parquet as pq

    wanted, kept = secret.encode(), b""
    with file.open("rb") as f:
        while chunk := f.read(1 << 20):
            if wanted in kept + chunk:
                return True
            kept = (kept + chunk)[-len(wanted) :]
    if file.suffix != ".parquet":
        return False
    try:
        with pq.ParquetFile(file) as parquet:
            return any(
                _column_holds(column, secret) for batch in parquet.iter_batches() for column in batch.columns
            )
    except (pa.ArrowException, OSError):
        return False  # not Parquet; its bytes were searched above


def _column_holds(column: pa.Array, secret: str) -> bool:
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        return _column_holds(column.dictionary, secret)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return bool(pc.any(pc.match_substring(column, secret)).as_py())
    if pa.types.is_struct(kind):
        return any(_column_holds(part, secret) for part in column.flatten())
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        if pa.types.is_map(kind):
            return _column_holds(column.keys, secret) or _column_holds(column.items, secret)
        return _column_holds(column.flatten(), secret)
    return False
