"""Published items on the Hugging Face Hub: the files of one revision of a dataset."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import InputError
from nextset.hub_dataset_errors import hub_dataset_errors
from nextset.published_choices.published_rows import SUFFIXES

__all__ = ["HubPlace", "hub_folder", "hub_place"]

_PREFIX = "hub:"
_PLACE = re.compile(r"(?P<name>[\w.-]{1,96}/[\w.-]{1,96})@(?P<revision>[\w./+-]{1,200})", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_CHECK = "check the entry in choices.items"


@dataclass(frozen=True, slots=True)
class HubPlace:
    """A revision of a dataset on the Hub."""

    name: str
    """ORG/NAME."""
    revision: str
    """A tag, a branch or a commit."""


def hub_place(entry: str) -> HubPlace | None:
    """Return the dataset that ``entry`` names, such as hub:ORG/NAME@REVISION; None for a path.

    Raises InputError if what follows hub: has another form.
    """
    if not entry.startswith(_PREFIX):
        return None
    match = _PLACE.fullmatch(entry.removeprefix(_PREFIX))
    if match is None or ".." in entry:
        raise InputError(
            f"{entry[:120]!r} does not name a revision of a dataset on the Hub",
            remedy="write hub:ORG/NAME@REVISION, with a tag, a branch or a commit",
        )
    return HubPlace(match["name"], match["revision"])


def hub_folder(place: HubPlace) -> tuple[str, Path]:
    """Return the commit of ``place`` and the folder with its tables, after a download if need be.

    Raises InputError for a dataset or revision that does not exist, ServerError if the Hub does not answer.
    """
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    with hub_dataset_errors(place.name, _CHECK):
        commit = place.revision
        if not _COMMIT.fullmatch(commit):
            commit = str(HfApi().dataset_info(place.name, revision=place.revision).sha)
        disable_progress_bars()  # nextset shows its own progress
        folder = snapshot_download(
            place.name,
            repo_type="dataset",
            revision=commit,
            allow_patterns=[f"*{suffix}" for suffix in SUFFIXES],
        )
    return commit, Path(folder)
