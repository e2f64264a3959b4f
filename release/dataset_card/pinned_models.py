"""Whether the name of a model fixes its weights."""

from __future__ import annotations

import re
from collections.abc import Collection

__all__ = ["is_pinned"]

_COMMIT = re.compile(r"[0-9a-f]{40}")


def is_pinned(name: str, local: Collection[str]) -> bool:
    """Return whether the published ``name`` stands for the same weights; ``local`` ones are in folders.

    Built-in models and local folders are pinned: their digest is in the manifest. A Hub id is if its revision
    is a commit, since branches and tags can be moved. A model behind a server never is.
    """
    if name.startswith("openai:"):
        return False
    if name.startswith("builtin:") or name in local:
        return True
    _, _, revision = name.partition("@")
    return _COMMIT.fullmatch(revision) is not None
