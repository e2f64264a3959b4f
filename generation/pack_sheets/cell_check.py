"""The check of a text that came back in a sheet, before it enters a pack."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.yaml_reader import LocatedYaml
from nextset.generation.pack_sheets.pack_cells import PackCell
from nextset.generation.questions.pack_text_check import Place
from nextset.generation.questions.slots import Run, Slot, SlotError, parse

__all__ = ["CheckedText", "checked_text", "doubt"]

MAX_CHARACTERS = 2_000
"""No text of a pack is longer."""
_ERROR_VALUE = re.compile(r"#[A-Z0-9/_]+[?!]?")
"""What a spreadsheet shows for a formula that fails: #NAME?, #REF!, #N/A."""
_LOST = re.compile(r"\?{2,}|\ufffd")
"""What programs write for letters that they cannot."""


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


def doubt(text: str) -> str:
    """Return why a person should look at ``text`` again; empty if nothing speaks against it."""
    if _LOST.search(text):
        return f"has {_LOST.findall(text)[0]!r} in {text[:60]!r}: did letters get lost?"
    if " / " in text:
        return f"has ' / ' in {text[:60]!r}: write one text, the one that people say"
    return ""


def _problem(cell: PackCell, text: str) -> str:
    if text.startswith("=") or _ERROR_VALUE.fullmatch(text):
        return f"{text[:40]!r} is a spreadsheet's formula or error value, not a text; write the words"
    if any(c in text for c in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"):
        return f"a line break in the cell, in {text[:60]!r}; write one line with one text"
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
    """Return what is wrong with the slots of one text; `slot_problems` compares it with the pack."""
    pieces = parse(text)
    names = [p.name for p in pieces if isinstance(p, Slot)]
    runs = [p for p in pieces if isinstance(p, Run)]
    if cell.form == "context":
        return _context_problem(names)
    masked = cell.at[0] == "statements"
    if foreign := next((n for n in names if n not in ("p_act", "l_act", *(("mask",) if masked else ()))), ""):
        return f"[{foreign}] does not belong in the {cell.form}"
    acts = [p for p in pieces if isinstance(p, Slot) and p.name != "mask"]
    if not acts:
        return "the attribute's slot is missing; keep [p_act] in square brackets, as in the example"
    if masked and "mask" not in names:
        return "[mask] is missing; keep it in square brackets, as in the example"
    if twice := next((n for n in names if names.count(n) > 1 or len(acts) > 1), ""):
        return f"[{twice}] stands there twice or beside another; keep one, as in the example"
    denied = "neg" in (acts[0].features or ())
    if denied != (cell.form == "negated"):
        name = acts[0].name
        return (
            f"the {cell.form} has [{name}:neg]; write [{name}]"
            if denied
            else f"the negated text has [{name}] without its negation; write [{name}:neg]"
        )
    if runs and not masked:
        return "the question agrees with a gender; write one that fits every pair"
    if any(run.subject for run in runs):
        return f"the {cell.form} agrees with one subject; [subj1.g?…] belongs in contexts only"
    return ""


def _context_problem(names: list[str]) -> str:
    if foreign := next((n for n in names if n not in ("subj1", "subj2")), ""):
        return f"[{foreign}] does not belong in the context"
    if sorted(names) != ["subj1", "subj2"]:
        return "the context names [subj1] and [subj2] once each; keep both in square brackets"
    if names != ["subj1", "subj2"]:
        return "[subj2] comes before [subj1]; call the first one [subj1]"
    return ""
