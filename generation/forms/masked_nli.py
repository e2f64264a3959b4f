"""Masked hypotheses: each is its own sentence, and a filled one is an item."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from nextset.artifacts.build import PartResult
from nextset.forms import NLI
from nextset.study.item_tables import with_ids
from nextset.study.study_folder import Study

__all__ = ["MASKED_NLI", "MaskedNli"]


class MaskedNli:
    """Masked hypotheses of template files."""

    name = NLI.name
    table = NLI.generated
    takes_opposites = True
    marks_fills = True

    def has_masks(self, study: Study) -> bool:
        """Return True if the study has templates."""
        return bool(study.settings.templates)

    def sentences(self, masked: pa.Table) -> pa.Table:
        """Return the hypotheses as they are."""
        return masked

    def distinct(self, sentences: pa.Table) -> pa.Table:
        """Return the filled hypotheses with their ids; those with the same text are one item."""
        return with_ids(sentences)

    def filled(self, sentences: pa.Table, masked: pa.Table) -> PartResult:
        """Return the filled hypotheses as they are."""
        return PartResult(sentences)

    def list_digests(self, masked: pa.Table) -> Mapping[str, str]:
        """Return none: `generate` records the words of the lists that template files name."""
        return {}


MASKED_NLI = MaskedNli()
"""The part for NLI items."""
