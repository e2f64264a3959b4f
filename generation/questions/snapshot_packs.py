"""The language packs that questions were made from, read from the snapshots of the stage generate."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from nextset.artifacts.artifact import open_artifact
from nextset.artifacts.manifest import MANIFEST, read_manifest
from nextset.errors import ArtifactError, InputError
from nextset.generation.questions.question_set import QuestionSet
from nextset.generation.questions.study_packs import load_questions
from nextset.study.generation_settings import QuestionSettings

__all__ = ["pack_layout", "snapshot_sets"]


def pack_layout(folders: Sequence[Path], names: Mapping[Path, str]) -> list[dict[str, str]]:
    """Return the names of the snapshots of each pack in ``folders``, by the files' paths in the folder.

    ``names`` has the name of the snapshot of each file of a study.
    """
    return [
        {path.relative_to(folder).as_posix(): name for path, name in names.items() if folder in path.parents}
        for folder in folders
    ]


def snapshot_sets(generated: Path) -> tuple[QuestionSet, ...]:
    """Return the question sets of the packs as the stage in ``generated`` read them.

    The packs themselves may have changed since. Raises ArtifactError if the stage recorded no packs, or packs
    that this version of nextset reads differently, and DamagedShard if a snapshot was altered.
    """
    settings: Mapping[str, Any] = read_manifest(generated).recipe.get("settings", {})
    artifact = open_artifact(generated)
    remedy = "run `nextset generate STUDY` to rebuild it"
    if not settings.get("packs"):
        raise ArtifactError(f"{generated} does not list the files of its packs", remedy=remedy)
    with tempfile.TemporaryDirectory(prefix="nextset.packs.") as scratch:
        folders = [Path(scratch) / str(i) for i in range(len(settings["packs"]))]
        for folder, files in zip(folders, settings["packs"], strict=True):
            for path, name in files.items():
                if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
                    raise ArtifactError(f"{path!r} is not a path within a pack", remedy=remedy)
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(artifact.snapshot(name))
        asked = {**settings["questions"], "packs": tuple(map(str, folders))}
        asked.pop("rows")
        try:
            packs = QuestionSettings.model_validate(asked)
            return load_questions(packs, settings["language"], Path, generated / MANIFEST).sets
        except InputError as e:
            message = f"the packs that {generated} was made from can no longer be read: {e.message}"
            raise ArtifactError(message, remedy=remedy) from None
