"""nextset's English pack as an example for other packs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nextset.errors import WordListError
from nextset.files.yaml_reader import read_yaml
from nextset.generation.slots import CASES
from nextset.word_lists import FOLDER

__all__ = ["english_attributes", "english_form", "english_subjects", "english_template"]

_AGREEMENT = CASES | {"m", "f", "n", "c", "sg"}
"""Features that English words do not have."""
_LIKE = {"nationality": "religion"}
"""The class whose templates replace those that a class lacks."""


@cache
def _file(folder: str, name: str, key: str) -> Mapping[str, Any]:
    file = FOLDER / "en" / folder / f"{name}.yaml"
    return read_yaml(file, WordListError).data.get(key, {}) if file.is_file() else {}


def english_subjects(listed: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the entries of the English list ``listed`` by name; empty if there is no such list."""
    return _file("subjects", listed, "subjects")


@cache
def english_attributes() -> Mapping[str, Mapping[str, Any]]:
    """Return the entries of all English attributes by name."""
    files = sorted((FOLDER / "en" / "attributes").glob("*.yaml"))
    return {
        name: entry for file in files for name, entry in _file("attributes", file.stem, "attributes").items()
    }


def english_form(forms: Mapping[str, str], key: str, name: str = "") -> str:
    """Return the English form nearest to ``key``: the one with most of its features and no others.

    If ``forms`` has no base form, ``name`` is the base form.
    """
    wanted = set(key.split(".")) - _AGREEMENT
    fitting = [k for k in forms if set(filter(None, k.split("."))) <= wanted]
    best = max(fitting, key=lambda k: len(k.split(".")) if k else 0, default=None)
    return name if best is None else forms[best]


def english_template(of_class: str, section: str, name: str, key: str) -> str:
    """Return the text ``key`` of an English template, or of a different template of its class.

    ``section`` is templates or statements. Empty if the class has none.
    """
    own = _file("templates", of_class, section)
    if name in own:
        return str(own[name].get(key, ""))
    like = _file("templates", _LIKE.get(of_class, ""), section)
    if name in like:
        return (
            str(like[name].get(key, "")).replace("[subj1]", "[subj1:dem]").replace("[subj2]", "[subj2:dem]")
        )
    return str(next((entry.get(key, "") for entry in own.values()), ""))
