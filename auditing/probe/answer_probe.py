"""`nextset probe` of a question about a text: the answers that models find in the text, or write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.probe.probe_records import AnswerProbe, TextAnswer
from nextset.auditing.probe.probed_models import fitting_forms, located_models, scores_alone
from nextset.auditing.probe.typed_texts import checked_text

if TYPE_CHECKING:
    from nextset.scoring.models.sources import ModelSource

__all__ = ["probe_answer"]


def probe_answer(
    context: str, question: str, *, models: Sequence[str] | str, progress: Progress = SILENT
) -> AnswerProbe:
    """Return the answers that ``models`` find themselves to a question about a context.

    Extractive readers answer with the best span of the context, which they read in windows if it is long;
    models that write answer in their own words. Raises InputError for a text that cannot be asked, ModelError
    for a model that cannot be found, loaded or asked.
    """
    context, question = checked_text("context", context), checked_text("question", question)
    rows = pa.table({"id": ["0"], "question": [question], "context": [context]})
    sources = located_models(models)
    for source in sources:
        fitting_forms(source, ["answer"])
    tick = progress("probe")
    answers = []
    for done, source in enumerate(sources):
        tick(done, len(sources))
        answers.append(_answer(source, rows))
    tick(len(sources), len(sources))
    return AnswerProbe(context=context, question=question, answers=tuple(answers))


def _answer(source: ModelSource, rows: pa.Table) -> TextAnswer:
    from nextset.scoring.model_kinds import writes

    (answer,) = (
        _written(source, rows) if writes(source) else scores_alone(source, "answer", rows)
    ).to_pylist()
    names = ("text", "start", "end", "score")
    return TextAnswer(model=source.name, **{name: answer[name] for name in names})


def _written(source: ModelSource, rows: pa.Table) -> pa.Table:
    from nextset.scoring.asked_model import Model
    from nextset.scoring.asking import Asking
    from nextset.scoring.engines.devices import device_type
    from nextset.scoring.row_chunks import InMemoryRows
    from nextset.scoring.written_answers import written_answers
    from nextset.study.scoring_settings import ScoringSettings

    asking = Asking("answer", ScoringSettings(cache=False))
    return written_answers(Model(source, asking, device_type(), None, source.name), InMemoryRows(rows)).table
