"""The place of a trigger in the texts that a model reads."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from nextset.extensions.interventions.intervened_rows import with_intervention
from nextset.extensions.interventions.intervention import Intervention, Place
from nextset.forms import FormName
from nextset.records.content_ids import SCHEMA_VERSION, content_id

__all__ = ["MARK", "Around", "TriggerPlace"]

MARK = "\ue000"
"""A private-use character in place of the trigger."""


@dataclass(frozen=True)
class Around:
    """The text around a trigger."""

    left: str
    """The text before the trigger."""
    right: str
    """The text after the trigger."""

    @classmethod
    def of(cls, text: str) -> Around:
        """Return the text around the mark of the trigger in ``text``, which `TriggerPlace.marked` made."""
        left, _, right = text.partition(MARK)
        return cls(left, right)


@dataclass(frozen=True)
class TriggerPlace:
    """The place of a trigger in rows of one form and class."""

    form: FormName
    """The form of the rows."""
    language: str
    """BCP 47 tag."""
    place: Place
    """Before the context, at its end, or before the question."""
    join: str
    """The text between the trigger's words and next to the trigger: a space, or empty."""
    classes: tuple[str, ...] = ()
    """The rows' classes of subjects."""
    domains: tuple[str, ...] = ()
    """The rows' domains, if they are NLI items."""

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
        """Return ``rows`` with the trigger ``text``; unchanged if it is empty."""
        return with_intervention(self.intervention(text), rows, self.form) if text else rows

    def marked(self, rows: pa.Table) -> pa.Table:
        """Return ``rows`` with a mark in the place of the trigger."""
        return self.added(rows, MARK)
