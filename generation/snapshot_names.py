"""The names of snapshots: a study's source files keep the names that people gave them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from nextset.folded_names import folded_name

__all__ = ["named_snapshots"]

_MOST = 60
"""The most characters of a name: no file system allows more than 255 bytes."""


def named_snapshots(files: Mapping[Path, bytes]) -> dict[str, bytes]:
    """Return the contents of ``files`` by the names of their snapshots, in their order.

    A file keeps its name. If several files have the same name, the names of their folders are put before it
    until all names differ: ``en-countries.yaml`` and ``de-countries.yaml``. The names differ on every file
    system, and consist only of letters, digits, dots, hyphens and underscores.
    """
    parts = {path: list(path.resolve().parts[1:]) for path in files}
    used = dict.fromkeys(files, 1)
    while True:
        names = {path: _name(parts[path][-n:]) for path, n in used.items()}
        number = Counter(map(folded_name, names.values()))
        longer = [p for p, name in names.items() if number[folded_name(name)] > 1 and used[p] < len(parts[p])]
        if not longer:
            break
        for path in longer:
            used[path] += 1
    snapshots: dict[str, bytes] = {}
    taken: set[str] = set()
    for path, raw in files.items():
        name, n = names[path], 2
        while folded_name(name) in taken:  # the same path in different characters, or a shortened name
            name = f"{n}-{names[path]}"
            n += 1
        taken.add(folded_name(name))
        snapshots[name] = raw
    return snapshots


def _name(parts: list[str]) -> str:
    name = re.sub(r"[^\w.-]", "_", unicodedata.normalize("NFC", "-".join(parts)))
    return name[-_MOST:].lstrip(".-") or "_"
