"""The stage ambiguous_questions: the study's questions with several right answers, their people located."""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.generation.ambiguity.mentions import located
from nextset.generation.ambiguity.source_questions import SourceQuestion
from nextset.generation.ambiguity.study_questions import LoadedAmbiguousQuestions, load_ambiguous_questions
from nextset.generation.snapshot_names import named_snapshots
from nextset.records.ambiguous_questions import AmbiguousQuestion, PersonAttribute, RightAnswer
from nextset.records.arrow_schema import table_of
from nextset.study.study_folder import Study, of_study

__all__ = ["ambiguous_questions_recipe", "make_ambiguous_questions"]


def ambiguous_questions_recipe(study: Study) -> Recipe:
    """Return the recipe of what `make_ambiguous_questions` would make now; raises InputErrors."""
    return _recipe(study, _load(study))


def _load(study: Study) -> LoadedAmbiguousQuestions:
    settings = study.selectional
    return load_ambiguous_questions(
        settings.questions, settings.group, study.settings.language, study.path, study.file
    )


def _recipe(study: Study, loaded: LoadedAmbiguousQuestions) -> Recipe:
    snapshots = named_snapshots(loaded.files)
    inputs = {name: hashlib.sha256(raw).hexdigest() for name, raw in snapshots.items()}
    settings = {
        **study.selectional.model_dump(mode="json", include={"group", "balance"}),
        "language": study.settings.language,
        "order": list(snapshots),
    }
    return Recipe("ambiguous_questions", 1, inputs, settings)


@of_study
def make_ambiguous_questions(study: Study, progress: Progress = SILENT) -> Artifact:
    """Read the study's questions with several right answers into out/ambiguous_questions.

    Tables: questions, and answers with every person who is a right answer. Raises InputErrors before anything
    is written.
    """
    with study.held("ambiguous_questions"):
        loaded = _load(study)
        group = study.selectional.group
        made = functools.cache(lambda: _made(loaded.questions, group))
        return build(
            study.out / "ambiguous_questions",
            _recipe(study, loaded),
            lambda: [
                Part("questions", lambda: PartResult(table_of(made().questions, AmbiguousQuestion))),
                Part("answers", lambda: PartResult(table_of(made().answers, RightAnswer), made().counts)),
            ],
            snapshots=named_snapshots(loaded.files),
            progress=progress("ambiguous_questions"),
        )


@dataclass(frozen=True)
class _Made:
    questions: Sequence[AmbiguousQuestion]
    answers: Sequence[RightAnswer]
    counts: dict[str, int]


def _made(sources: Iterable[SourceQuestion], group: str) -> _Made:
    questions: dict[str, AmbiguousQuestion] = {}
    answers: list[RightAnswer] = []
    counts: Counter[str] = Counter()
    for source in sources:
        if source.id in questions:
            counts["questions that are repeated, dropped"] += 1
            continue
        questions[source.id] = AmbiguousQuestion(
            id=source.id,
            language=source.language,
            item=source.item,
            question=source.question,
            context=source.context,
            origin=source.origin,
            key=source.key,
            parent_id=None,
        )
        for person in located(source):
            counts["right answers that the context does not mention"] += person.position is None
            answers.append(
                RightAnswer(
                    question_id=source.id,
                    name=person.person.name,
                    group=person.person.group(group),
                    position=person.position,
                    mentions=person.mentions,
                    attributes=tuple(
                        PersonAttribute(name=name, value=value)
                        for name, value in person.person.attributes.items()
                    ),
                )
            )
    return _Made(tuple(questions.values()), answers, dict(counts))
