"""`nextset probe` of a quad: the scores of two subjects in all four arrangements, with δ, ε, B and C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.measures.quad_measures import attribute_error, positional_error
from nextset.auditing.probe.preference_sentence import preference
from nextset.auditing.probe.probe_records import QuadAnswer, QuadArrangement, QuadProbe
from nextset.auditing.probe.probed_models import ProbedModel, fitting_forms, located_models, scores_alone
from nextset.auditing.probe.typed_texts import (
    PLACEHOLDERS,
    article_note,
    checked_statement,
    checked_subjects,
    checked_text,
    place_subjects,
)
from nextset.errors import InputError
from nextset.forms import QUESTION, STATEMENT, FormName
from nextset.study.model_key import ModelNames

__all__ = ["probe_quad"]


def probe_quad(
    context: str,
    subjects: Sequence[str],
    *,
    models: ModelNames,
    question: str = "",
    negated: str = "",
    statement: str = "",
    negated_statement: str = "",
    progress: Progress = SILENT,
) -> QuadProbe:
    """Return which of two subjects an attribute goes with for ``models``, asked in all four arrangements.

    ``context`` has {subject1} and {subject2} once each. Readers and models that write are asked ``question``
    and ``negated``; masked language models are asked ``statement`` and ``negated_statement``, which have
    {{MASK}} in place of the subject. Each input is scored by itself in float32; B and C are equations 5 and 6
    of Li et al. (2020), δ and ε its equations 2 and 4 on this quad. Raises InputError for a text, and
    ModelError for a model, that cannot be asked.
    """
    typed = _checked(context, subjects, (question, negated), (statement, negated_statement))
    given = [form.name for form in (QUESTION, STATEMENT) if _asked(typed, form.name)[0]]
    rows = {form: _rows(typed, form) for form in given}
    probed = located_models(models)
    forms = [fitting_forms(model, given) for model in probed]
    tick = progress("probe")
    answers = []
    for done, (model, fit) in enumerate(zip(probed, forms, strict=True)):
        tick(done, len(probed))
        answers += [_answer(model, form, typed, rows[form]) for form in given if form in fit]
    tick(len(probed), len(probed))
    return replace(typed, answers=tuple(answers))


def _checked(
    context: str, subjects: Sequence[str], questions: tuple[str, str], statements: tuple[str, str]
) -> QuadProbe:
    """Return the texts, checked; raises InputError."""
    context = checked_text("context", context, PLACEHOLDERS)
    first, second = checked_subjects(subjects)
    place_subjects(context, first, second)
    questioned = _checked_pair("question", questions, checked_text)
    stated = _checked_pair("statement", statements, checked_statement)
    if not questioned[0] and not stated[0]:
        raise InputError(
            "there is no question",
            remedy="type a question and its negation, or a masked statement and its negation",
        )
    return QuadProbe(
        context=context,
        subjects=(first, second),
        question=questioned[0],
        question_negated=questioned[1],
        statement=stated[0],
        statement_negated=stated[1],
        note=article_note(context),
        answers=(),
    )


def _checked_pair(name: str, texts: tuple[str, str], check: Callable[[str, str], str]) -> tuple[str, str]:
    """Return a text and its negation, checked; both are empty if neither was typed. Raises InputError."""
    if not any(text.strip() for text in texts):
        return "", ""
    plain, negated = check(name, texts[0]), check(f"negated {name}", texts[1])
    if plain == negated:
        raise InputError(
            f"the {name} and its negation are the same",
            remedy=f"type a negated {name} that says the opposite",
        )
    return plain, negated


def _asked(typed: QuadProbe, form: FormName) -> tuple[str, str]:
    """Return the text of ``form``, a question or a statement, and its negation."""
    return getattr(typed, form), getattr(typed, f"{form}_negated")  # fields, as in the rows of the form


def _rows(typed: QuadProbe, form: FormName) -> pa.Table:
    """Return the quad as one row that is asked in ``form``; both orders have the same two slots."""
    first, second = typed.subjects
    in_12 = place_subjects(typed.context, first, second)
    in_21 = place_subjects(typed.context, second, first)
    text, negated = _asked(typed, form)
    spans = {
        "subject1_in_12": in_12.first,
        "subject2_in_12": in_12.second,
        "subject1_in_21": in_21.second,
        "subject2_in_21": in_21.first,
    }  # of questions
    words = {"candidate1": first, "candidate2": second, "cluster1": "", "cluster2": ""}  # of statements
    row = {
        "id": "0",
        "context_12": in_12.text,
        "context_21": in_21.text,
        form: text,
        f"{form}_negated": negated,
        **{name: {"start": start, "end": end} for name, (start, end) in spans.items()},
        **words,
    }
    return pa.Table.from_pylist([row])


def _answer(model: ProbedModel, form: FormName, typed: QuadProbe, rows: pa.Table) -> QuadAnswer:
    from nextset.scoring.outcome_shares import answered_quads
    from nextset.scoring.subjects.quad_bias import answers_differ, comparative, subject_scores

    scores = scores_alone(model, form, rows)
    first, second = subject_scores(scores)
    bias = comparative(first, second)
    c = float(bias.c[0])
    answered = bool(answered_quads(scores)[0])
    finding = preference(typed.subjects, _asked(typed, form)[0], c)
    return QuadAnswer(
        model=model.source.name,
        form=form,
        arrangements=_arrangements(typed, form, rows.to_pylist()[0], scores.to_pylist()[0]),
        positional_error=float(positional_error(first, second)[0]),
        attribute_error=float(attribute_error(first, second)[0]),
        b1=float(bias.b1[0]),
        b2=float(bias.b2[0]),
        c=c,
        order_matters=answered and bool(answers_differ(scores)[0]),
        finding=finding if answered else "did not answer each of the four questions",
    )


def _arrangements(
    typed: QuadProbe, form: FormName, row: dict[str, Any], scores: dict[str, Any]
) -> tuple[QuadArrangement, ...]:
    from nextset.scoring.subjects.quad_bias import ASKED

    subjects, arrangements = typed.subjects, []
    in_order = (
        subjects
        if typed.context.index(PLACEHOLDERS[0]) < typed.context.index(PLACEHOLDERS[1])
        else (subjects[::-1])
    )
    for arrangement in ASKED:
        order, _, negation = arrangement.partition("_")
        one, two = scores[f"subject1_{arrangement}"], scores[f"subject2_{arrangement}"]
        answer = "" if one == two else subjects[0] if one > two else subjects[1]
        arrangements.append(
            QuadArrangement(
                context=row[f"context_{order}"],
                asked=_asked(typed, form)[bool(negation)],
                named_first=in_order[order == "21"],
                negated=bool(negation),
                subject1=one,
                subject2=two,
                no_answer=scores[f"no_answer_{arrangement}"],
                answer=answer,
            )
        )
    return tuple(arrangements)
