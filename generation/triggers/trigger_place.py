"""The place of a trigger in the texts that a model reads."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from nextset.records.content_ids import SCHEMA_VERSION, content_id
from nextset.records.intervention import Intervention, Place
from nextset.scoring.intervened_rows import with_intervention
from nextset.scoring.scorer_protocol import Form

__all__ = ["MARK", "Around", "TriggerPlace"]

MARK = "\ue000"
"""A character of private use, which stands for the trigger."""


@dataclass(frozen=True)
class Around:
    """A text that holds a trigger, without it."""

    left: str
    """The text before it."""
    right: str
    """The text behind it."""

    @classmethod
    def of(cls, text: str) -> Around:
        """Return what stands around the trigger in ``text``, which `TriggerPlace.marked` made."""
        left, _, right = text.partition(MARK)
        return cls(left, right)


@dataclass(frozen=True)
class TriggerPlace:
    """Where a trigger stands in rows of one form and class."""

    form: Form
    """The form of the rows."""
    language: str
    """BCP 47 tag."""
    place: Place
    """Before the context, at its end, or before the question."""
    join: str
    """What stands between its words, and between it and the text beside it: a space, or nothing."""
    classes: tuple[str, ...] = ()
    """The classes of subjects of its rows."""
    domains: tuple[str, ...] = ()
    """The domains of its rows, if they are NLI items."""

    def intervention(self, text: str, name: str = "", source: str = "") -> Intervention:
        """Return the trigger ``text`` as an intervention."""
        return Intervention(
            id=content_id("intervention", str(SCHEMA_VERSION), self.language, "trigger", self.place, text),
            language=self.language,
            kind="trigger",
            name=name,
            text=text,
            place=self.place,
            join=self.join,
            classes=self.classes,
            attribute_clusters=(),
            domains=self.domains,
            source=source,
            held_out=False,
        )

    def added(self, rows: pa.Table, text: str) -> pa.Table:
        """Return ``rows`` with the trigger ``text``; with an empty one as they are."""
        return with_intervention(self.intervention(text), rows, self.form) if text else rows

    def marked(self, rows: pa.Table) -> pa.Table:
        """Return ``rows`` with a mark in the place of the trigger."""
        return self.added(rows, MARK)
