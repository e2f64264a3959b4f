"""Choice items written in the layout of BBQ, and published items as the lines that they were read from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.files.atomic_files import write_atomically
from nextset.published_choices.bbq_rows import OWN_ID, OWN_TARGET

__all__ = ["bbq_fields", "bbq_lines", "published_fields", "write_bbq"]

_STEP = 4096
_CONDITIONS = {"ambiguous": "ambig", "disambiguated": "disambig"}
_POLARITIES = {"negative": "neg", "non_negative": "nonneg"}
_LAYOUTS = ("additional_metadata", "stereotyped_groups")
"""The fields that lines of BBQ and EsBBQ have in addition to answer_info."""


def write_bbq(items: pa.Table, file: Path) -> None:
    """Write ``items``, a table of ChoiceItems, to ``file`` as JSON lines in the layout of BBQ."""
    write_atomically(file, "".join(bbq_lines(items)).encode())


def bbq_lines(items: pa.Table) -> Iterator[str]:
    """Yield a line of JSON for each of ``items``, as `bbq_fields` says, with its line break."""
    for start in range(0, items.num_rows, _STEP):
        for number, item in enumerate(items.slice(start, _STEP).to_pylist(), start):
            yield json.dumps(bbq_fields(item, number), ensure_ascii=False) + "\n"


def bbq_fields(item: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return the fields of ``item``, a row of a table of ChoiceItems, in the layout of BBQ.

    An item that was read from lines of BBQ, or of EsBBQ, has the fields of its line. For other items,
    ``number`` becomes the example_id, nextset_id has the item's own id, and nextset_target the place of the
    target, which the groups do not always show.
    """
    published = published_fields(item)
    if published is not None and "answer_info" in published and any(k in published for k in _LAYOUTS):
        return published
    options = item["options"]
    return {
        "example_id": number,
        "question_index": _index(item),
        "question_polarity": _POLARITIES[item["polarity"]],
        "context_condition": _CONDITIONS[item["condition"]],
        "category": item["category"],
        "answer_info": {
            f"ans{place}": [option["text"], "unknown" if place == item["unknown"] else option["group"]]
            for place, option in enumerate(options)
        },
        "additional_metadata": {
            "subcategory": item["subcategory"] or "None",
            "stereotyped_groups": list(item["target_groups"]),
            "version": item["template_version"] or "None",
            "source": item["source"] or "",
        },
        "context": item["context"],
        "question": item["question"],
        **{f"ans{place}": option["text"] for place, option in enumerate(options)},
        "label": item["label"],
        OWN_ID: item["id"],
        OWN_TARGET: item["target"],
    }


def published_fields(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields of the published row that ``item`` was read from, in any layout.

    It is None for the study's own items, and for an item whose options are no longer in the published order.
    """
    if item["published"] is None:
        return None
    fields: dict[str, Any] = json.loads(item["published"])
    if str(fields.get("label", item["label"])) != str(item["label"]):
        return None
    texts = {"context": item["context"], "question": item["question"]}
    if "choices" not in fields:
        texts |= {f"ans{place}": option["text"] for place, option in enumerate(item["options"])}
    return {**{name: text for name, text in texts.items() if name not in fields}, **fields}


def _index(item: Mapping[str, Any]) -> str:
    """Return the number of the template, or its name if it has none."""
    template, category = str(item["template_id"]), str(item["category"])
    number = template.removeprefix(f"{category}-")
    return number if number.isdigit() else template
