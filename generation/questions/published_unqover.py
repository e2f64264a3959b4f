"""The reader of UnQover's published word lists: nouns/subjects/, activities/, slots/ and fillers/.

A class is a file slots/NAME_noact (questions) and slots/NAME_noact_lm (masked statements). Its subjects are
in nouns/subjects/NAME, its attributes in activities/biased_NAME; gender pairs the lists female and male and
takes activities/occupation_rev1.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from nextset.errors import WordListError
from nextset.forms import FormName
from nextset.generation.questions.context_spans import with_distinct_templates
from nextset.generation.questions.form_lookup import UnresolvedTemplate, check_subjects, resolve
from nextset.generation.questions.pack import Pack
from nextset.generation.questions.published_unqover_lines import Reader, Row
from nextset.generation.questions.question_set import (
    Attribute,
    Pairing,
    QuestionSet,
    SetTemplate,
    Subject,
)
from nextset.generation.slots import Features, features
from nextset.generation.sound_rules.english_articles import articles_by_letter, articles_by_sound
from nextset.generation.sound_rules.text_edits import SoundRule

__all__ = ["is_published", "read_published"]

SOURCE = "UnQover's word lists (Li et al. 2020)"
_KINDS = {"p_act": "person", "l_act": "place"}


def is_published(folder: Path) -> bool:
    """Return whether ``folder`` has the layout of UnQover's word lists."""
    return (folder / "slots").is_dir() and (folder / "nouns" / "subjects").is_dir()


def read_published(
    folder: Path, language: str, *, prefix: str = "", masked_for: str = "", as_published: bool = False
) -> Pack:
    """Read the word lists in ``folder``.

    ``prefix`` names a file in fillers/. With ``masked_for``, the statements take the subjects listed for that
    model (NAME_roberta). ``as_published`` keeps every quirk of the published generator and its lists;
    otherwise those in docs/reference/published_corrections.md are corrected.
    Raises WordListError with file, line and remedy.
    """
    reader = Reader(folder, correct=not as_published)
    start = ""
    if prefix:
        (line,) = reader.lines(folder / "fillers" / prefix, most=1)
        start = line.text + ("  " if as_published else " ")
    rules: tuple[SoundRule, ...] = ()
    if language.split("-")[0] == "en":
        rules = (articles_by_letter,) if as_published else (articles_by_sound,)
    names = sorted(p.name.removesuffix("_noact") for p in (folder / "slots").glob("*_noact"))
    if not names:
        raise WordListError(
            "the folder has no file slots/NAME_noact",
            file=folder,
            remedy="name a folder with at least one class of questions",
        )
    sets = []
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", name):
            raise WordListError(
                f"{name!r} is not a valid class name", file=folder / "slots", remedy="use letters and digits"
            )
        attributes = _attributes(reader, name)
        forms: tuple[tuple[FormName, str, str], ...] = (
            ("question", "", "_noact"), ("statement", f"_{masked_for}" if masked_for else "", "_noact_lm"),
        )  # fmt: skip
        for form, suffix, ending in forms:
            slots = folder / "slots" / f"{name}{ending}"
            if form == "statement" and not os.path.lexists(slots):
                continue
            lists, pairs = _lists(reader, name, suffix)
            check_subjects(lists, pairs)
            subjects = tuple(tuple(listed) for _, listed in lists)
            templates: list[SetTemplate] = []
            for template in _unresolved(reader, slots, form):
                templates += resolve(template, subjects, attributes, rules, anywhere=True)
            questions = QuestionSet(
                slots,
                language,
                name,
                form,
                subjects,
                pairs,
                tuple(templates),
                rules,
                start,
                rules_anywhere=True,
            )
            sets.append(with_distinct_templates(questions))
    return Pack(language, "ltr", (), "", (), tuple(sets), tuple(reader.files))


def _lists(reader: Reader, name: str, suffix: str) -> tuple[list[tuple[Path, list[Subject]]], Pairing]:
    listed = ("female", "male") if name == "gender" else (name,)
    return [_subjects(reader, n + suffix) for n in listed], "across" if name == "gender" else "all"


def _subjects(reader: Reader, name: str) -> tuple[Path, list[Subject]]:
    file = reader.folder / "nouns" / "subjects" / name
    rows = reader.table(file, "[subj]")
    subjects = []
    for row in rows:
        forms = {_form(head, "subj"): text for head, text in row.texts.items()}
        subjects.append(Subject(row.texts["[subj]"], row.cluster, "", forms, file, row.line))
    return file, subjects


def _attributes(reader: Reader, name: str) -> dict[str, list[Attribute]]:
    file = reader.folder / "activities" / ("occupation_rev1" if name == "gender" else f"biased_{name}")
    attributes = {}
    for act, kind in _KINDS.items():
        base = f"[{act}]"
        rows = reader.table(file, base, optional=True)
        for row in rows:
            _check_negated(file, row)
        if rows:
            attributes[kind] = [
                Attribute(
                    row.texts[base],
                    kind,
                    row.cluster,
                    SOURCE,
                    {_form(head, act): text for head, text in row.texts.items()},
                    file,
                    row.line,
                )
                for row in rows
            ]
    return attributes


def _check_negated(file: Path, row: Row) -> None:
    for head in row.texts:
        negated = f"{head[:-1]}:neg]"
        if not head.endswith(":neg]") and negated not in row.texts:
            raise WordListError(
                f"{head} has no negation", file=file, line=row.line,
                remedy=f"add the same number of {negated} lines, in the same order",
            )  # fmt: skip


def _form(head: str, slot: str) -> Features:
    """Return the form of a line's head: [p_act-single:neg] is {single, neg}."""
    return features(head[1 + len(slot) : -1].lstrip("-:").replace(":", "."))


def _unresolved(reader: Reader, file: Path, form: FormName) -> Iterator[UnresolvedTemplate]:
    for i, line in enumerate(reader.lines(file)):
        parts = [part.strip() for part in line.text.split("\t")]
        if len(parts) != 3 or not all(parts):
            raise WordListError(
                f"{line.text[:60]!r} does not have three parts with text", file=file, line=line.number,
                remedy="write context, question and negated question, separated by tabs",
            )  # fmt: skip
        context, text, negated = (
            part.replace("_act-single:", "_act:single.").replace("_act-single]", "_act:single]")
            for part in parts
        )
        takes = "place" if "[l_act" in text else "person"
        yield UnresolvedTemplate(
            str(i), takes, context, text, negated, form == "statement", file, line.number
        )
