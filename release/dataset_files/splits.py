"""The split and the domain folder of each released row."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from nextset.release.forms.released_form import released_form
from nextset.release.source_rows import Kind
from nextset.release.version_folder.dataset_folder import Place, config_name

__all__ = ["CONTROLS", "TEST", "domain_folders", "placed"]

TEST = "test"
"""The split with the rows that measure bias, and the only split of other tables."""
CONTROLS = "controls"
"""The split with NLI test items, whose labels are known."""


_RESERVED = "default"
"""`datasets` treats a config with this name as the default, and refuses a dataset with two defaults."""


def domain_folders(kind: Kind, domains: list[str]) -> dict[str, str]:
    """Return the name of each domain's folder and config; as paths must, names differ in more than case."""
    taken: set[str] = {kind, _RESERVED}
    folders = {}
    for domain in sorted(set(domains)):
        name = config_name(domain)
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        folders[domain] = name
    return folders


def placed(kind: Kind, table: pa.Table, folders: dict[str, str] | None) -> Iterator[tuple[Place, pa.Table]]:
    """Yield the rows of ``table`` by split, and by domain if ``folders`` names a folder for each.

    For questions and statements, the domain is the class of subjects.
    """
    form = released_form(kind)
    domains = table[form.part]
    controls = pc.equal(table["stance_design"], "test") if form.has_items else None
    for split in (TEST, CONTROLS):
        if controls is None and split == CONTROLS:
            continue
        here = table
        if controls is not None:
            here = table.filter(controls if split == CONTROLS else pc.invert(controls))
        if folders is None:
            yield Place(kind, split), here
            continue
        parts = domains if controls is None else here["domain"]
        for domain, folder in folders.items():
            yield Place(kind, split, folder), here.filter(pc.equal(parts, domain))
