"""The NLI items that can be asked as yes/no questions: those with a question."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["WITHOUT_QUESTION", "items_with_questions"]

WITHOUT_QUESTION = "items without a question, dropped"
"""The name of the count of items that are not asked in the form qa."""


def items_with_questions(items: pa.Table) -> pa.Table:
    """Return the rows of ``items``, NLI items with the column question, whose question is not empty."""
    return items.filter(pc.not_equal(pc.utf8_trim_whitespace(items["question"]), ""))
