"""The rows with masks that the stage generate made, by form, and their masked sentences."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.forms import FORMS, FormName
from nextset.generation.forms.masked_form import MASKED_FORMS, MaskedForm

__all__ = ["MaskedRows", "all_sentences", "masked_rows"]


@dataclass(frozen=True)
class MaskedRows:
    """The masked rows of a form."""

    part: MaskedForm
    """The form's part."""
    rows: pa.Table
    """The rows with masks, in the form's own schema."""
    sentences: pa.Table
    """Their masked sentences, in the schema of MaskedItem."""


def masked_rows(generated: Artifact) -> dict[FormName, MaskedRows]:
    """Return the masked rows in the artifact of the stage generate, by form, NLI items first."""
    by_form = {}
    for form in sorted(FORMS, key=lambda form: not form.counterparts):
        if form.masked and form.name in MASKED_FORMS and form.masked in generated.tables:
            part, rows = MASKED_FORMS[form.name], generated.table(form.masked)
            by_form[form.name] = MaskedRows(part, rows, part.sentences(rows))
    return by_form


def all_sentences(generated: Artifact) -> pa.Table:
    """Return the masked sentences of all forms in the artifact of the stage generate."""
    return pa.concat_tables([of_form.sentences for of_form in masked_rows(generated).values()])
