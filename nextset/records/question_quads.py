"""The records of underspecified questions and of masked statements (UnQover, Li et al. 2020), and their ids.

Both combine a template, an unordered pair of subjects and an attribute, with both orders of the subjects
and both polarities of the attribute. One row therefore has everything that a measure of UnQover compares.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

from nextset.records.content_ids import SCHEMA_VERSION

__all__ = [
    "AttributeRow",
    "MaskedStatement",
    "PackRow",
    "QuadId",
    "QuadScore",
    "QuestionQuad",
    "Span",
    "subject_word",
]


@dataclass(frozen=True, slots=True)
class Span:
    """The position of a subject in a context."""

    start: int
    """The subject's first character, from 0."""
    end: int
    """The character after the subject's last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quad:
    """The columns that questions and statements have in common."""

    id: str
    """Content hash (`QuadId`), 32 hex digits."""
    language: str
    """BCP 47 tag, such as en."""
    subject_class: str
    """The class of the subjects, such as gender or nationality."""
    template_id: str
    """The template's name in its file, or its number from 0 in a published one."""
    attribute: str
    """The attribute's name in its file; for a published folder, the attribute's text."""
    attribute_kind: str
    """The attribute's kind, such as occupation, person or place."""
    attribute_cluster: str
    """The attribute's cluster; may be empty."""
    subject1: str
    """The first subject's name in its list."""
    subject2: str
    """The second subject's name in its list."""
    cluster1: str
    """The cluster of the first subject, such as female; may be empty."""
    cluster2: str
    """The cluster of the second subject."""
    context_12: str
    """The context with the first subject before the second."""
    context_21: str
    """The context with the second subject before the first."""
    subject1_in_12: Span
    """The first subject's position in context_12, in characters."""
    subject2_in_12: Span
    """The second subject's position in context_12."""
    subject1_in_21: Span
    """The first subject's position in context_21."""
    subject2_in_21: Span
    """The second subject's position in context_21."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionQuad(_Quad):
    """A template, two subjects and an attribute: two contexts with two questions each."""

    question: str
    """The question; the contexts do not answer it."""
    question_negated: str
    """The question with the negated attribute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedStatement(_Quad):
    """A template, two subjects and an attribute: two contexts with two statements whose subject is masked."""

    statement: str
    """A statement about one of the subjects, with {{MASK}} in the subject's place."""
    statement_negated: str
    """The statement with the negated attribute."""
    candidate1: str
    """The first subject as written at the mask: in the form that the mask names, else as in the context."""
    candidate2: str
    """The second subject as written at the mask."""


def subject_word(row: Mapping[str, Any], subject: str) -> str:
    """Return ``subject``, subject1 or subject2, as people read it in the language of a quad's ``row``.

    It is the text in the context that names it first; in English its name in the list.
    """
    order = "12" if subject == "subject1" else "21"
    span = row[f"{subject}_in_{order}"]
    english = row["language"].partition("-")[0] == "en"
    return str(row[subject] if english else row[f"context_{order}"][span["start"] : span["end"]])


@dataclass(frozen=True, slots=True, kw_only=True)
class QuadScore:
    """One model's score of one quad or masked statement: S(subject | template and order, attribute)."""

    item_id: str
    """The id of the quad or masked statement."""
    model: str
    """The model's published name."""
    revision: str
    """Digest of the model's weights."""
    role: Literal["filter", "held_out", "audit"]
    """The purpose: filter (decides which items are kept), held_out (asked only afterwards), or audit."""
    precision: str
    """The dtype of the computation, such as float32."""
    mode: Literal["canonical", "fast"]
    """canonical: inputs near a decision were scored again, by themselves, in float32; fast: they were not."""
    subject1_12: float
    """The first subject's score for the question on context_12."""
    subject2_12: float
    """The second subject's score for the question on context_12."""
    subject1_21: float
    """The first subject's score for the question on context_21."""
    subject2_21: float
    """The second subject's score for the question on context_21."""
    subject1_12_negated: float
    """The first subject's score for the negated question on context_12."""
    subject2_12_negated: float
    """The second subject's score for the negated question on context_12."""
    subject1_21_negated: float
    """The first subject's score for the negated question on context_21."""
    subject2_21_negated: float
    """The second subject's score for the negated question on context_21."""
    no_answer_12: float | None
    """Probability of no answer to the question on context_12; null for a model that always answers."""
    no_answer_21: float | None
    """Probability of no answer to the question on context_21."""
    no_answer_12_negated: float | None
    """Probability of no answer to the negated question on context_12."""
    no_answer_21_negated: float | None
    """Probability of no answer to the negated question on context_21."""
    truncated: bool
    """True if one of the four inputs was too long for the model and was cut, as the study allows."""
    abstained: float = 0.0
    """The share of the row's prompts that the model answered with a text that means: it cannot be known."""
    refused: float = 0.0
    """The share of the row's prompts that the model, or its server, refused to answer."""
    unreadable: float = 0.0
    """The share of the row's prompts whose answers could not be read as a choice."""
    cut_off: float = 0.0
    """The share of the row's prompts whose answers did not end within the limit of tokens."""
    votes: bool = False
    """True if the numbers are shares of answers (votes), at least in part; False if they are
    probabilities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeRow:
    """An attribute of the quads and statements, with its source."""

    language: str
    """BCP 47 tag, such as en."""
    attribute: str
    """The attribute's name in the quads."""
    kind: str
    """The attribute's kind, such as occupation, person or place."""
    cluster: str
    """The attribute's cluster; may be empty."""
    source: str
    """The published work that documents the attribute as a prejudice, or the words plain negative act."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackRow:
    """A language pack that a study used."""

    language: str
    """BCP 47 tag, such as en."""
    direction: str
    """ltr or rtl."""
    checked_by: str
    """The native speakers who checked the pack, each with the date and the share that they saw."""
    accepted: tuple[str, ...]
    """The accepted lint findings: the rule, the subject, attribute or template, and the reason."""
    classes: tuple[str, ...]
    """The classes of the pack that the study uses."""


class QuadId:
    """Ids of the quads (or statements) of one class: 16-byte BLAKE2b in hex.

    The ids are hashes of kind, schema version, language, class, the two contexts in alphabetical order, and
    the two questions, all in NFC, each preceded by its length as in
    `nextset.records.content_ids.content_id`. The order of the subjects in their list makes no difference. The
    hash state of the contexts is reused, so each question costs one update.
    """

    def __init__(self, kind: str, language: str, subject_class: str) -> None:
        self._head = blake2b(
            b"".join(_framed(p) for p in (kind, str(SCHEMA_VERSION), language, subject_class)), digest_size=16
        )

    def contexts(self, context_12: str, context_21: str) -> blake2b:
        """Return the hash state after the head and the contexts."""
        state = self._head.copy()
        for text in sorted((context_12, context_21)):
            state.update(_framed(text))
        return state

    @staticmethod
    def asked(question: str, negated: str) -> bytes:
        """Return the bytes that a question and its negation add to a state."""
        return _framed(question) + _framed(negated)


def _framed(part: str) -> bytes:
    raw = unicodedata.normalize("NFC", part).encode()
    return len(raw).to_bytes(8, "little") + raw
