"""Whether the name of a model fixes its weights."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["is_pinned"]

_COMMIT = re.compile(r"[0-9a-f]{40}")


def is_pinned(name: str, study: Path) -> bool:
    """Return whether ``name``, as study.yaml in the folder ``study`` has it, stands for the same weights.

    Built-in models and local folders are pinned: their digest is in the manifest. A Hub id is if its revision
    is a commit, since branches and tags can be moved. A model behind a server never is.
    """
    if name.startswith("openai:"):
        return False
    if name.startswith("builtin:") or (study / name).is_dir():
        return True
    _, _, revision = name.partition("@")
    return _COMMIT.fullmatch(revision) is not None
