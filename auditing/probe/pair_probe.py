"""`nextset probe` of a pair: the probabilities of each model, and those with two subjects exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.probe.pair_forms import PAIR_FORMS
from nextset.auditing.probe.probe_records import PairAnswer, PairProbe
from nextset.auditing.probe.probed_models import ProbedModel, fitting_forms, located_models, scores_alone
from nextset.auditing.probe.typed_texts import (
    PLACEHOLDERS,
    checked_subjects,
    checked_text,
    named_placeholders,
    with_subjects,
)
from nextset.errors import InputError
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.study.model_key import ModelNames

if TYPE_CHECKING:
    from nextset.forms import FormName

__all__ = ["probe_pair"]


def probe_pair(
    premise: str,
    hypothesis: str = "",
    *,
    models: ModelNames,
    question: str = "",
    subjects: Sequence[str] | None = None,
    progress: Progress = SILENT,
) -> PairProbe:
    """Return the answers of ``models`` to a premise with a hypothesis, a yes/no ``question``, or both.

    Each model is asked those of the two that its kind supports. With ``subjects``, the texts name them as
    {subject1} and {subject2}, and each model is also asked the counterpart (Baldini et al. 2023), with the
    subjects exchanged only in the hypothesis or question. Probabilities are in [0, 1], each input scored by
    itself in float32. Raises InputError for a text, and ModelError for a model, that cannot be asked.
    """
    typed = PairProbe(
        premise=checked_text("premise", premise, PLACEHOLDERS),
        hypothesis=_optional("hypothesis", hypothesis),
        question=_optional("yes/no question", question),
        subjects=None if subjects is None else checked_subjects(subjects),
        answers=(),
    )
    texts: dict[FormName, str] = {pair.form: getattr(typed, pair.text) for pair in PAIR_FORMS.values()}
    given = [form for form, text in texts.items() if text]
    if not given:
        raise InputError("there is no hypothesis", remedy="type a hypothesis, or a yes/no question")
    _check_placeholders(typed, [texts[form] for form in given])
    probed = located_models(models)
    forms = [fitting_forms(model, given) for model in probed]
    tick = progress("probe")
    answers: list[PairAnswer] = []
    for done, (model, fit) in enumerate(zip(probed, forms, strict=True)):
        tick(done, len(probed))
        for form in given:
            if form in fit:
                answers += _answers(model, form, typed, texts[form])
    tick(len(probed), len(probed))
    return PairProbe(**{**vars(typed), "answers": tuple(answers)})


def _optional(name: str, text: str) -> str:
    return checked_text(name, text, PLACEHOLDERS) if text.strip() else ""


def _check_placeholders(typed: PairProbe, asked: Sequence[str]) -> None:
    """Raise InputError for placeholders without subjects, and for subjects that cannot be exchanged."""
    if typed.subjects is None:
        for name, text in (("premise", typed.premise), *(("hypothesis or question", text) for text in asked)):
            if named_placeholders(text):
                raise InputError(
                    f"the {name} has {' and '.join(named_placeholders(text))}, but no subjects are given",
                    remedy="give two subjects, such as Maria and Thomas, or write the names in the text",
                )
    elif not all(named_placeholders(text) for text in asked):
        raise InputError(
            "two subjects are given, but the hypothesis or question has neither "
            f"{' nor '.join(PLACEHOLDERS)}",
            remedy=f"write {PLACEHOLDERS[0]} where the hypothesis or question names the subject",
        )


def _answers(model: ProbedModel, form: FormName, typed: PairProbe, asked: str) -> Iterator[PairAnswer]:
    from nextset.scoring.predicted_labels import predicted

    pairs = [(typed.premise, asked)]
    if typed.subjects is not None:
        first, second = typed.subjects
        premise = with_subjects(typed.premise, first, second)
        pairs = [(premise, with_subjects(asked, *order)) for order in ((first, second), (second, first))]
    scores = scores_alone(model, form, _rows(form, pairs))
    for i, ((premise, text), label, row) in enumerate(
        zip(pairs, predicted(scores).tolist(), scores.to_pylist(), strict=True)
    ):
        yield PairAnswer(
            model=model.source.name,
            form=form,
            premise=premise,
            asked=text,
            exchanged=i == 1,
            entailment=row["entailment"],
            neutral=row["neutral"],
            contradiction=row["contradiction"],
            label=label,
            **{name: row.get(name) or 0.0 for name in OUTCOMES},
        )


def _rows(form: FormName, pairs: Sequence[tuple[str, str]]) -> pa.Table:
    """Return the pairs as rows that are asked in ``form``."""
    premises, texts = zip(*pairs, strict=True)
    ids = [str(i) for i in range(len(pairs))]
    label = pa.repeat(pa.scalar("neutral"), len(pairs))  # a column of NLI items, which no model reads
    return pa.table({"id": ids, "premise": premises, PAIR_FORMS[form].text: texts, "label": label})
