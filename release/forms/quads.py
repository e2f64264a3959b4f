"""Questions and masked statements in a release: quads with two contexts and a negation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pyarrow as pa

from nextset.forms import QUESTION as QUESTION_FORM
from nextset.forms import STATEMENT as STATEMENT_FORM
from nextset.forms import Form
from nextset.records.column_docs import column_docs
from nextset.release.forms.method_papers import UNQOVER
from nextset.release.forms.quad_counts import quad_statistics
from nextset.release.forms.released_form import SHARED_MEANINGS, ReleasedForm, text_column

__all__ = ["QUESTION", "STATEMENT"]

_CONTEXTS = ("context_12", "context_21")
_SAME = ("language", "subject_class", "template_id", "attribute", "subject1", "subject2")
_MEANINGS: Mapping[str, str] = {
    "found_by": "Filter models that, each by itself, would make the rule keep the quad.",
    "unanswered_by": "Filter models that were asked and did not answer; only if there are any; may be null.",
    "kept_because": "own: the rule keeps it; may be null.",
    "verdict": "valid, invalid or incoherent, as judged.",
    "stance_judged": "The stance as judged; null for quads, which have none.",
    "judge": "people; null if no one judged.",
    "n_judgments": "Number of judgments of the quad.",
    "subject1_text": "The first subject as context_12 writes it; subject1 is its name in the language pack.",
    "subject2_text": "The second subject as context_21 writes it.",
    "counterpart_id": "The quad with the groups swapped; symmetric; may be null.",
    "counterfactual_set": "Shared by an item and all of its counterfactuals; null if there are none.",
    **SHARED_MEANINGS,
}

_QUESTIONS = (
    "A test set of underspecified questions. A context names two subjects but does not answer the "
    "question about them, so a\n"
    "model has no reason to prefer either. Each row is a quad: the question and its negation, each "
    "with both orders of the\n"
    "subjects. A model's preference is what remains when the effects of order and negation are "
    "subtracted. The dataset measures\n"
    "this; it is not for training."
)

_STATEMENTS = (
    "A test set of masked statements. A context names two subjects but gives no reason to put "
    "either of them at the mask. Each\n"
    "row is a quad: the statement and its negation, each with both orders of the subjects. A masked "
    "language model's preference\n"
    "is what remains when the effects of order and negation are subtracted. The dataset measures "
    "this; it is not for training."
)

_MEASURES = """\
- C: a model's preference for one subject of a quad, without the effects of order and negation (Li et al.
  2020)
- the means of C over subjects, attributes and classes

`nextset audit` computes these measures."""

_Texts = Callable[[pa.Table], Iterator[tuple[str, ...]]]
_Inputs = Callable[[pa.Table], Iterator[tuple[tuple[str, str], ...]]]


def _quads(batch: pa.Table, text: str) -> Iterator[tuple[str, str, str, str]]:
    columns = (*_CONTEXTS, text, f"{text}_negated")
    return zip(*(text_column(batch, name) for name in columns), strict=True)


def _row_texts(text: str) -> _Texts:
    """Return the function for the texts of rows; the order of the subjects makes no difference to them."""

    def row_texts(batch: pa.Table) -> Iterator[tuple[str, ...]]:
        for c12, c21, plain, negated in _quads(batch, text):
            yield (*sorted((c12, c21)), *sorted((plain, negated)))

    return row_texts


def _input_texts(text: str) -> _Inputs:
    """Return the function for the four inputs of rows: each context with each question or statement."""

    def input_texts(batch: pa.Table) -> Iterator[tuple[tuple[str, str], ...]]:
        for c12, c21, plain, negated in _quads(batch, text):
            yield ((c12, plain), (c12, negated), (c21, plain), (c21, negated))

    return input_texts


def _with_subject_texts(rows: pa.Table) -> pa.Table:
    """Return ``rows`` with the texts of both subjects, each from the context that names it first.

    The names in subject1 and subject2 are English in every language pack of nextset.
    """
    for subject, context in (("subject1", "12"), ("subject2", "21")):
        spans = rows[f"{subject}_in_{context}"].to_pylist()
        texts = text_column(rows, f"context_{context}")
        named = [text[span["start"] : span["end"]] for text, span in zip(texts, spans, strict=True)]
        field = pa.field(f"{subject}_text", pa.string(), nullable=False)
        rows = rows.append_column(field, pa.array(named, pa.string()))
    return rows


def _form(form: Form, meaning: str, about: str, tasks: tuple[str, str, str]) -> ReleasedForm:
    """Return the form of quads whose texts are in the columns NAME and NAME_negated, by its name."""
    text = form.name
    return ReleasedForm(
        config=form.released,
        meaning=meaning,
        about=about,
        tasks=(tasks,),
        generated=(form.generated,),
        candidates=("generate", form.generated),
        has_quads=form.quads,
        counts=quad_statistics,
        unit=("quad", "quads"),
        part="subject_class",
        parts=("language", "subject_class"),
        part_names=("language", "class of subjects"),
        made_from="Templates were expanded with lists of subjects and attributes.",
        measures=_MEASURES,
        cited="The method of the quads comes from this paper. Please cite it too.",
        papers=(UNQOVER,),
        inputs=4,
        compared=("id", *_CONTEXTS, text, f"{text}_negated"),
        row_texts=_row_texts(text),
        input_texts=_input_texts(text),
        counted_by=("attribute", "subject_class"),
        same=_SAME,
        one_of=(),
        near=(*_CONTEXTS, text),
        texts=(*_CONTEXTS, text, f"{text}_negated"),
        shown=("context_12", text),
        meanings={**column_docs(form.record), **_MEANINGS},
        with_own_columns=_with_subject_texts,
    )


QUESTION = _form(
    QUESTION_FORM,
    "underspecified questions, one row per quad",
    _QUESTIONS,
    ("question-answering", "extractive-qa", "question-answering"),
)
STATEMENT = _form(
    STATEMENT_FORM,
    "masked statements, one row per quad",
    _STATEMENTS,
    ("fill-mask", "masked-language-modeling", "masked-language-modeling"),
)
