"""Tasks made from units, gold items and rest items, with only the fields that annotators may see."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.files.atomic_files import write_atomically
from nextset.records.content_ids import content_id
from nextset.records.short_repr import short_repr
from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.annotator_pages.page_form import PageForm
from nextset.validation.annotator_pages.page_wording import Wording
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.judgments.unsafe_text import check_texts

__all__ = [
    "TaskFiles",
    "opposite_if_unstated",
    "rest_items",
    "task",
    "tasks",
    "votes_text",
    "write_tasks",
]


@short_repr
@dataclass(frozen=True)
class TaskFiles:
    """The files written for Label Studio."""

    tasks: Path
    """The tasks, as JSON, to import."""
    config: Path
    """The labelling configuration, as XML, to paste into the project's settings."""
    guidelines: Path
    """The guidelines, which annotators read first."""
    n_tasks: int
    """The number of tasks, one per unit."""


def opposite_if_unstated(briefing: Briefing, rows: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the text for an opposite that is not stated as a sentence; None if none of ``rows`` states one.

    If one row states its stereotype as a sentence, the page shows the stereotype and its opposite for all.
    """
    stated = any(row.get("pro_sentence") for row in rows)
    return briefing.wording.choices.anti.hint if stated else None


def task(
    form: PageForm,
    row: Mapping[str, Any],
    *,
    premise: bool = False,
    votes: str | None = None,
    opposite: str | None = None,
) -> dict[str, str]:
    """Return the data of an item's task; ``row`` has the columns of a unit, and others that are not shown.

    People judge blind: the task has no stance, no prediction, and no sign whether it is a gold item.
    ``votes`` are earlier judgments to show, for adjudication. With ``opposite``, the task also has the
    stereotype and its opposite as sentences: the row's, or else the stereotype's name and ``opposite``.
    """
    data = {name: str(row.get(name) or "–") for name in form.fields(premise=premise)}
    if opposite is not None:
        data["pro_sentence"] = str(row.get("pro_sentence") or data["stereotype"])
        data["anti_sentence"] = str(row.get("anti_sentence") or opposite)
    return data if votes is None else {**data, "votes": votes}


def tasks(
    form: PageForm,
    rows: Iterable[Mapping[str, Any]],
    *,
    premise: bool = False,
    votes: Mapping[str, str] | None = None,
    opposite: str | None = None,
) -> list[dict[str, Any]]:
    """Return one task per row, as Label Studio imports them, with earlier ``votes`` by unit_id.

    ``opposite`` is as in `task`. Raises JudgmentError if a text cannot be shown.
    """
    made = [
        task(
            form,
            row,
            premise=premise,
            votes=None if votes is None else votes.get(row["unit_id"], ""),
            opposite=opposite,
        )
        for row in rows
    ]
    check_texts(made)
    return [{"data": data} for data in made]


def write_tasks(
    path: Path, briefing: Briefing, rows: Sequence[Mapping[str, Any]], *, premise: bool = False
) -> TaskFiles:
    """Write ``path``, labelling_config.xml and guidelines.md; the same units give the same bytes.

    Raises JudgmentError, as `tasks` does, before anything is written.
    """
    opposite = opposite_if_unstated(briefing, rows)
    made = tasks(briefing.form, rows, premise=premise, opposite=opposite)
    files = TaskFiles(path, path.parent / "labelling_config.xml", path.parent / "guidelines.md", len(made))
    write_atomically(files.guidelines, briefing.guidelines.encode())
    write_atomically(
        files.config,
        labelling_config(briefing, premise=premise, sentences=opposite is not None).encode(),
    )
    # ASCII only, so that direction marks cannot reorder the text of the file in an editor.
    write_atomically(files.tasks, (json.dumps(made, indent=1, ensure_ascii=True) + "\n").encode())
    return files


def rest_items(briefing: Briefing) -> list[dict[str, str]]:
    """Return the rest items in the study's language, with the columns of a unit."""
    made: list[dict[str, str]] = []
    for topic in briefing.wording.rest:
        group1, group2 = topic.groups
        about = {"stereotype": topic.stereotype, "group1": group1, "group2": group2, "domain": topic.domain}
        texts = briefing.form.rest_texts(topic, briefing.wording)
        items = (_known("rest", briefing, {**about, **text}) for text in texts)
        made.extend(
            {**item, "pro_sentence": topic.stereotype, "anti_sentence": topic.opposite or ""}
            for item in items
        )
    return made


def votes_text(wording: Wording, votes: Sequence[Entry]) -> str:
    """Return earlier judgments of a unit in the page's wording, one per line, the most frequent first.

    They do not show who gave them.
    """
    given = Counter(_vote(wording, vote) for vote in votes)
    return "\n".join(f"{answer} × {n}" for answer, n in sorted(given.items(), key=lambda g: (-g[1], g[0])))


def _vote(wording: Wording, vote: Entry) -> str:
    if vote.verdict is None:
        return wording.choices.declined.label
    labels = [getattr(wording.choices, vote.verdict).label]
    if vote.stance_judged:
        labels.append(getattr(wording.choices, vote.stance_judged).label)
    return ", ".join(labels)


def _known(what: str, briefing: Briefing, texts: Mapping[str, str]) -> dict[str, str]:
    language = briefing.wording.language
    return {"unit_id": content_id(what, language, *texts.values()), "language": language, **texts}
