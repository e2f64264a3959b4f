"""The check of a text from a filled-in sheet, before it enters a pack."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.yaml_reader import LocatedYaml
from nextset.generation.pack_sheets.pack_cells import PackCell
from nextset.generation.questions.pack_text_check import Place
from nextset.generation.slots import Run, Slot, SlotError, parse

__all__ = ["CheckedText", "checked_text", "doubt"]

MAX_CHARACTERS = 2_000
"""The most characters of a text in a pack."""
_ERROR_VALUE = re.compile(r"#[A-Z0-9/_]+[?!]?")
"""The values that spreadsheets show for failed formulas: #NAME?, #REF!, #N/A."""
_LOST = re.compile(r"\?{2,}|\ufffd")
"""Characters that programs write for letters that they cannot encode."""


@dataclass(frozen=True)
class CheckedText:
    """A text for a cell."""

    text: str
    """The text in NFC, without spaces around it."""
    normalised: bool
    """True if the text in the sheet was not in NFC."""
    problem: str
    """The reason why the pack cannot have the text; empty if it can."""


def checked_text(cell: PackCell, written: str) -> CheckedText:
    """Return the text ``written`` in a sheet, checked for ``cell``."""
    stripped = written.strip(" \t\r\n")
    text = unicodedata.normalize("NFC", stripped)
    return CheckedText(text, text != stripped, _problem(cell, text) if text else "")


def doubt(text: str) -> str:
    """Return why a person should look at ``text`` again; empty if there is no reason."""
    if _LOST.search(text):
        return f"has {_LOST.findall(text)[0]!r} in {text[:60]!r}: were letters lost?"
    if " / " in text:
        return f"has ' / ' in {text[:60]!r}: write only the text that people say"
    return ""


def _problem(cell: PackCell, text: str) -> str:
    if text.startswith("=") or _ERROR_VALUE.fullmatch(text):
        return f"{text[:40]!r} is a spreadsheet's formula or error value, not a text; write the words"
    if any(c in text for c in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"):
        return f"the cell has a line break, in {text[:60]!r}; write one line with one text"
    if len(text) > MAX_CHARACTERS:
        return f"the text has {len(text):,} characters, more than {MAX_CHARACTERS:,}; shorten it"
    if any("\ud800" <= c <= "\udfff" or unicodedata.category(c) == "Cn" for c in text):
        return "the text has a character that is not in Unicode; write the text again"
    place = Place(Path(), LocatedYaml({}, {}, {}), ())
    try:
        place.text(text)
        if cell.kind in ("subject", "attribute"):
            place.forms({"": text}, frozenset(), answers=cell.kind == "subject")
        elif cell.kind == "template":
            parse(text)
            return _slots_problem(cell, text)
    except SlotError as e:
        return f"{e}; see docs/reference/language_packs.md for the slots"
    except WordListError as e:
        return f"{e.message}; {e.remedy}"
    return ""


def _slots_problem(cell: PackCell, text: str) -> str:
    """Return the problem with the slots of one text; `slot_problems` compares them with the pack."""
    pieces = parse(text)
    names = [p.name for p in pieces if isinstance(p, Slot)]
    runs = [p for p in pieces if isinstance(p, Run)]
    if cell.form == "context":
        return _context_problem(names)
    masked = cell.at[0] == "statements"
    if foreign := next((n for n in names if n not in ("p_act", "l_act", *(("mask",) if masked else ()))), ""):
        return f"[{foreign}] does not belong in this text"
    acts = [p for p in pieces if isinstance(p, Slot) and p.name != "mask"]
    if not acts:
        return "the attribute's slot is missing; keep [p_act] in square brackets, as in the example"
    if masked and "mask" not in names:
        return "[mask] is missing; keep it in square brackets, as in the example"
    if twice := next((n for n in names if names.count(n) > 1 or len(acts) > 1), ""):
        return f"[{twice}] is repeated, or is not the only one; keep one, as in the example"
    denied = "neg" in (acts[0].features or ())
    if denied != (cell.form == "negated"):
        name = acts[0].name
        return (
            f"the {cell.form} has [{name}:neg]; write [{name}]"
            if denied
            else f"the negated text has [{name}] without its negation; write [{name}:neg]"
        )
    if runs and not masked:
        return "the question depends on the pair's gender; write a question that fits every pair"
    if any(run.subject for run in runs):
        return "the text depends on a subject's gender; use [subj1.g?…] only in contexts"
    return ""


def _context_problem(names: list[str]) -> str:
    if foreign := next((n for n in names if n not in ("subj1", "subj2")), ""):
        return f"[{foreign}] does not belong in the context"
    if sorted(names) != ["subj1", "subj2"]:
        return "the context needs [subj1] and [subj2] once each; keep both in square brackets"
    if names != ["subj1", "subj2"]:
        return "[subj2] comes before [subj1]; call the first subject [subj1]"
    return ""
