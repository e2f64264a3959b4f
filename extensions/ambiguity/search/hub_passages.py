"""Collections of passages on the Hugging Face Hub, downloaded to the cache of `datasets` and read there."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import InputError
from nextset.extensions.ambiguity.passages import LocatedPassage
from nextset.extensions.ambiguity.search.passage_rows import passage_columns, passage_of
from nextset.extensions.ambiguity.settings.retrieval_settings import PassageSettings
from nextset.hub_dataset_errors import hub_dataset_errors
from nextset.records.content_ids import content_id
from nextset.records.media_columns import without_media

__all__ = ["HubCollection"]

_COMMIT = re.compile(r"[0-9a-f]{40}")
_KEY = "ambiguity.retrieval.passages"
_CHECK = f"check the name in {_KEY}.source"
_BATCH = 1000


@dataclass(frozen=True)
class HubCollection:
    """A dataset on the Hub; its splits are read one after the other."""

    name: str
    """The dataset's id, ORG/NAME."""
    revision: str
    """A commit, a tag or a branch."""
    settings: PassageSettings
    """The config and the columns to read."""

    @property
    def digest(self) -> str:
        """Digest of the commit, the config and the columns; raises InputError, ServerError."""
        chosen = self.settings
        columns = [chosen.id or "", chosen.title, chosen.text, chosen.group or ""]
        return content_id("hub passages", self.name, self._commit, chosen.config or "", *columns)

    @property
    def place(self) -> Path | str:
        """The name of the dataset."""
        return self.name

    @functools.cached_property
    def _commit(self) -> str:
        if _COMMIT.fullmatch(self.revision):
            return self.revision
        from huggingface_hub import HfApi

        with hub_dataset_errors(self.name, _CHECK):
            return str(HfApi().dataset_info(self.name, revision=self.revision).sha)

    def check_unchanged(self) -> None:
        """Do nothing, because a commit does not change."""

    def passages(self) -> Iterator[LocatedPassage]:
        """Yield the passages, after a download if the dataset is not on this machine.

        Raises InputError for a dataset or a row that cannot be read, ServerError if the Hub does not answer.
        """
        number = 0
        for name, split in self._splits().items():
            place = f"{self.name}@{self.revision} ({name})"
            columns = passage_columns(self.settings, split.column_names, place)
            for row, values in enumerate(_rows(split), 1):
                yield LocatedPassage(passage_of(values, columns, number, place, row), place, row)
                number += 1

    def _splits(self) -> dict[str, Any]:
        import datasets

        with hub_dataset_errors(self.name, _CHECK):
            datasets.disable_progress_bars()  # nextset shows its own progress
            configs = datasets.get_dataset_config_names(self.name, revision=self._commit)
            if self.settings.config not in (None, *configs) or (
                not self.settings.config and len(configs) > 1
            ):
                raise InputError(
                    f"{self.name} on the Hub has the configs {', '.join(configs)[:300]}",
                    remedy=f"write {_KEY}.config: NAME with one of these configs",
                )
            config = self.settings.config or configs[0]
            splits = datasets.load_dataset(self.name, config, revision=self._commit)
            return {name: without_media(split) for name, split in splits.items()}


def _rows(split: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a split; class numbers become class names."""
    named = {name: f.int2str for name, f in split.features.items() if hasattr(f, "int2str")}
    for batch in split.iter(_BATCH):
        for i in range(len(next(iter(batch.values()), ()))):
            row = {name: values[i] for name, values in batch.items()}
            yield {
                name: named[name](value) if name in named and isinstance(value, int) and value >= 0 else value
                for name, value in row.items()
            }
