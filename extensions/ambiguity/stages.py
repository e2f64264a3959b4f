"""The stages of ambiguity: who is found in a text with several right answers, and in a collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from nextset.pipeline.stage import Stage

if TYPE_CHECKING:
    from nextset.artifacts.artifact import Artifact, Recipe
    from nextset.artifacts.progress_callback import Progress
    from nextset.study.study_folder import Study

__all__ = [
    "AMBIGUOUS_QUESTIONS",
    "PASSAGE_INDEX",
    "RETRIEVAL",
    "RETRIEVAL_REPORT",
    "RETRIEVED",
    "SELECTIONAL",
    "SELECTIONAL_REPORT",
]


class AmbiguousQuestions(Stage):
    """Makes questions with several right answers in the context."""

    name = "ambiguous_questions"
    section = "ambiguity.selectional"
    command = "selectional"
    shown_tables = ("questions", "answers")

    def recipe(self, study: Study) -> Recipe:
        from nextset.extensions.ambiguity.questions.stage import ambiguous_questions_recipe

        return ambiguous_questions_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.extensions.ambiguity.questions.stage import make_ambiguous_questions

        return make_ambiguous_questions(study, progress)


class Selectional(Stage):
    """Asks the questions, and measures who is found."""

    name = "selectional"
    section = "ambiguity.selectional"
    inputs = ("ambiguous_questions",)
    artifacts: ClassVar[Mapping[str, str]] = {"selectional_answers": "selectional"}

    def check(self, study: Study) -> None:
        from nextset.extensions.ambiguity.questions.stage import question_languages
        from nextset.extensions.ambiguity.selectional.stage import check_selectional

        check_selectional(study, question_languages(study))

    def recipe(self, study: Study) -> Recipe:
        from nextset.extensions.ambiguity.selectional.stage import selectional_recipe

        return selectional_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.extensions.ambiguity.selectional.stage import audit_selectional

        return audit_selectional(study, progress)


class SelectionalReport(Stage):
    """Writes the HTML report on questions with several right answers."""

    name = "selectional_report"
    section = "ambiguity.selectional"
    inputs = ("ambiguous_questions", "selectional")
    is_page = True
    command = "selectional"
    place = "selectional"

    def recipe(self, study: Study) -> Recipe:
        from nextset.extensions.ambiguity.selectional.report_stage import selectional_report_recipe

        return selectional_report_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.extensions.ambiguity.selectional.report_stage import report_selectional

        return report_selectional(study, progress)


class PassageIndex(Stage):
    """Reads a collection of passages, and indexes its words."""

    name = "passage_index"
    section = "ambiguity.retrieval"
    command = "retrieval"

    def recipe(self, study: Study) -> Recipe:
        from nextset.extensions.ambiguity.search.stage import passage_index_recipe

        return passage_index_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.extensions.ambiguity.search.stage import index_passages

        return index_passages(study, progress)


class Retrieved(Stage):
    """Searches the collection with every retriever."""

    name = "retrieved"
    section = "ambiguity.retrieval"
    inputs = ("passage_index",)
    command = "retrieval"
    artifacts: ClassVar[Mapping[str, str]] = {"passage_vectors*": "retrieval"}
    shown_tables = ("retrieved",)

    def recipe(self, study: Study) -> Recipe:
        from nextset.extensions.ambiguity.search.search_stage import retrieved_recipe

        return retrieved_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.extensions.ambiguity.search.search_stage import search_passages

        return search_passages(study, progress)


class Retrieval(Stage):
    """Lets readers answer open questions, and measures who is found."""

    name = "retrieval"
    section = "ambiguity.retrieval"
    inputs = ("passage_index", "retrieved")
    artifacts: ClassVar[Mapping[str, str]] = {"retrieval_answers": "retrieval"}

    def check(self, study: Study) -> None:
        from nextset.extensions.ambiguity.retrieval.stage import check_retrieval

        check_retrieval(study)

    def recipe(self, study: Study) -> Recipe:
        from nextset.extensions.ambiguity.retrieval.stage import retrieval_recipe

        return retrieval_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.extensions.ambiguity.retrieval.stage import audit_retrieval

        return audit_retrieval(study, progress)


class RetrievalReport(Stage):
    """Writes the HTML report on retrieval."""

    name = "retrieval_report"
    section = "ambiguity.retrieval"
    inputs = ("retrieved", "retrieval")
    is_page = True
    command = "retrieval"
    place = "retrieval"

    def recipe(self, study: Study) -> Recipe:
        from nextset.extensions.ambiguity.retrieval.report_stage import retrieval_report_recipe

        return retrieval_report_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.extensions.ambiguity.retrieval.report_stage import report_retrieval

        return report_retrieval(study, progress)


AMBIGUOUS_QUESTIONS = AmbiguousQuestions()
SELECTIONAL, SELECTIONAL_REPORT = Selectional(), SelectionalReport()
PASSAGE_INDEX, RETRIEVED = PassageIndex(), Retrieved()
RETRIEVAL, RETRIEVAL_REPORT = Retrieval(), RetrievalReport()
