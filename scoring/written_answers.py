"""Answers to questions about a text by models that write."""

from __future__ import annotations

import functools

from nextset.artifacts.build import PartResult
from nextset.forms import ANSWER
from nextset.records.arrow_schema import table_of
from nextset.records.reader_answers import ReaderAnswer
from nextset.scoring.answers.answer_rows import QUESTION_COLUMNS, text_questions
from nextset.scoring.asked_model import Model
from nextset.scoring.generative.text_writer import text_writer
from nextset.scoring.model_server.answer_outcome import outcome_of
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.models.sources import check_unchanged
from nextset.scoring.prompt_wordings import own_prompts
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.row_chunks import Readable
from nextset.scoring.writer_protocol import TextWriter, WritingRequest

__all__ = ["ANSWER_TOKENS", "QUESTIONS_PER_PART", "first_line", "written_answers"]

QUESTIONS_PER_PART = 32
"""The number of questions per shard, which is also the maximum that a killed run has to ask again."""
ANSWER_TOKENS = 32
"""The maximum number of tokens that a model on this machine writes; a server's limit is answer_tokens."""


def written_answers(model: Model, rows: Readable) -> PartResult:
    """Return one ReaderAnswer per row: the first line that ``model`` writes, without start, end and score.

    The model writes the likeliest token each time. An answer that it or its server refuses, or that a server
    cuts off, is empty, with its outcome. Raises ModelError for a prompt that is too long.
    """
    table = rows.read(QUESTION_COLUMNS)
    prompts = (model.asking.prompts or own_prompts()).written(ANSWER.name, text_questions(table))
    requests = [WritingRequest(prompt, ANSWER_TOKENS, 0.0, 0) for prompt in prompts]
    completions = _writer(model).write(requests)
    check_unchanged(model.source)
    outcomes = [_outcome(model, completion) for completion in completions]
    answers = (
        ReaderAnswer(
            question_id=asked,
            model=model.label,
            revision=model.source.digest,
            text=first_line(completion) if outcome == "answer" else "",
            start=None,
            end=None,
            score=None,
            no_answer=None,
            windows=1,
            margin=None,
            outcome=outcome,
        )
        for asked, completion, outcome in zip(table["id"].to_pylist(), completions, outcomes, strict=True)
    )
    return PartResult(table_of(answers, ReaderAnswer), this_run={"questions asked": table.num_rows})


def _outcome(model: Model, completion: Completion) -> str:
    """Return answer, refused or cut_off; a model on this machine always answers, in few tokens."""
    if model.source.folder is not None:
        return "answer"
    other = outcome_of(completion, Rendered("", ())).other
    return other if other in ("refused", "cut_off") else "answer"


def first_line(completion: Completion) -> str:
    """Return the first line of an answer that is not only white space; empty if there is no such line."""
    return next((line.strip() for line in completion.answer.splitlines() if line.strip()), "")


@functools.lru_cache(maxsize=1)
def _writer(model: Model) -> TextWriter:
    """Return the model, which stays loaded for the next part."""
    return text_writer(model.source, model.asking.scoring, model.asking.model)
