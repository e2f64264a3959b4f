"""The open table of forms in validation, and the protocol of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.forms import FormName
from nextset.open_table import OpenTable
from nextset.records.content_ids import JudgedUnit
from nextset.validation.annotator_pages.page_form import PageForm
from nextset.validation.plan.gold import GoldForm

__all__ = ["VALIDATED_FORMS", "ValidatedForm", "judged_form"]


class ValidatedForm(PageForm, GoldForm, Protocol):
    """The treatment of one form of rows: its units, its page, the answers to it, and its gold items."""

    @property
    def noun(self) -> str:
        """The name of the units in the report, in the plural, such as hypotheses."""

    @property
    def singular(self) -> str:
        """The name of a unit in the report, such as hypothesis."""

    @property
    def checks(self) -> tuple[str, ...]:
        """The yes/no checks that make the verdict; empty if annotators give the verdict and a stance."""

    @property
    def checked_by_rule(self) -> bool:
        """True if the stage validate runs even without an annotation session: a rule checks the units."""

    @property
    def classified(self) -> bool:
        """True if the filter's models are NLI classifiers, whose features predict verdicts."""

    @property
    def feature_texts(self) -> tuple[str, str]:
        """The two columns of a unit that an NLI classifier reads for the features."""

    def judging(self, unit: JudgedUnit) -> ValidatedForm:
        """Return the treatment with this unit; it decides every unit_id."""

    def units(self, kept: pa.Table, models: int, templates: Callable[[], Mapping[str, str]]) -> pa.Table:
        """Return the units of the rows that the filter kept, ordered by unit_id.

        ``models`` is the number of models that the filter asked. ``templates`` returns the text with
        placeholders by template_id. The columns are at least unit_id, language, domain, stereotype, group1,
        group2, disagreement and missed (floats in [0, 1], or null), template, and those of `fields`.
        """

    def count_units(self, kept: Artifact) -> int:
        """Return the number of units in the table kept of the filter's artifact, as fast as possible."""

    def units_of_rows(self, rows: pa.Table) -> Sequence[str | None]:
        """Return the unit_id of each row that the filter kept; None for rows that are not judged."""

    def row_texts(self, unit: Mapping[str, Any], *, premise: bool) -> tuple[str, ...]:
        """Return the texts of a unit for the report, which shows units with split votes."""


VALIDATED_FORMS: OpenTable[ValidatedForm] = OpenTable("nextset.forms.validation", "form of judged rows")
"""The forms that people can judge, by the name of the form."""


def judged_form(form: FormName, unit: JudgedUnit) -> ValidatedForm:
    """Return the treatment of ``form`` in a study with the setting ``validate.unit``."""
    return VALIDATED_FORMS[form].judging(unit)
