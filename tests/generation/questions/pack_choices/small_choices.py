"""A small language pack with templates of choices, to change."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import yaml

__all__ = ["AGES", "KEYS", "WINDOW", "choice_pack"]

AGES: dict[str, Any] = {
    "grandfather": {"forms": {"a": "a grandfather", "the": "the grandfather"}, "cluster": "old"},
    "aunt": {"forms": {"a": "an aunt", "the": "the aunt"}, "cluster": "old"},
    "grandson": {"forms": {"a": "a grandson", "the": "the grandson"}, "cluster": "young"},
}
KEYS: dict[str, Any] = {
    "stereotype": "old people lose things",
    "source": "Made for the tests (2026)",
    "target": ["old"],
    "ambiguous": "At {{PLACE}}, [subj1:a] met [subj2:a].",
    "disambiguating": "[subj1:the] had lost the keys, and [subj2:the] found them.",
    "negative": "Who lost the keys?",
    "non_negative": "Who found the keys?",
    "options": "[subj1:the]",
    "words": {"PLACE": ["the library", "the market"]},
}
"""A template about a stereotype."""
WINDOW: dict[str, Any] = {
    "ambiguous": "[subj1:a] sat next to [subj2:a].",
    "disambiguating": "[subj1:the] sat by the window.",
    "question": "Who sat by the window?",
    "opposite": "Who did not sit by the window?",
    "options": "[subj1:the]",
}
"""A control."""


def choice_pack(
    folder: Path,
    *,
    head: dict[str, Any] | None = None,
    people: dict[str, dict[str, Any]] | None = None,
    file: dict[str, Any] | None = None,
    template: dict[str, Any] | None = None,
    templates: dict[str, Any] | None = None,
    controls: dict[str, Any] | None = None,
    unknown: list[str] | None = None,
) -> Path:
    """Write a pack into ``folder``: with ``template``, some keys of its template keys are changed.

    ``people`` are lists of subjects by name, ``file`` are keys of the file choice/age.yaml. A key with the
    value None is left out.
    """
    lists = people or {"ages": AGES}
    changed = {k: v for k, v in {**copy.deepcopy(KEYS), **(template or {})}.items() if v is not None}
    written = {
        "format": 1,
        "category": "age",
        "groups": {"subjects": list(lists)},
        "templates": templates or {"keys": changed},
        **({"controls": controls} if controls else {}),
        **(file or {}),
    }
    contents: dict[str, Any] = {
        "pack.yaml": {"format": 1, "language": "en", **(head or {})},
        "choice/age.yaml": {k: v for k, v in written.items() if v is not None},
        "choice/unknown.yaml": {"format": 1, "unknown": unknown or ["Cannot be known", "Not enough said"]},
        **{f"subjects/{name}.yaml": {"format": 1, "subjects": s} for name, s in lists.items()},
    }
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        plain = json.loads(json.dumps(content))  # no value is shared, so the file has no alias
        path.write_text(yaml.safe_dump(plain, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return folder
