"""Datasets with pictures or sound are read for their texts, without the packages that decode them."""

from __future__ import annotations

import pytest
from datasets import Audio, Dataset, Image, List

from nextset.records.media_columns import without_media


@pytest.mark.parametrize("kind", [Image(), Audio(), List(Image())])
def test_media_are_left_out_and_texts_stay(kind: object) -> None:
    damaged = {"bytes": b"x", "path": None}
    rows = {"title": ["a"], "lists": [["b"]], "media": [[damaged] if isinstance(kind, List) else damaged]}
    split = Dataset.from_dict(rows).cast_column("media", kind)
    with pytest.raises((ImportError, OSError)):
        list(split)
    assert list(without_media(split)) == [{"title": "a", "lists": ["b"]}]
