"""The texts of quads and masked statements, as their language packs make them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nextset.forms import FormName
from nextset.generation.questions.context_spans import candidate, render_context
from nextset.generation.questions.question_set import AttributeTexts, QuestionSet, SetTemplate, Subject

__all__ = ["PackTexts"]

Row = Mapping[str, Any]


@dataclass(frozen=True)
class _Class:
    """A class of a pack in one form, by the names in rows."""

    questions: QuestionSet
    subjects: Mapping[str, Subject]
    templates: Mapping[str, SetTemplate]
    texts: Mapping[tuple[str, str], AttributeTexts]
    """The texts of a template with an attribute."""


class PackTexts:
    """The texts of rows, rendered again from language packs."""

    def __init__(self, sets: Iterable[QuestionSet]) -> None:
        self._classes = {(s.language, s.name, s.form): _class(s) for s in sets}

    def contexts(self, row: Row) -> dict[str, Any] | str:
        """Return the contexts, spans and candidates of ``row`` by column, or a reason as a string.

        The reason is that the packs do not have the row's class, its template or one of its subjects.
        """
        subject_class = self._class(row)
        if isinstance(subject_class, str):
            return subject_class
        template = subject_class.templates[row["template_id"]]
        first, second = subject_class.subjects[row["subject1"]], subject_class.subjects[row["subject2"]]
        one = render_context(subject_class.questions, template, first, second)
        two = render_context(subject_class.questions, template, second, first)
        spans = {
            "subject1_in_12": one.first,
            "subject2_in_12": one.second,
            "subject1_in_21": two.second,
            "subject2_in_21": two.first,
        }
        texts = {"context_12": one.text, "context_21": two.text}
        if "candidate1" in row:
            texts |= {"candidate1": candidate(template, first), "candidate2": candidate(template, second)}
        return {**texts, **{name: {"start": s.start, "end": s.end} for name, s in spans.items()}}

    def asked(self, row: Row) -> dict[str, str] | str:
        """Return the question or statement of ``row`` and its negation by column, or a reason as a string."""
        subject_class = self._class(row)
        if isinstance(subject_class, str):
            return subject_class
        texts = subject_class.texts.get((str(row["template_id"]), str(row["attribute"])))
        if texts is None:
            return f"the language pack has no attribute {row['attribute']!r} for the template"
        form = _form(row)
        return {form: texts.text, f"{form}_negated": texts.negated}

    def _class(self, row: Row) -> _Class | str:
        subject_class = self._classes.get((row["language"], row["subject_class"], _form(row)))
        if subject_class is None:
            return f"no language pack of the study has the class {row['subject_class']!r}"
        if row["template_id"] not in subject_class.templates:
            return f"the language pack has no template {row['template_id']!r}"
        for name in ("subject1", "subject2"):
            if row[name] not in subject_class.subjects:
                return f"the language pack has no subject {row[name]!r}"
        return subject_class


def _form(row: Row) -> FormName:
    return "question" if "question" in row else "statement"


def _class(questions: QuestionSet) -> _Class:
    return _Class(
        questions,
        {s.name: s for listed in questions.subjects for s in listed},
        {t.id: t for t in questions.templates},
        {(t.id, a.attribute.name): a for t in questions.templates for a in t.by_attribute},
    )
