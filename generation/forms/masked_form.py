"""The part of a form whose rows can have masks: its masked sentences, and the rows that filled ones make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import pyarrow as pa

from nextset.artifacts.build import PartResult
from nextset.open_table import OpenTable
from nextset.study.study_folder import Study

__all__ = ["MASKED_FORMS", "MaskedForm"]


class MaskedForm(Protocol):
    """A form whose masks the stage fill fills.

    Models, constraints, drops and fluency see only masked sentences: rows in the schema of
    `nextset.records.nli_items.MaskedItem` with the masks in ``hypothesis``. Sentences with the same
    ``set_id`` take the same words, and are one prompt.
    """

    name: str
    """The form's name in `nextset.forms.FORMS`."""
    table: str
    """The table of the filled rows in out/fill."""
    takes_opposites: bool
    """True if a fill against the claim of its template makes a row of the opposite stance; else it is
    dropped."""
    marks_fills: bool
    """True if fill.marks and fill.meaning mark the filled rows."""

    def has_masks(self, study: Study, /) -> bool:
        """Return True if the stage generate of ``study`` makes rows with masks; raises InputErrors."""

    def sentences(self, masked: pa.Table, /) -> pa.Table:
        """Return the sentences of ``masked``, rows of the form with open masks, in their order."""

    def distinct(self, sentences: pa.Table, /) -> pa.Table:
        """Return filled sentences, rows of NliItem, without those that make the same row as another."""

    def filled(self, sentences: pa.Table, masked: pa.Table, /) -> PartResult:
        """Return the filled rows of ``masked``, from its filled sentences, with counts.

        ``sentences`` are rows of NliItem whose parent_id is the id of a masked sentence.
        """

    def list_digests(self, masked: pa.Table, /) -> Mapping[str, str]:
        """Return the digests of the lists that the masks of ``masked`` name, if `generate` records none."""


MASKED_FORMS: OpenTable[MaskedForm] = OpenTable("nextset.forms.generation", "form with masks")
"""The parts by the names of their forms."""
