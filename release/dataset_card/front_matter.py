"""The YAML front matter of a dataset card, through huggingface_hub's card classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nextset.release.dataset_card.card_configs import CardConfig
from nextset.release.forms.released_form import released_form

__all__ = ["front_matter"]

_SIZES = (
    (1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)  # fmt: skip


def front_matter(
    *,
    name: str,
    version: str,
    languages: Iterable[str],
    license_: str,
    kinds: Iterable[str],
    rows: int,
    configs: Iterable[CardConfig],
) -> str:
    """Return the YAML of a card, without the lines that enclose it. Each text is put on one line.

    ``rows`` are the rows of the main configs. No licence is written if none was chosen.
    """
    from huggingface_hub import DatasetCardData

    tasks = [task for kind in kinds for task in released_form(kind).tasks]
    listed = list(configs)
    fields: dict[str, Any] = {
        "pretty_name": name,
        "language": list(languages),
        "license": license_ or None,
        "version": version,
        "task_categories": [category for category, _, _ in tasks],
        "task_ids": [task for _, task, _ in tasks],
        "size_categories": [next((size for limit, size in _SIZES if rows < limit), "n>10M")],
        "tags": ["bias", "stereotypes", *(tag for _, _, tag in tasks), "nextset"],
        "configs": [_config(config) for config in listed] or None,
        "dataset_info": [_info(config) for config in listed] or None,
    }
    data = DatasetCardData(**{key: _flat(value) for key, value in fields.items()})
    return str(data.to_yaml(original_order=list(fields)))


def _config(config: CardConfig) -> dict[str, Any]:
    """Return an entry of `configs`."""
    files = [
        {"split": split.name, "path": list(split.patterns) if len(split.patterns) > 1 else split.patterns[0]}
        for split in config.splits
    ]
    default = {"default": True} if config.default else {}
    return {"config_name": config.name, "data_files": files, **default}


def _info(config: CardConfig) -> dict[str, Any]:
    """Return an entry of `dataset_info`.

    `datasets` ignores all splits if one has no num_bytes. It checks only num_examples. It computes the sizes
    itself, and they differ by the bits that mark nulls.
    """
    return {
        "config_name": config.name,
        "features": [dict(feature) for feature in config.features],
        "splits": [
            {"name": split.name, "num_bytes": split.bytes, "num_examples": split.rows}
            for split in config.splits
        ],
        "download_size": config.download,
        "dataset_size": config.bytes,
    }


def _flat(value: Any) -> Any:
    """Return ``value`` with each text on one line, so that no line of it can end the front matter."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, Mapping):
        return {_flat(key): _flat(inner) for key, inner in value.items()}
    return [_flat(inner) for inner in value] if isinstance(value, list | tuple) else value
