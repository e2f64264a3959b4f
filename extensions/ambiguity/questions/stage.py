"""The stage ambiguous_questions: the study's questions with several right answers, their people located."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import StudyError, examples
from nextset.extensions.ambiguity.ambiguous_questions import (
    AmbiguousQuestion,
    QuestionFinding,
    RefusedQuestion,
    RightAnswer,
)
from nextset.extensions.ambiguity.person_mentions import mention_rules
from nextset.extensions.ambiguity.questions.attribute_spellings import one_spelling
from nextset.extensions.ambiguity.questions.given_names import load_given_names
from nextset.extensions.ambiguity.questions.question_rows import Balance, QuestionRows, question_rows
from nextset.extensions.ambiguity.questions.source_questions import SourceQuestion
from nextset.extensions.ambiguity.questions.study_questions import load_ambiguous_questions
from nextset.extensions.ambiguity.questions.text_people import text_rules
from nextset.extensions.ambiguity.settings.study_settings import selectional_of
from nextset.files.yaml_reader import read_yaml
from nextset.generation.snapshot_names import named_snapshots
from nextset.records.arrow_schema import table_of
from nextset.study.study_folder import Study, of_study
from nextset.word_lists.group_labels import UNKNOWN

__all__ = [
    "ambiguous_questions_recipe",
    "make_ambiguous_questions",
    "planned_questions",
    "question_languages",
]


@dataclass(frozen=True)
class _Loaded:
    questions: tuple[SourceQuestion, ...]
    balance: Balance | None
    files: Mapping[Path, bytes]
    notes: tuple[str, ...]


def ambiguous_questions_recipe(study: Study) -> Recipe:
    """Return the recipe that `make_ambiguous_questions` would use now; raises InputErrors."""
    return _recipe(study, _load(study))


@of_study
def make_ambiguous_questions(study: Study, progress: Progress = SILENT) -> Artifact:
    """Read the study's questions with several right answers into out/ambiguous_questions.

    Raises InputErrors before it writes anything, also if no question is left.
    """
    with study.held("ambiguous_questions"):
        loaded = _load(study)
        return build(
            study.out / "ambiguous_questions",
            _recipe(study, loaded),
            lambda: _parts(_made(study, loaded)),
            snapshots=named_snapshots(loaded.files),
            progress=progress("ambiguous_questions"),
        )


def planned_questions(study: Study) -> QuestionRows:
    """Return the questions that `make_ambiguous_questions` would write now; raises InputErrors."""
    return _made(study, _load(study))


def question_languages(study: Study) -> list[str]:
    """Return the languages of the study's questions with several right answers; raises InputErrors."""
    return sorted({question.language for question in _load(study).questions})


def _parts(made: QuestionRows) -> list[Part]:
    findings = [QuestionFinding(text=text, warning=True) for text in made.warnings]
    return [
        Part("questions", lambda: PartResult(table_of(made.questions, AmbiguousQuestion))),
        Part("answers", lambda: PartResult(table_of(made.answers, RightAnswer), made.counts)),
        Part("refused", lambda: PartResult(table_of(made.refused, RefusedQuestion))),
        Part("conclusions", lambda: PartResult(table_of(findings, QuestionFinding))),
    ]


def _load(study: Study) -> _Loaded:
    settings = selectional_of(study)
    read = load_ambiguous_questions(
        settings.questions, settings.group, study.settings.language, study.path, study.file
    )
    groups = settings.balance.groups if settings.balance is not None else ()
    spelled = one_spelling(read.questions, settings.group, groups)
    if settings.balance is None:
        return _Loaded(spelled.questions, None, read.files, spelled.notes)
    _check_balance(study, spelled.questions)
    names = load_given_names(settings.balance, study.path, study.file)
    balance = Balance(settings.balance.groups, names.names, settings.balance.seed)
    return _Loaded(spelled.questions, balance, {**read.files, **names.files}, spelled.notes)


def _check_balance(study: Study, questions: tuple[SourceQuestion, ...]) -> None:
    """Raise StudyError if names cannot be replaced in a language, or if no person is in one of the groups."""
    settings = selectional_of(study)
    assert settings.balance is not None
    for question in questions:
        if mention_rules(question.language) is None:
            raise StudyError(
                "ambiguity.selectional.balance: nextset has no rules for replacing names in the language "
                f"{question.language!r}",
                file=study.file,
                remedy="remove balance, or remove the questions in this language",
            )
    known = {person.group(settings.group): None for q in questions for person in q.people}
    named = [group for group in known if group != UNKNOWN]
    if not known.keys() & set(settings.balance.groups):
        raise StudyError(
            "ambiguity.selectional.balance: no person is in one of the groups "
            f"{', '.join(settings.balance.groups)}; in the questions, {settings.group} is "
            f"{examples(map(repr, known), 12)}",
            file=study.file,
            line=read_yaml(study.file, StudyError).line(("ambiguity", "selectional", "balance", "groups")),
            remedy=f"write these groups in the questions, or balance: {{groups: [{examples(named, 12)}]}} "
            "with their names"
            if named
            else f"write the people's {settings.group}, which no question has",
        )


def _made(study: Study, loaded: _Loaded) -> QuestionRows:
    made = question_rows(loaded.questions, selectional_of(study).group, loaded.balance)
    made = replace(made, warnings=(*loaded.notes, *made.warnings))
    if not made.questions:
        reasons = {f"{row.reason}{f' ({row.place})' if row.place else ''}": None for row in made.refused}
        raise StudyError(
            f"ambiguity.selectional.balance: no question is left: {examples(reasons)}",
            file=study.file,
            remedy="remove balance, or change the questions as docs/how_to/selectional.md says",
        )
    return made


def _recipe(study: Study, loaded: _Loaded) -> Recipe:
    snapshots = named_snapshots(loaded.files)
    inputs = {name: hashlib.sha256(raw).hexdigest() for name, raw in snapshots.items()}
    for language in sorted({question.language for question in loaded.questions}):
        inputs[f"rules for people in {language}"] = text_rules(language).digest
    settings = {
        **selectional_of(study).model_dump(mode="json", include={"group", "balance"}),
        "language": study.settings.language,
        "order": list(snapshots),
    }
    return Recipe("ambiguous_questions", 4, inputs, settings)
