"""Checkpoints that one training wrote completely and that have not changed since.

transformers' Trainer writes weights as safetensors, and the states of the optimiser and of the random
generators with torch.save. It reads these states with weights_only, so that no code in them is run. A seal, a
list of the files' digests with the key of the training, is written last. A training never resumes from a
folder without a seal, with a changed file, or of a different training.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import InputError
from nextset.files.atomic_files import write_atomically
from nextset.files.file_hash import file_sha256
from nextset.files.json_records import DamagedJson, DigestedRecord, parse_digested
from nextset.files.regular_file import has_file

__all__ = ["SealedCheckpoints"]

_SEAL = "nextset_seal.json"
_NAME = re.compile(r"checkpoint-([0-9]{1,12})")


class _Seal(DigestedRecord):
    """The files of a checkpoint, and the key of its training."""

    key: str
    files: dict[str, str]


@dataclass(frozen=True)
class SealedCheckpoints:
    """The checkpoints of the training ``key`` in ``folder``."""

    folder: Path
    """The Trainer's output folder; it need not exist."""
    key: str
    """The key of the training: a hash of its recipe, its data and its base model."""

    def seal(self, step: int) -> None:
        """Seal the checkpoint of ``step``, which the Trainer has written."""
        place = self.at(step)
        files = {p.name: file_sha256(p) for p in sorted(place.iterdir()) if p.name != _SEAL and p.is_file()}
        write_atomically(place / _SEAL, _Seal(key=self.key, files=files).as_bytes(indent=1))

    def at(self, step: int) -> Path:
        """Return the folder of the checkpoint of ``step``."""
        return self.folder / f"checkpoint-{step}"

    def last(self) -> Path | None:
        """Return the latest sealed checkpoint, or None without one; remove checkpoints without a seal."""
        sound: Path | None = None
        for place in sorted(self._all(), key=_step):
            if self._is_sound(place):
                sound = place
            elif not place.is_symlink():
                shutil.rmtree(place, ignore_errors=True)
        return sound

    def _all(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return [p for p in self.folder.iterdir() if p.is_dir() and _NAME.fullmatch(p.name)]

    def _is_sound(self, place: Path) -> bool:
        try:
            if not has_file(place / _SEAL, InputError):
                return False
            seal = parse_digested((place / _SEAL).read_bytes(), _Seal, indent=1)
        except (DamagedJson, InputError):
            return False
        names = {p.name for p in place.iterdir()} - {_SEAL}
        return (
            seal.key == self.key
            and names == set(seal.files)
            and all((place / name).is_file() and file_sha256(place / name) == sha256
                    for name, sha256 in seal.files.items())
        )  # fmt: skip


def _step(place: Path) -> int:
    match = _NAME.fullmatch(place.name)
    return int(match[1]) if match else 0
