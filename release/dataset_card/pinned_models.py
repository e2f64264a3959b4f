"""The check that the name of a model pins its weights."""

from __future__ import annotations

import re
from collections.abc import Collection

__all__ = ["is_pinned"]

_COMMIT = re.compile(r"[0-9a-f]{40}")


def is_pinned(name: str, local: Collection[str]) -> bool:
    """Return whether the published ``name`` always means the same weights.

    Built-in models and models in folders (``local``) are pinned: their digest is in the manifest. A Hub id is
    pinned if its revision is a commit, since branches and tags can be moved. A model behind a server is never
    pinned.
    """
    if name.startswith("openai:"):
        return False
    if name.startswith("builtin:") or name in local:
        return True
    _, _, revision = name.partition("@")
    return _COMMIT.fullmatch(revision) is not None
