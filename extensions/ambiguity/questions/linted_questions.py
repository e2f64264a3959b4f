"""Files of questions with several right answers, as `nextset lint` checks them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nextset.errors import WordListError
from nextset.extensions.ambiguity.questions.eponymous_rules import (
    is_eponymous,
    lint_eponymous,
    lint_questions,
)
from nextset.extensions.ambiguity.questions.study_questions import load_ambiguous_questions
from nextset.extensions.ambiguity.settings.study_settings import selectional_of
from nextset.files.file_search import yaml_files
from nextset.generation.lint.linted_files import FoundInFiles
from nextset.lint_rules import Finding
from nextset.study.study_folder import Study

__all__ = ["QUESTION_FILES"]


class _QuestionFiles:
    """Files of questions with several right answers."""

    def is_of_kind(self, file: Path) -> bool:
        """Return True if the YAML ``file`` has questions with several right answers, by its keys."""
        return is_eponymous(file)

    def files_of_language(self, folder: Path) -> list[Path]:
        """Return the files in the folder eponymous of a language, sorted; raises WordListError for .yml."""
        return yaml_files(folder / "eponymous", WordListError)

    def lint_file(self, file: Path) -> Iterator[Finding]:
        """Yield the findings in ``file``; raises WordListError if it cannot be read."""
        return lint_eponymous(file)

    def lint_study(self, study: Study) -> FoundInFiles:
        """Lint the files that ``study`` names, of any format; raises InputErrors."""
        if not study.settings.has("ambiguity.selectional"):
            return FoundInFiles()
        settings = selectional_of(study)
        own = tuple(entry for entry in settings.questions if not entry.startswith("builtin:"))
        read = load_ambiguous_questions(own, settings.group, study.settings.language, study.path, study.file)
        findings = lint_questions(read.questions, settings.group)
        return FoundInFiles(
            tuple(read.files), tuple(f for f in findings if settings.balance or f.rule != "fixed-names")
        )


QUESTION_FILES = _QuestionFiles()
"""The kind of files."""
