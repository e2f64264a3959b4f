"""The layout of BBQ's items (Parrish et al. 2022): JSON lines, which most of its ports share."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from nextset.published_choices.choice_draft import ChoiceDraft
from nextset.published_choices.row_fields import RowFields
from nextset.published_choices.target_groups import crossed_group
from nextset.published_choices.unknown_wordings import unknown_place
from nextset.records.choice_items import MOST_OPTIONS, Condition, Cue, Polarity

__all__ = [
    "CONDITIONS",
    "FROM_ITEM",
    "OWN_ID",
    "OWN_TARGET",
    "POLARITIES",
    "answer_fields",
    "answer_infos",
    "bbq_draft",
    "fits_bbq",
]

CONDITIONS: Mapping[str, Condition] = {
    "ambig": "ambiguous",
    "disambig": "disambiguated",
    "ambiguous": "ambiguous",
    "disambiguated": "disambiguated",
    "disambiguous": "disambiguated",
}
"""The texts of context_condition in the published sets."""
POLARITIES: Mapping[str, Polarity] = {
    "neg": "negative",
    "nonneg": "non_negative",
    "non_neg": "non_negative",
    "non-neg": "non_negative",
}
"""The texts of question_polarity in the published sets."""
ANSWERS = tuple(f"ans{place}" for place in range(MOST_OPTIONS))
FROM_ITEM = frozenset({"context", "question", *ANSWERS})
"""The fields of a line that the item itself has."""
OWN_ID = "nextset_id"
"""The field with the id of an item that is not a published one, but a study's own."""
OWN_TARGET = "nextset_target"
"""The field with the place of the target of such an item; null if none of the options names it."""
_NUMBER = re.compile(r"[0-9]{1,9}")
_LAST_LABEL = 25
"""Templates with higher numbers have proper names, in the categories that are not crossed."""


def fits_bbq(columns: Collection[str]) -> bool:
    """Return True if rows with these ``columns`` have the layout of BBQ."""
    return {"answer_info", "additional_metadata", "question_polarity", "ans0", "label"} <= set(columns)


def bbq_draft(row: RowFields) -> ChoiceDraft:
    """Return the draft of ``row``; raises InputError for a value that BBQ's layout does not have."""
    fields = answer_fields(row)
    options = tuple(row.text(name) for name in fields)
    names, groups = answer_infos(row, fields)
    more = row.mapping("additional_metadata")
    category, index = row.text("category").strip(), row.text("question_index").strip()
    unknown = unknown_of(options, groups)
    return ChoiceDraft(
        language="",
        category=category,
        subcategory=named(more.get("subcategory")),
        template_id=f"{category}-{index}",
        template_version=named(more.get("version")),
        condition=row.one_of("context_condition", CONDITIONS),
        polarity=row.one_of("question_polarity", POLARITIES),
        context=row.text("context"),
        question=row.text("question"),
        options=options,
        names=names,
        groups=groups,
        label=row.place("label", len(options)),
        unknown=unknown,
        target=_stated_target(row, len(options)),
        states_target=OWN_TARGET in row.values,
        target_groups=row.texts(more.get("stereotyped_groups") or [], "stereotyped_groups"),
        cue=_cue(category, index, names, groups, unknown),
        source=named(more.get("source")) or None,
        source_id=None if OWN_ID in row.values else row.text("example_id"),
        row=row,
        texts=FROM_ITEM,
    )


def _stated_target(row: RowFields, options: int) -> int | None:
    return None if row.values.get(OWN_TARGET) is None else row.place(OWN_TARGET, options)


def answer_fields(row: RowFields) -> tuple[str, ...]:
    """Return the names ans0, ans1, … of the answers of ``row``; raises InputError for fewer than three."""
    if row.values.get(f"ans{MOST_OPTIONS}") is not None:
        row.refuse(f"the row has more than {MOST_OPTIONS} answers")
    fields = tuple(name for name in ANSWERS if row.values.get(name) is not None)
    if len(fields) < 3 or fields != ANSWERS[: len(fields)]:
        row.refuse(f"the row has the answers {', '.join(fields) or 'none'}, not ans0, ans1, ans2 and so on")
    return fields


def answer_infos(row: RowFields, fields: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts and the groups that answer_info has for the answers in ``fields``."""
    infos = row.mapping("answer_info")
    pairs = [row.texts(infos.get(name), f"answer_info.{name}", 2) for name in fields]
    return tuple(text.strip(" {}") for text, _ in pairs), tuple(group.strip() for _, group in pairs)


def unknown_of(options: Sequence[str], groups: Sequence[str]) -> int | None:
    """Return the place of the one answer with the group unknown, or else with a wording of it, or None."""
    places = [place for place, group in enumerate(groups) if group.casefold() == "unknown"]
    return places[0] if len(places) == 1 else unknown_place(options)


def named(value: Any) -> str:
    """Return a text of additional_metadata; BBQ writes None for an empty one."""
    return "" if value is None or str(value).strip() in ("None", "") else str(value).strip()


def _cue(category: str, index: str, names: Sequence[str], groups: Sequence[str], unknown: int | None) -> Cue:
    """Return the kind of the texts in ``names``: crossed categories number names and labels together."""
    if "_x_" not in category:
        return "name" if _NUMBER.fullmatch(index) and int(index) > _LAST_LABEL else "label"
    people = [place for place in range(len(names)) if place != unknown]
    labelled = any(crossed_group(groups[p]).rest in names[p].casefold() for p in people)
    return "label" if labelled else "name"
