"""The configs of domains, which consist of the folders within the main configs' folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nextset.release.version_folder.release_manifest import PublishedFile

__all__ = ["domain_configs"]


def domain_configs(
    files: Mapping[str, Sequence[PublishedFile]], main: Sequence[str]
) -> dict[str, tuple[str, str, list[PublishedFile]]]:
    """Return the configs of domains by name: the main config, its folder and the folder's files.

    ``files`` are the files of all configs, by config. A domain with the name of a config becomes MAIN-FOLDER,
    followed by underscores until the name is free.
    """
    domains: dict[str, tuple[str, str, list[PublishedFile]]] = {}
    for name in (n for n in main if n in files):
        for part, own in sorted(_by_folder(files[name]).items()):
            config = part if part not in files and part not in domains else f"{name}-{part}"
            while config in files or config in domains:
                config += "_"
            domains[config] = name, part, own
    return domains


def _by_folder(files: Iterable[PublishedFile]) -> dict[str, list[PublishedFile]]:
    """Return files such as data/items/gender/test-….parquet by the last folder, here gender."""
    folders: dict[str, list[PublishedFile]] = {}
    for file in files:
        parts = file.path.split("/")
        if len(parts) == 4:
            folders.setdefault(parts[2], []).append(file)
    return folders
