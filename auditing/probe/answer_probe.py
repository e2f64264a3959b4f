"""`nextset probe` of a question about a text: the answers that models find in the text, or write."""

from __future__ import annotations

import pyarrow as pa

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.probe.probe_records import AnswerProbe, TextAnswer
from nextset.auditing.probe.probed_models import ProbedModel, fitting_forms, located_models, scores_alone
from nextset.auditing.probe.typed_texts import checked_text
from nextset.study.model_key import ModelNames

__all__ = ["probe_answer"]


def probe_answer(
    context: str, question: str, *, models: ModelNames, progress: Progress = SILENT
) -> AnswerProbe:
    """Return the answers that ``models`` find themselves to a question about a context.

    Extractive readers answer with the best span of the context; models that write, in their own words. Raises
    InputError for a text, and ModelError for a model, that cannot be asked.
    """
    context, question = checked_text("context", context), checked_text("question", question)
    rows = pa.table({"id": ["0"], "question": [question], "context": [context]})
    probed = located_models(models)
    for model in probed:
        fitting_forms(model, ["answer"])
    tick = progress("probe")
    answers = []
    for done, model in enumerate(probed):
        tick(done, len(probed))
        answers.append(_answer(model, rows))
    tick(len(probed), len(probed))
    return AnswerProbe(context=context, question=question, answers=tuple(answers))


def _answer(model: ProbedModel, rows: pa.Table) -> TextAnswer:
    from nextset.scoring.model_kinds import writes

    (answer,) = (
        _written(model, rows) if writes(model.source) else scores_alone(model, "answer", rows)
    ).to_pylist()
    names = ("text", "start", "end", "score", "outcome")
    return TextAnswer(model=model.source.name, **{name: answer[name] for name in names})


def _written(model: ProbedModel, rows: pa.Table) -> pa.Table:
    from nextset.scoring.asked_model import Model
    from nextset.scoring.engines.devices import device_type
    from nextset.scoring.row_chunks import InMemoryRows
    from nextset.scoring.written_answers import written_answers

    asked = Model(model.source, model.asking("answer"), device_type(), None, model.source.name)
    return written_answers(asked, InMemoryRows(rows)).table
