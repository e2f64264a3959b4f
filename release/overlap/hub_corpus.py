"""The texts of a dataset on the Hugging Face Hub, read as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nextset.hub_dataset_errors import hub_dataset_errors
from nextset.release.overlap.corpus_files import texts_in

__all__ = ["hub_name", "hub_revision", "hub_texts"]

_NAME = re.compile(r"(?:[\w.-]{1,96}/)?[\w.-]{1,96}(?:@[\w./-]{1,128})?", re.ASCII)
_CHECK = "check the name in release.overlap.against"


def hub_name(written: str) -> tuple[str, str | None] | None:
    """Return the Hub id and the revision in ORG/NAME or ORG/NAME@REVISION, or None for any other text."""
    if not _NAME.fullmatch(written):
        return None
    name, _, revision = written.partition("@")
    return name, revision or None


def hub_revision(name: str, revision: str | None) -> str:
    """Return the current commit of the revision (or of main). Raises InputError or ServerError."""
    from huggingface_hub import HfApi

    with hub_dataset_errors(name, _CHECK):
        return str(HfApi().dataset_info(name, revision=revision).sha)


def hub_texts(name: str, commit: str) -> Iterator[str]:
    """Yield one text per row of all configs and splits: all its strings, with line breaks between them.

    Raises InputError if the dataset cannot be read as a stream, and ServerError if the Hub stops answering.
    """
    from datasets import get_dataset_config_names, load_dataset

    with hub_dataset_errors(name, _CHECK):
        for config in get_dataset_config_names(name, revision=commit):
            splits = load_dataset(name, config, revision=commit, streaming=True)
            for split in splits.values():
                # Images and audio stay bytes, because only texts are compared.
                for row in split.decode(False):
                    yield "\n".join(texts_in(row))
