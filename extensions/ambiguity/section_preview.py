"""The preview of the section ambiguity: questions with several right answers, and open questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nextset.errors import ModelError
from nextset.extensions.ambiguity.questions.question_rows import QuestionRows
from nextset.extensions.ambiguity.questions.stage import planned_questions
from nextset.extensions.ambiguity.search.search_stage import open_questions
from nextset.extensions.ambiguity.settings.study_settings import retrieval_of, selectional_of
from nextset.forms import FormName
from nextset.generation.section_preview import PreviewSources, SectionPreview, TimedModel
from nextset.scoring.model_kinds import kind_of
from nextset.scoring.scorer_protocol import TextQuestion
from nextset.scoring.study_models import located
from nextset.study.study_folder import Study

__all__ = ["PREVIEW"]

_EXAMPLES = "ambiguous"
_ANSWERS = "selectional"
_PASSAGES = "readers of passages"


class _Preview:
    """The preview of the section ambiguity."""

    example_kinds: tuple[str, ...] = (_EXAMPLES,)

    def preview(self, study: Study, sources: PreviewSources) -> SectionPreview:
        """Return the numbers of questions and inputs, and a few questions; raises InputErrors."""
        items: dict[str, int] = {}
        scorings: dict[str, int] = {}
        models: list[TimedModel] = []
        examples: dict[str, tuple[Mapping[str, Any], ...]] = {}
        if study.settings.has("ambiguity.selectional"):
            names, made = selectional_of(study).models, planned_questions(study)
            items["questions with several right answers"] = len(made.questions)
            scorings[_ANSWERS] = len(made.questions) * len(names)
            examples[_EXAMPLES] = tuple(_examples(made, sources.examples))
            models += [_answering(study, name, made, sources.examples) for name in names]
        if study.settings.has("ambiguity.retrieval"):
            names, questions = retrieval_of(study).readers, len(open_questions(study))
            items["open questions"] = questions
            passages = questions * _passages(study)
            scorings[f"{_PASSAGES}, at most"] = passages * len(names)
            why_not = "the passages that it reads are not retrieved yet"
            models += [TimedModel(name, _PASSAGES, passages, why_not=why_not) for name in names]
        return SectionPreview(items, scorings, examples, models)


PREVIEW = _Preview()
"""The preview of the section ambiguity."""


def _examples(made: QuestionRows, most: int) -> Iterator[Mapping[str, Any]]:
    """Yield the first ``most`` questions, with the people who are right answers, each with their group."""
    for question in made.questions[:most]:
        people = (a for a in made.answers if a.question_id == question.id)
        answers = tuple(f"{a.name} ({a.group})" for a in people)
        yield {"question": question.question, "context": question.context, "answers": answers}


def _answering(study: Study, model: str, made: QuestionRows, examples: int) -> TimedModel:
    def form() -> FormName:
        if kind_of(located(study, model)) == "causal_lm":
            raise ModelError("it writes its answers", remedy="time it in a run")
        return "answer"

    def rows() -> Sequence[TextQuestion]:
        return [TextQuestion(q.context, q.question) for q in made.questions[: max(1, examples)]]

    return TimedModel(model, _ANSWERS, len(made.questions), form, rows)


def _passages(study: Study) -> int:
    """Return the most passages that a reader is asked about for a question."""
    settings = retrieval_of(study)
    retrievers = int(settings.bm25) + len(settings.dense)
    return min(settings.read, settings.top_k) * retrievers
