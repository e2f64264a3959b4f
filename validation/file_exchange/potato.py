"""Tasks for the annotation tool Potato: a data file, its configuration, and the guidelines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from nextset.files.atomic_files import write_atomically
from nextset.records.short_repr import short_repr
from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.guidelines_html import html_of
from nextset.validation.annotator_pages.tasks import fields, tasks
from nextset.validation.judgment_choices import (
    DECLINED,
    QUESTION_BLOCKS,
    QUESTION_KEYS,
    QUESTION_REASONS,
    REASON_KEYS,
    REASONS,
    STANCE_KEYS,
    STANCES,
    VERDICT_KEYS,
    VERDICTS,
    YES_NO,
)

__all__ = ["PotatoFiles", "write_potato"]


@short_repr
@dataclass(frozen=True)
class PotatoFiles:
    """The files that were written for Potato."""

    config: Path
    """The configuration, for `potato start potato.yaml`."""
    data: Path
    """The items, one JSON object per line."""
    guidelines: Path
    """The guidelines, as HTML, which Potato shows next to the items."""
    n_tasks: int
    """The number of items."""


def write_potato(
    folder: Path, briefing: Briefing, rows: Iterable[Mapping[str, Any]], *, premise: bool = False
) -> PotatoFiles:
    """Write potato.yaml, items.jsonl and guidelines.html into ``folder``, for potato-annotation 2.

    Potato has no sessions, budgets or coverage: it assigns items by itself. Raises JudgmentError, before
    anything is written, if a text cannot be shown.
    """
    made = tasks(briefing.kind, rows, premise=premise)
    files = PotatoFiles(folder / "potato.yaml", folder / "items.jsonl", folder / "guidelines.html", len(made))
    lines = [json.dumps(_item(task["data"])) + "\n" for task in made]
    write_atomically(files.guidelines, html_of(briefing.guidelines).encode())
    write_atomically(files.data, "".join(lines).encode())
    config = yaml.safe_dump(_config(briefing, premise), sort_keys=False, allow_unicode=True)
    write_atomically(files.config, config.encode())
    return files


def _item(data: Mapping[str, str]) -> dict[str, str]:
    """Return the item with the same appearance, but without tags.

    Potato 2.12 inserts items into a script of its page as they are, so the end tag of a script would end that
    script. The character after ``<`` decides whether it begins a tag, so U+2060, which has no width, is
    inserted there.
    """
    texts = {"text": data.get("hypothesis") or data["context"], **data}
    return {name: text.replace("<", "<\u2060") for name, text in texts.items()}


def _config(briefing: Briefing, premise: bool) -> dict[str, Any]:
    heads = briefing.wording.headings
    titles = {
        "stereotype": heads.stereotype if briefing.kind == "nli" else heads.attribute,
        "group1": heads.groups,
        "group2": heads.groups,
        "domain": heads.domain,
        "premise": heads.premise,
        "hypothesis": heads.sentence,
        "context": heads.context,
        "question": heads.question,
        "question_negated": heads.question_negated,
    }
    shown = [name for name in fields(briefing.kind, premise=premise) if name != "unit_id"]
    return {
        "annotation_task_name": briefing.wording.titles.work,
        "task_dir": ".",
        "output_annotation_dir": "annotations",
        "export_annotation_format": "jsonl",
        "data_files": ["items.jsonl"],
        "item_properties": {"id_key": "unit_id", "text_key": "text"},
        "annotation_instructions": html_of(briefing.guidelines),
        "require_password": False,
        # Direction marks end with the field, and nothing is read as HTML.
        "instance_display": {
            "fields": [{"key": name, "type": "text", "label": titles[name]} for name in shown]
        },
        "annotation_schemes": [
            *(_sentence(briefing) if briefing.kind == "nli" else _question(briefing)),
            _comment(briefing),
        ],
    }


def _sentence(briefing: Briefing) -> list[dict[str, Any]]:
    words = briefing.wording
    wrong = ["invalid", "incoherent"]
    return [
        _radio(
            "verdict", words.headings.verdict, _labels(words.choices, (*VERDICTS, DECLINED), VERDICT_KEYS)
        ),
        _radio(
            "stance",
            words.headings.stance,
            _labels(words.choices, STANCES, STANCE_KEYS),
            "verdict",
            ["valid"],
        ),
        _reason(briefing, REASONS, words.reasons, "verdict", wrong),
    ]


def _question(briefing: Briefing) -> list[dict[str, Any]]:
    words = briefing.wording
    first = QUESTION_BLOCKS[0]
    made = []
    for block in QUESTION_BLOCKS:
        ask = getattr(words.questions, block)
        labels = _labels(ask, YES_NO, QUESTION_KEYS[block])
        if block == first:
            labels += _labels(words.choices, (DECLINED,), QUESTION_KEYS[block])
            made.append(_radio(block, ask.ask, labels))
        else:
            made.append(_radio(block, ask.ask, labels, first, list(YES_NO)))
    return [*made, _reason(briefing, QUESTION_REASONS, words.questions.reasons, first, list(YES_NO))]


def _labels(words: object, names: Iterable[str], keys: Mapping[str, str]) -> list[dict[str, str]]:
    made = []
    for name in names:
        label = getattr(words, name)
        made.append(
            {"name": name, "displayed_label": label.label, "tooltip": label.hint, "key_value": keys[name]}
        )
    return made


def _radio(
    name: str, ask: str, labels: list[dict[str, str]], after: str = "", when: list[str] | None = None
) -> dict[str, Any]:
    scheme: dict[str, Any] = {
        "annotation_type": "radio",
        "name": name,
        "description": ask,
        "labels": labels,
        "label_requirement": {"required": True},
    }
    if after:
        scheme["display_logic"] = {"show_when": [{"schema": after, "operator": "equals", "value": when}]}
    return scheme


def _reason(
    briefing: Briefing, names: tuple[str, ...], words: object, after: str, when: list[str]
) -> dict[str, Any]:
    labels = [
        {"name": name, "displayed_label": getattr(words, name), "key_value": key}
        for name, key in zip(names, REASON_KEYS, strict=False)
    ]
    scheme = _radio("reason", briefing.wording.headings.reason, labels, after, when)
    del scheme["label_requirement"]
    return scheme


def _comment(briefing: Briefing) -> dict[str, Any]:
    return {"annotation_type": "text", "name": "comment", "description": briefing.wording.headings.comment}
