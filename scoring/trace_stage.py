"""The artifact traces: the thinking that models showed before their answers, from the store of answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.records.answer_traces import AnswerTrace
from nextset.records.arrow_schema import table_of
from nextset.scoring.asked_model import Model
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.model_kinds import model_kind
from nextset.scoring.model_server.stored_answers import StoredAnswer
from nextset.scoring.prompt_wordings import render_prompts
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.prompts.trace_reading import conclusion_of
from nextset.scoring.row_chunks import Readable
from nextset.scoring.score_requests import Role, ScoringRequest
from nextset.scoring.study_models import model_of
from nextset.study.study_folder import Study
from nextset.study.thinking_models import thinking_models

__all__ = ["NOT_STORED", "STAGE", "trace_tables", "traces_recipe", "write_traces"]

STAGE = "traces"
"""The name of the artifact, and of its table."""
NOT_STORED = "prompts whose answers are not stored here"
"""The count of prompts whose thinking is unknown, for example because another machine asked them."""
AT_ONCE = 500
"""The number of rows in a shard: thinking can have 10,000 tokens, in every wording."""


def write_traces(study: Study, asked: Sequence[ScoringRequest], progress: Progress = SILENT) -> Artifact:
    """Read the thinking before the answers to ``asked`` from the store of answers: out/traces.

    Nothing is sent. The table traces has an `nextset.records.answer_traces.AnswerTrace` for each answer with
    thinking, and no rows if no model showed any. Raises ModelError.
    """
    planned = _planned(study, asked)

    def plan() -> list[Part]:
        parts = [
            Part(STAGE, _Lookup(model, request.role, chunk, start))
            for request, model in planned
            for chunk in request.rows()
            for start in range(0, chunk.read(("id",)).num_rows, AT_ONCE)
        ]
        return parts or [Part(STAGE, lambda: PartResult(table_of([], AnswerTrace)))]

    return build(study.out / STAGE, _recipe(planned), plan, progress=progress(STAGE))


def trace_tables(traces: Artifact) -> Iterator[pa.Table]:
    """Yield the table of an artifact of `write_traces`, shard by shard."""
    return (traces.piece(shard) for shard in traces.shards_of(STAGE))


def traces_recipe(study: Study, asked: Sequence[ScoringRequest]) -> Recipe:
    """Return the recipe that `write_traces` would use now; raises ModelError."""
    return _recipe(_planned(study, asked))


def _planned(study: Study, asked: Sequence[ScoringRequest]) -> list[tuple[ScoringRequest, Model]]:
    thinking = set(thinking_models(study.settings))
    return [
        (request, model_of(study, name, request.form))
        for request in asked
        for name in request.models
        if name in thinking
    ]


def _recipe(planned: Sequence[tuple[ScoringRequest, Model]]) -> Recipe:
    inputs = {
        f"{i}/{request.form}/{name}": digest
        for i, (request, _) in enumerate(planned)
        for name, digest in request.inputs.items()
    }
    settings = {"asked": [[request.role, model.label, model.scope.key] for request, model in planned]}
    return Recipe(STAGE, 1, inputs, settings, {model.label: model.source.identity for _, model in planned})


@dataclass(frozen=True)
class _Lookup:
    """The traces of one model about some rows."""

    model: Model
    role: Role
    chunk: Readable
    start: int

    def __call__(self) -> PartResult:
        form = SCORED_FORMS[self.model.asking.form]
        rows = self.chunk.read(form.columns).slice(self.start, AT_ONCE)
        missing = 0
        traces: list[AnswerTrace] = []
        for prompt in self._prompts(rows):
            answers = prompt.answers
            missing += answers is None
            traces += [t for i, a in enumerate(answers or (), start=1) if (t := self._trace(prompt, i, a))]
        counts = {NOT_STORED: missing} if missing else {}
        return PartResult(table_of(traces, AnswerTrace), counts)

    def _prompts(self, rows: pa.Table) -> Iterator[_Prompt]:
        asking = self.model.asking
        form = SCORED_FORMS[asking.form]
        read = model_kind(self.model.source).answer_reader(self.model.source, asking)
        if read is None:
            return
        ids = rows["id"].to_pylist()
        for place, prompts in enumerate(render_prompts(asking, form.inputs(rows))):
            item, of_row = divmod(place, form.per_row)
            for prompt in prompts:
                yield _Prompt(ids[item], of_row + (prompt.order or 0), prompt, read(prompt))

    def _trace(self, prompt: _Prompt, sample: int, stored: StoredAnswer) -> AnswerTrace | None:
        """Return the thinking before an answer; None if the model showed none and its tokens are unknown."""
        text, tokens, rendered = stored.completion.thoughts, stored.thinking_tokens, prompt.rendered
        if not text and tokens is None:
            return None
        concluded = conclusion_of(text, rendered)
        return AnswerTrace(
            item_id=prompt.item,
            model=self.model.label,
            role=self.role,
            form=self.model.asking.form,
            input=prompt.input,
            wording=rendered.wording,
            sample=sample,
            text=text,
            tokens=tokens,
            conclusion="" if concluded is None else rendered.shown(concluded),
            answer="" if stored.choice is None else rendered.shown(stored.choice),
            outcome=stored.outcome or "",
        )


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A prompt about a row, with its stored answers."""

    item: str
    input: int
    rendered: Rendered
    answers: Sequence[StoredAnswer] | None
