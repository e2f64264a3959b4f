"""A language pack of one class, as small as it can be, written from what a test changes in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from nextset.generation.questions.pack import Pack, read_pack

__all__ = ["ATTRIBUTES", "acts", "mini_pack"]

SUBJECTS: Mapping[str, Any] = {"Mali": {}, "Peru": {}}
ATTRIBUTES: Mapping[str, Any] = {
    "thief": {"kind": "person", "source": "plain negative act", "forms": {"": "stole", "neg": "never stole"}}
}
QUESTION = {
    "takes": "person",
    "context": "[subj1] met [subj2].",
    "question": "Who [p_act]?",
    "negated": "Who [p_act:neg]?",
}


def mini_pack(
    folder: Path,
    language: str = "en",
    *,
    subjects: Mapping[str, Any] = SUBJECTS,
    attributes: Mapping[str, Any] = ATTRIBUTES,
    question: Mapping[str, str] | None = None,
    more_questions: Mapping[str, Mapping[str, str]] | None = None,
    statement: Mapping[str, str] | None = None,
    **head: object,
) -> Pack:
    """Write a pack into ``folder`` and read it; ``head`` are more keys of pack.yaml.

    ``question`` and ``statement`` change the texts of its template, ``more_questions`` are others.
    """
    classes = {"groups": {"subjects": ["groups"], "pairs": "all"}}
    templates: dict[str, Any] = {
        "format": 1,
        "class": "groups",
        "templates": {
            name: {**QUESTION, **written}
            for name, written in {"meeting": question or {}, **(more_questions or {})}.items()
        },
    }
    if statement is not None:
        masked = {"statement": "[mask] [p_act].", "negated": "[mask] [p_act:neg]."}
        templates["statements"] = {
            "meeting": {"takes": "person", "context": QUESTION["context"], **masked, **statement}
        }
    for name, content in {
        "pack.yaml": {"format": 1, "language": language, "classes": classes, **head},
        "subjects/groups.yaml": {"format": 1, "subjects": dict(subjects)},
        "attributes/acts.yaml": {"format": 1, "attributes": dict(attributes)},
        "templates/groups.yaml": templates,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = yaml.safe_dump(content, allow_unicode=True, sort_keys=False)
        (folder / name).write_text(text, encoding="utf-8")
    return read_pack(folder)


def acts(language_forms: Mapping[str, str], name: str = "act") -> dict[str, Any]:
    """Return one attribute with these forms."""
    return {name: {"kind": "person", "source": "plain negative act", "forms": dict(language_forms)}}
