"""Columns of pictures, sound and video in datasets of others, which are left out."""

from __future__ import annotations

from typing import Any

__all__ = ["without_media"]


def without_media(split: Any) -> Any:
    """Return a split of `datasets` without the columns that it would decode, such as Image and Audio.

    To decode them takes packages of their own and long, and nothing here reads them.
    """
    from datasets.features.features import require_decoding

    return split.remove_columns([name for name, kind in split.features.items() if require_decoding(kind)])
