"""Columns of pictures, sound and video in datasets of others are dropped."""

from __future__ import annotations

from typing import Any

__all__ = ["without_media"]


def without_media(split: Any) -> Any:
    """Return a split of `datasets` without the columns that it would decode, such as Image and Audio.

    Decoding them takes long and needs extra packages, and nextset never reads them.
    """
    from datasets.features.features import require_decoding

    return split.remove_columns([name for name, kind in split.features.items() if require_decoding(kind)])
