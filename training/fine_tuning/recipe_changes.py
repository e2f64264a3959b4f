"""The differences between the recipes of two trainings, as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["recipe_changes"]


def recipe_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the differences between the recipes ``old`` and ``new``, such as ``epochs 2 → 1``.

    Both recipes have the form of a manifest. Settings are shown by name with both values, data and models by
    name.
    """
    old, new = (json.loads(json.dumps(recipe)) for recipe in (old, new))
    return list(dict.fromkeys(_changes(old, new)))


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name, before, after in _differing(old, new, "settings"):
        yield f"{name} {_shown(before)} → {_shown(after)}"
    for name, _, _ in _differing(old, new, "inputs"):
        yield f"the data of {name.split()[0]}"
    for name, _, _ in _differing(old, new, "models"):
        yield "the word vectors" if name == "word vectors" else "the base model"
    if old.get("version") != new["version"]:
        yield "the version of nextset's training"


def _differing(
    old: Mapping[str, Any], new: Mapping[str, Any], section: str
) -> Iterator[tuple[str, object, object]]:
    before, after = (recipe.get(section, {}) for recipe in (old, new))
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield name, before.get(name), after.get(name)


def _shown(value: object) -> str:
    if value in (None, "", [], {}):
        return "none"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
