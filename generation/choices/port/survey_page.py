"""The page on which people say which group a stereotype is about, or that they do not know it."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import Field

from nextset.counted import per_cent_text
from nextset.errors import StudyError
from nextset.files.spreadsheet_cells import neutralised
from nextset.files.yaml_model import HandWritten, read_model
from nextset.generation.choices.port.ported_templates import MadeTemplate
from nextset.generation.choices.port.stereotype_survey import NONE, SURVEY_COLUMNS, stereotype_key
from nextset.html.page import page
from nextset.records.port_decisions import PortDecision

__all__ = ["SurveyQuestion", "SurveyTexts", "render_survey", "survey_questions", "survey_texts"]

_FOLDER = Path(__file__).parent


class SurveyTexts(HandWritten):
    """The texts of the page in one language."""

    title: str
    warning: str
    """The content warning."""
    about: str
    """The purpose of the survey, and what becomes of the answers."""
    begin: str
    ask: str
    """The question under a stereotype."""
    nobody: str
    """The answer of a person who knows no such stereotype."""
    skip: str
    next: str
    progress: str
    """The text with the numbers {done} and {all}."""
    save: str
    thanks: str
    stop: str
    """The note that people can stop at any time, and that their answers so far count."""


class _File(HandWritten):
    languages: dict[str, SurveyTexts] = Field(min_length=1)


@dataclass(frozen=True)
class SurveyQuestion:
    """A stereotype that people are asked about."""

    language: str
    """BCP 47 tag of the stereotype and the groups."""
    category: str
    stereotype: str
    groups: tuple[str, ...]
    """The groups to choose from, in alphabetical order: those of the category's options and stereotypes."""


@functools.cache
def survey_texts(language: str) -> tuple[str, SurveyTexts]:
    """Return the texts for ``language`` with their language; the English ones if there are no others."""
    content, _ = read_model(_FOLDER / "survey_texts.yaml", _File, StudyError)
    tag = language.partition("-")[0]
    chosen = tag if tag in content.languages else "en"
    return chosen, content.languages[chosen]


def survey_questions(
    templates: Iterable[MadeTemplate], decisions: Iterable[PortDecision]
) -> list[SurveyQuestion]:
    """Return a question for each stereotype of the templates that nobody has decided to remove."""
    removed = {(d.category, d.template_id) for d in decisions if d.decision == "removed"}
    asked = [template for template in templates if template.key not in removed and template.stereotype]
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for template in asked:
        groups.setdefault((template.language, template.key[0]), {}).update(
            dict.fromkeys((*template.groups, *template.target_groups))
        )
    questions = {
        stereotype_key(t.key[0], t.stereotype): SurveyQuestion(
            t.language, t.key[0], t.stereotype, tuple(sorted(groups[t.language, t.key[0]]))
        )
        for t in reversed(asked)
    }
    return list(reversed(questions.values()))


def render_survey(study: str, questions: Sequence[SurveyQuestion]) -> str:
    """Return the page as HTML; it sends nothing, and saves the answers as a CSV file with `SURVEY_COLUMNS`.

    The page's language is that of the first question. The questions come in an order of their own for each
    person. The same questions give the same bytes.
    """
    language, texts = survey_texts(questions[0].language if questions else "en")
    data = {
        "questions": [asdict(question) for question in questions],
        "columns": list(SURVEY_COLUMNS),
        "none": NONE,
        "progress": texts.progress,
        "cells": _cells(questions),
        "file": f"{study}-answers.csv",
        "key": hashlib.sha256(json.dumps([asdict(q) for q in questions]).encode()).hexdigest()[:16],
    }
    return page(
        _FOLDER / "survey.html.j2",
        per_cent_text,
        scripts=[_FOLDER / "survey.js"],
        styles=[_FOLDER / "survey.css"],
        warning=texts.warning,
        language=language,
        texts=texts,
        data=json.dumps(data, ensure_ascii=False),
    )


def _cells(questions: Sequence[SurveyQuestion]) -> list[tuple[str, str]]:
    """Return the texts that are written otherwise in a sheet, and how."""
    texts = {text for q in questions for text in (q.category, q.stereotype, *q.groups)}
    return [(text, cell) for text in sorted(texts) if (cell := neutralised(text)) != text]
