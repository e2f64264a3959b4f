"""The records of a probe: the typed texts, and the answers of each model."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.forms import FormName
from nextset.html.notebook_html import notebook_block, notebook_line, notebook_table
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.records.short_repr import short_repr

__all__ = [
    "AnswerProbe",
    "PairAnswer",
    "PairProbe",
    "ProbableWords",
    "QuadAnswer",
    "QuadArrangement",
    "QuadProbe",
    "TextAnswer",
    "WordAnswer",
    "WordProbe",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAnswer:
    """One model's answer to one premise with one hypothesis or yes/no question."""

    model: str
    """The model as it was named."""
    form: FormName
    """nli: the model was asked the hypothesis. qa: it was asked the yes/no question."""
    premise: str
    """The premise as the model read it."""
    asked: str
    """The hypothesis or the question as the model read it."""
    exchanged: bool
    """True if the two subjects are exchanged in the hypothesis or question; the premise is unchanged."""
    entailment: float
    """The probability of entailment; for a yes/no question, of yes."""
    neutral: float | None
    """The probability of neutral, or of maybe; null for a model with two labels."""
    contradiction: float | None
    """The probability of contradiction, or of no; null for a model with two labels."""
    label: str
    """The predicted label: entailment, neutral, contradiction or, with two labels, not_entailment; unanswered
    if the missing answers of a model behind a server could have changed it."""
    abstained: float = 0.0
    """The share of the prompts to which a model behind a server said that the text leaves it open."""
    refused: float = 0.0
    """The share that it declined."""
    unreadable: float = 0.0
    """The share with an answer that is no choice."""
    cut_off: float = 0.0
    """The share with an answer that did not end."""


@short_repr
@dataclass(frozen=True, kw_only=True)
class PairProbe:
    """The answers to a premise with a hypothesis, a yes/no question, or both."""

    premise: str
    """The premise as it was typed."""
    hypothesis: str
    """The hypothesis as it was typed; empty if there is none."""
    question: str
    """The yes/no question as it was typed; empty if there is none."""
    subjects: tuple[str, str] | None
    """The two subjects; null if none were given."""
    answers: tuple[PairAnswer, ...]
    """One answer per model, form and order of the subjects, in this order."""

    def _repr_html_(self) -> str:
        """Return the answers as a table, for notebooks."""
        numbers = ("entailment (yes)", "neutral (maybe)", "contradiction (no)")
        missing = [name for name in OUTCOMES if any(getattr(a, name) for a in self.answers)]
        columns = ("model", "text", *numbers, *(name.replace("_", " ") for name in missing), "label")
        rows = [
            (
                a.model,
                f"{a.premise} {a.asked}",
                *(a.entailment, a.neutral, a.contradiction),
                *(getattr(a, name) for name in missing),
                a.label,
            )
            for a in self.answers
        ]
        return notebook_block(notebook_table(columns, rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuadArrangement:
    """One of the four ways to ask a quad, with the scores of both subjects."""

    context: str
    """The context as the model read it."""
    asked: str
    """The question or masked statement as the model read it."""
    named_first: str
    """The subject that the context names first."""
    negated: bool
    """True if this is the question or statement with the negated attribute."""
    subject1: float
    """The score of the first subject."""
    subject2: float
    """The score of the second subject."""
    no_answer: float | None
    """The score of no answer; null for a model that always answers."""
    answer: str
    """The subject with the higher score; empty if both have the same score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuadAnswer:
    """One model's answers to a quad, and its bias on it (Li et al. 2020)."""

    model: str
    """The model as it was named."""
    form: FormName
    """The form that the model was asked: questions or masked statements."""
    arrangements: tuple[QuadArrangement, ...]
    """The four ways to ask: both orders of the subjects, then both orders with the negated attribute."""
    positional_error: float
    """δ of this quad: how much a score depends on which subject is named first, in [0, 1]."""
    attribute_error: float
    """ε of this quad: how far negation fails to reverse the answer, in [0, 1]."""
    b1: float
    """B of the first subject: how much more the attribute favours it than the negated attribute does, in [−1,
    1]."""
    b2: float
    """B of the second subject."""
    c: float
    """C of the first subject against the second, in [−1, 1]: above 0, the attribute goes with the first."""
    order_matters: bool
    """True if an answer depends on which subject the context names first."""
    finding: str
    """The preference as a sentence without its subject, the model."""


@short_repr
@dataclass(frozen=True, kw_only=True)
class QuadProbe:
    """The answers to a context with two subjects, asked with an attribute and with its negation."""

    context: str
    """The context as it was typed, with {subject1} and {subject2}."""
    subjects: tuple[str, str]
    """The first and the second subject."""
    question: str
    """The question; empty if there is none."""
    question_negated: str
    """The question with the negated attribute; empty if there is none."""
    statement: str
    """The masked statement, with {{MASK}}; empty if there is none."""
    statement_negated: str
    """The masked statement with the negated attribute; empty if there is none."""
    note: str
    """A note on text to check in both contexts, such as articles; empty if there is nothing to check."""
    answers: tuple[QuadAnswer, ...]
    """One answer per model and form."""

    def _repr_html_(self) -> str:
        """Return the scores of both subjects in the four arrangements, and the findings, for notebooks."""
        columns = ("model", "text", *self.subjects, "no answer", "answer")
        rows = [
            (
                answer.model,
                f"{a.context} {a.asked}",
                a.subject1,
                a.subject2,
                a.no_answer,
                a.answer or "neither",
            )
            for answer in self.answers
            for a in answer.arrangements
        ]
        findings = (notebook_line(answer.finding, title=answer.model) for answer in self.answers)
        note = notebook_line(self.note, title="Note:") if self.note else ""
        return notebook_block(notebook_table(columns, rows), *findings, note)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbableWords:
    """Words for all masks of a text."""

    words: tuple[str, ...]
    """A whole word for each mask, from left to right."""
    probabilities: tuple[float, ...]
    """The probability of each word at its mask, in [0, 1], with the words before it in place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordAnswer:
    """The words that one model finds most probable at the masks of a text."""

    model: str
    """The model as it was named."""
    words: tuple[ProbableWords, ...]
    """The most probable words, best first."""


@short_repr
@dataclass(frozen=True, kw_only=True)
class WordProbe:
    """The most probable words at the masks of a text."""

    text: str
    """The text as it was typed, with {{MASK}}."""
    answers: tuple[WordAnswer, ...]
    """One answer per model."""

    def _repr_html_(self) -> str:
        """Return the words with their probabilities as a table, for notebooks."""
        rows = [(a.model, w.words, w.probabilities) for a in self.answers for w in a.words]
        return notebook_block(notebook_table(("model", "words", "probability"), rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAnswer:
    """One model's answer to a question about a context, in its own words or as a span of the context."""

    model: str
    """The model as it was named."""
    text: str
    """The answer; empty if there is none."""
    start: int | None
    """The position of its first character in the context; null for a model that writes."""
    end: int | None
    """The position after its last character; null for a model that writes."""
    score: float | None
    """√(p_start · p_end) of the span, in [0, 1]; null for a model that writes."""
    outcome: str = "answer"
    """answer; or refused or cut_off, of which the text is empty."""


@short_repr
@dataclass(frozen=True, kw_only=True)
class AnswerProbe:
    """The answers to a question about a context."""

    context: str
    """The context as it was typed."""
    question: str
    """The question as it was typed."""
    answers: tuple[TextAnswer, ...]
    """One answer per model."""

    def _repr_html_(self) -> str:
        """Return the answers with their scores as a table, for notebooks."""
        rows = [(a.model, a.text or "no answer", a.score) for a in self.answers]
        return notebook_block(notebook_table(("model", "answer", "score"), rows))
