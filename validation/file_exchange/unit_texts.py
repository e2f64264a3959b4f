"""The check that a judgment in a file belongs to the text of its unit_id."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from nextset.files.spreadsheet_cells import plain_text
from nextset.validation.annotator_pages.page_form import PageForm
from nextset.validation.annotator_pages.tasks import task

__all__ = ["foreign_text", "missing_texts"]

_MAY_DIFFER = ("unit_id", "domain")
"""The fields that can change without making it a different unit."""


def foreign_text(form: PageForm, written: Mapping[str, Any], unit: Mapping[str, Any]) -> str:
    """Return the first field of ``written`` that differs from ``unit``; empty if there is none.

    ``written`` is a row of a table, or the data of a task. Missing and empty fields are ignored, as are
    differences in white space, in forms of accents, and in an apostrophe before a text that looks like a
    formula.
    """
    for name, text in task(form, unit).items():
        value = written.get(name)
        comparable = name in unit and name not in _MAY_DIFFER and isinstance(value, str) and value.strip()
        if comparable and _plain(str(value)) != _plain(text):
            return name
    return ""


def missing_texts(form: PageForm, written: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the judged texts that ``written`` lacks: without them a wrong unit_id may go unnoticed."""
    return tuple(name for name in form.judged_texts if not written.get(name))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(plain_text(text).split()).removeprefix("'"))
