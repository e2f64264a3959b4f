"""Tasks for the annotation tool Potato: a data file, its configuration, and the guidelines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from nextset.files.atomic_files import write_atomically
from nextset.records.short_repr import short_repr
from nextset.study.stereotype_sentences import SENTENCE_COLUMNS
from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.guidelines_html import html_of
from nextset.validation.annotator_pages.label_studio_xml import Option
from nextset.validation.annotator_pages.page_form import ChoiceBlock
from nextset.validation.annotator_pages.tasks import opposite_if_unstated, tasks

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
    folder: Path, briefing: Briefing, rows: Sequence[Mapping[str, Any]], *, premise: bool = False
) -> PotatoFiles:
    """Write potato.yaml, items.jsonl and guidelines.html into ``folder``, for potato-annotation 2.

    Potato has no sessions, budgets or coverage: it assigns items by itself. Raises JudgmentError, before
    anything is written, if a text cannot be shown.
    """
    opposite = opposite_if_unstated(briefing, rows)
    made = tasks(briefing.form, rows, premise=premise, opposite=opposite)
    files = PotatoFiles(folder / "potato.yaml", folder / "items.jsonl", folder / "guidelines.html", len(made))
    lines = [json.dumps(_item(task["data"], briefing.form.judged_texts[0])) + "\n" for task in made]
    write_atomically(files.guidelines, html_of(briefing.guidelines).encode())
    write_atomically(files.data, "".join(lines).encode())
    config = yaml.safe_dump(
        _config(briefing, premise, opposite is not None), sort_keys=False, allow_unicode=True
    )
    write_atomically(files.config, config.encode())
    return files


def _item(data: Mapping[str, str], judged: str) -> dict[str, str]:
    """Return the item with the same appearance, but without tags.

    Potato 2.12 inserts items into a script of its page as they are, so the end tag of a script would end that
    script. The character after ``<`` decides whether it begins a tag, so U+2060, which has no width, is
    inserted there.
    """
    texts = {"text": data[judged], **data}
    return {name: text.replace("<", "<\u2060") for name, text in texts.items()}


def _config(briefing: Briefing, premise: bool, sentences: bool) -> dict[str, Any]:
    heads = briefing.wording.headings
    titles = {
        "stereotype": briefing.form.about_heading(heads),
        "pro_sentence": heads.stereotype,
        "anti_sentence": heads.opposite,
        "group1": heads.groups,
        "group2": heads.groups,
        "domain": heads.domain,
        "premise": heads.premise,
        "hypothesis": heads.sentence,
        "context": heads.context,
        "question": heads.question,
        "options": briefing.wording.choice_items.options,
        "right_answer": briefing.wording.choice_items.right,
        "question_negated": heads.question_negated,
    }
    shown = [name for name in briefing.form.fields(premise=premise) if name != "unit_id"]
    if sentences:  # in place of the stereotype's name
        at = shown.index("stereotype")
        shown[at : at + 1] = SENTENCE_COLUMNS
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
            "fields": [{"key": name, "type": "text", "label": titles.get(name, name)} for name in shown]
        },
        "annotation_schemes": [
            *map(_radio, briefing.form.blocks(briefing.wording)),
            _comment(briefing),
        ],
    }


def _radio(block: ChoiceBlock) -> dict[str, Any]:
    """Return the scheme of a block of choices; the reasons have no hints and need no answer."""
    reasons = block.name == "reason"
    scheme: dict[str, Any] = {
        "annotation_type": "radio",
        "name": block.name,
        "description": block.ask,
        "labels": [_label(option, hint=not reasons) for option in block.options],
    }
    if not reasons:
        scheme["label_requirement"] = {"required": True}
    if block.after:
        shown_when = {"schema": block.after, "operator": "equals", "value": list(block.when)}
        scheme["display_logic"] = {"show_when": [shown_when]}
    return scheme


def _label(option: Option, *, hint: bool) -> dict[str, str]:
    label = {"name": option.alias, "displayed_label": option.label}
    return {**label, **({"tooltip": option.hint} if hint else {}), "key_value": option.key}


def _comment(briefing: Briefing) -> dict[str, Any]:
    return {"annotation_type": "text", "name": "comment", "description": briefing.wording.headings.comment}
