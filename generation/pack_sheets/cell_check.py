"""The check of a text that came back in a sheet, before it enters a pack."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.yaml_reader import LocatedYaml
from nextset.generation.pack_sheets.pack_cells import PackCell
from nextset.generation.questions.pack_text_check import Place
from nextset.generation.questions.slots import SlotError, parse

__all__ = ["CheckedText", "checked_text"]

MAX_CHARACTERS = 2_000
"""No text of a pack is longer."""
_SLOTS = {
    "context": ("subj1", "subj2"),
    "question": ("p_act", "l_act"),
    "statement": ("mask", "p_act", "l_act"),
    "negated": ("mask", "p_act", "l_act"),
}
"""The slots that a template's text may have."""


@dataclass(frozen=True)
class CheckedText:
    """A text for a cell."""

    text: str
    """In NFC, without spaces around it."""
    normalised: bool
    """Whether the sheet had it in another form than NFC."""
    problem: str
    """Why the pack cannot have it; empty if it can."""


def checked_text(cell: PackCell, written: str) -> CheckedText:
    """Return what ``written`` in a sheet is for ``cell``."""
    stripped = written.strip(" \t\r\n")
    text = unicodedata.normalize("NFC", stripped)
    return CheckedText(text, text != stripped, _problem(cell, text) if text else "")


def _problem(cell: PackCell, text: str) -> str:
    if len(text) > MAX_CHARACTERS:
        return f"{len(text):,} characters, more than the {MAX_CHARACTERS:,} of a text"
    if any("\ud800" <= c <= "\udfff" or unicodedata.category(c) == "Cn" for c in text):
        return "a character that Unicode does not have; write it anew"
    place = Place(Path(), LocatedYaml({}, {}, {}), ())
    try:
        place.text(text)
        if cell.kind in ("subject", "attribute"):
            place.forms({"": text}, frozenset(), answers=cell.kind == "subject")
        elif cell.kind == "template":
            parse(text)
            return _slots_problem(cell, text)
    except SlotError as e:
        return f"{e}; see docs/language_packs.md for the slots"
    except WordListError as e:
        return f"{e.message}; {e.remedy}"
    return ""


def _slots_problem(cell: PackCell, text: str) -> str:
    """Return whether a slot is missing; the pack's reader checks the rest."""
    present = {p.name for p in parse(text) if hasattr(p, "name")}
    if foreign := sorted(present - set(_SLOTS[cell.form])):
        return f"[{foreign[0]}] does not belong in the {cell.form}"
    if cell.form == "context" and present != {"subj1", "subj2"}:
        return "the context names [subj1] and [subj2]; keep both in square brackets"
    if cell.form != "context" and not present & {"p_act", "l_act"}:
        return "the attribute's slot is missing; keep [p_act] in square brackets, as in the example"
    return ""
