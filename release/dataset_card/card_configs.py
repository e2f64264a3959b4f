"""The configs of a dataset version, read from its Parquet files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.errors import ArtifactError
from nextset.records.class_labels import features_of
from nextset.release.forms.released_form import RELEASED
from nextset.release.version_folder.domain_configs import domain_configs
from nextset.release.version_folder.release_manifest import PublishedFile

__all__ = ["CardConfig", "CardSplit", "card_configs", "meaning_of_config"]

_ACCOMPANYING: Mapping[str, str] = {
    "judgments": "one row per unit and annotator; annotators have pseudonyms",
    "annotators": "one row per annotator: pseudonym and declared fields",
    "exposure": "number of items with stereotypes that annotators read",
    "scores": "scores of the filter models and the held-out models",
    "filter_rule": "the filter's rule",
    "survival": "number of candidates that each filter model found hard, by part",
    "accuracy": "accuracy of each model before and after the filter",
    "bias": "mean |C| of each model before and after the filter",
    "held_out_gap": "filter models and held-out models compared",
    "agreement": "agreement between annotators",
    "port_decisions": "the decision on each template of a set from another culture, and the shares of people",
    "withdrawn": "withdrawn items with the reasons",
    "duplicates": "duplicates within the version, and duplicates of rows of an earlier version",
    "contamination": "datasets and corpora that contain rows of this version",
    "pairs": "tokens other than the group that differ, and members missing from pairs and sets",
}
"""The content of each config that accompanies the main configs, by name."""


def meaning_of_config(name: str) -> str:
    """Return the content of the config ``name``, in a few words; empty for an unknown config."""
    main = {form.config: form.meaning for form in RELEASED}
    return main.get(name, "") or _ACCOMPANYING.get(name, "")


@dataclass(frozen=True)
class CardSplit:
    """A split of a config."""

    name: str
    """Its name, such as test."""
    rows: int
    bytes: int
    """The size of its rows in memory, as Arrow tables."""
    patterns: tuple[str, ...]
    """Its files' paths in the folder, as patterns."""


@dataclass(frozen=True)
class CardConfig:
    """A config: a table of the dataset, which `datasets` loads by its name."""

    name: str
    splits: tuple[CardSplit, ...]
    features: tuple[Mapping[str, Any], ...]
    """Its features as `dataset_info` lists them (`nextset.records.class_labels`)."""
    download: int
    """The size of its files, in bytes."""
    meaning: str
    """Its content."""
    default: bool = False
    """True if `datasets` loads it when no config is named."""

    @property
    def rows(self) -> int:
        """The rows of all splits."""
        return sum(split.rows for split in self.splits)

    @property
    def bytes(self) -> int:
        """The size of all splits in memory."""
        return sum(split.bytes for split in self.splits)


@dataclass(frozen=True)
class _Contents:
    """The contents of a Parquet file."""

    schema: pa.Schema
    rows: int
    bytes: int


def card_configs(
    folder: Path, files: Iterable[PublishedFile], main: Sequence[str], *, by_domain: bool = False
) -> tuple[CardConfig, ...]:
    """Return the configs of ``files`` in ``folder``: those of ``main`` first, the first of them the default.

    With ``by_domain``, each folder within the main configs' folders is a config too, named after the folder,
    or MAIN-FOLDER if that name is taken. The files are read once, one row group at a time. Raises
    ArtifactError for a damaged file.
    """
    by_config: dict[str, list[PublishedFile]] = {name: [] for name in main}
    for file in files:
        if file.config is not None:
            by_config.setdefault(file.config, []).append(file)
    files_of = {name: own for name, own in by_config.items() if own}
    contents = {file.path: _contents(folder / file.path) for own in files_of.values() for file in own}
    configs = [_config(contents, name, own, name in main[:1]) for name, own in files_of.items()]
    if not by_domain:
        return tuple(configs)
    for domain, (name, part, own) in domain_configs(files_of, main).items():
        meaning = f"the rows of {name} with the domain {part}"
        configs.append(_config(contents, domain, own, False, meaning))
    return tuple(configs)


def _config(
    contents: Mapping[str, _Contents],
    name: str,
    files: Sequence[PublishedFile],
    default: bool,
    meaning: str = "",
) -> CardConfig:
    splits: dict[str, list[str]] = {}
    for file in sorted(files, key=lambda f: f.path):
        splits.setdefault(file.split or "test", []).append(file.path)
    # test comes first, because readers look for it.
    ordered = sorted(splits, key=lambda split: (split != "test", split))
    return CardConfig(
        name,
        tuple(_split(split, splits[split], contents) for split in ordered),
        tuple(features_of(contents[min(file.path for file in files)].schema, {})),
        sum(file.bytes for file in files),
        meaning or meaning_of_config(name),
        default,
    )


def _split(name: str, paths: Sequence[str], contents: Mapping[str, _Contents]) -> CardSplit:
    patterns = sorted({f"{path.rpartition('/')[0]}/{name}-*.parquet" for path in paths})
    own = [contents[path] for path in paths]
    return CardSplit(name, sum(c.rows for c in own), sum(c.bytes for c in own), tuple(patterns))


def _contents(path: Path) -> _Contents:
    """Return the schema of a Parquet file, its rows, and their size in memory as `datasets` counts it."""
    from datasets import Features
    from datasets.table import table_cast

    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            groups = range(file.metadata.num_row_groups)
            # The cast adds the bits that mark nulls to each struct and each of its fields.
            shown = Features.from_arrow_schema(file.schema_arrow).arrow_schema
            size = sum(table_cast(file.read_row_group(group), shown).nbytes for group in groups)
            return _Contents(file.schema_arrow, file.metadata.num_rows, size)
    except (pa.ArrowException, OSError) as e:
        raise ArtifactError(
            f"{path} is missing or damaged: {' '.join(str(e).split())}",
            remedy="run `nextset release build STUDY`",
        ) from None
