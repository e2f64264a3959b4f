"""A stage: a step of the pipeline that a package declares beside its code."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from nextset.counted import counted

if TYPE_CHECKING:
    from nextset.artifacts.artifact import Artifact, Recipe
    from nextset.artifacts.progress_callback import Progress
    from nextset.records.expected_units import ExpectedValid
    from nextset.study.study_folder import Study
    from nextset.study.study_sections import StudyFile

__all__ = ["Accuracy", "Stage", "count_warnings"]


@dataclass(frozen=True)
class Accuracy:
    """A model's accuracy before and after the filter."""

    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit."""
    plain: float | None
    """Share of right labels on the plain expansion, in [0, 1]; None if it is undefined."""
    new: float | None
    """The share of right labels on the released dataset; None if it is undefined."""
    unanswered: str = ""
    """A sentence on the released items that the model did not answer; empty if it answered all."""


class Stage(ABC):
    """A step of the pipeline: it reads artifacts and writes one to ``out/NAME``.

    A package declares a stage in a module that imports nothing heavy, and registers it under its name::

        [project.entry-points."nextset.stages"]
        spelling = "my_package.stages:SPELLING"

    A subclass gives at least `name`, `recipe` and `run`, and `section` or `wanted`. Its methods import the
    code of the stage, so that the list of stages is read fast.
    """

    name: str
    """The name of the stage and of its artifact, and of its entry point."""
    section: str = ""
    """The section of study.yaml that has its settings, such as filter or ambiguity.retrieval."""
    inputs: tuple[str, ...] = ()
    """The stages whose artifacts it reads: it runs after those that a study has."""
    before: tuple[str, ...] = ()
    """Stages that can use its result without reading its artifact: it runs before them."""
    step: str = ""
    """The step of `nextset status` to which it belongs, such as audit; by default that of its section, or of
    the first section that uses its result."""
    is_page: bool = False
    """True if the stage only shows the results of others, as the page ``out/NAME/index.html``."""
    artifacts: ClassVar[Mapping[str, str]] = {}
    """Further artifacts that the package makes for the stage, each with its command without ``nextset``. A
    name may end with an asterisk: passage_vectors* names all artifacts that begin so."""
    hides_empty_tables: bool = False
    """True if tables without rows are not printed: there is one for each kind of rows."""
    shown_in_summary: bool = True
    """False if only the line of the stage prints the numbers of rows, not the summary of the run."""
    place: str = ""
    """The name of the stage's page or folder in the summary of a run, such as report; empty without one."""
    forecasts: str = ""
    """The stage whose state the method `forecast` completes; empty without one."""
    checked_last: bool = False
    """True if a run checks this stage after those whose models answer test cases."""

    @property
    def shown_tables(self) -> tuple[str, ...]:
        """The tables whose numbers of rows are printed."""
        return ()

    def __repr__(self) -> str:
        return f"<Stage {self.name}>"

    @property
    def command(self) -> str:
        """The command that makes the artifact, without ``nextset``, such as release build."""
        return self.name

    def wanted(self, settings: StudyFile) -> bool:
        """Return True if a study with ``settings`` runs the stage: by default if it has the `section`."""
        return settings.has(self.section)

    def left_out(self, settings: StudyFile) -> tuple[str, ...]:
        """Return the other stages that a study does not run because it runs this one."""
        return ()

    def check(self, study: Study) -> None:  # noqa: B027 – most stages have nothing to check
        """Raise a NextsetError if something that ``study`` names for the stage cannot be used.

        A run checks all its stages before the first one runs.
        """

    @abstractmethod
    def recipe(self, study: Study) -> Recipe:
        """Return the recipe of the stage's artifact as of now. Raises ArtifactError if a stage is missing."""

    @abstractmethod
    def run(self, study: Study, progress: Progress) -> Artifact:
        """Make the stage's artifact, or reuse the existing one."""

    def warnings(self, artifact: Artifact) -> tuple[str, ...]:
        """Return what the user should know about ``artifact``: the warnings in its table conclusions."""
        return tuple(row["text"] for row in _conclusions(artifact) if row["warning"])

    def conclusions(self, artifact: Artifact) -> tuple[str, ...]:
        """Return the findings in ``artifact`` as sentences: those in its table conclusions."""
        return tuple(row["text"] for row in _conclusions(artifact) if not row["warning"])

    def path(self, study: Study) -> Path:
        """Return the path that the summary of a run shows under `place`, once the stage has run."""
        return study.out / self.name / "index.html"

    def accuracies(self, study: Study) -> tuple[Accuracy, ...]:
        """Return the accuracy of each model, in [0, 1], for the summary; empty if it is not measured."""
        return ()

    def version_text(self, study: Study) -> str:
        """Return a line on the dataset version that the stage has written; empty if it writes none."""
        return ""

    def changed_files(self, study: Study, *, deep: bool) -> tuple[str, ...]:
        """Return the damaged files that the stage wrote outside its artifact, relative to out/.

        With ``deep``, their content is compared, not only their size.
        """
        return ()

    def forecast(self, study: Study) -> ExpectedValid | None:
        """Return the units of the stage `forecasts` that annotators can be expected to call valid.

        None if that stage has not run.
        """
        return None


def count_warnings(artifact: Artifact, texts: Mapping[str, tuple[str, str]]) -> tuple[str, ...]:
    """Return a warning for each count of ``artifact`` in ``texts`` that is not 0.

    ``texts`` has, for each count, the text after a number of several and the text after 1.
    """
    return tuple(counted(n, *text) for name, text in texts.items() if (n := artifact.counts.get(name)))


def _conclusions(artifact: Artifact) -> list[dict[str, Any]]:
    return artifact.table("conclusions").to_pylist() if "conclusions" in artifact.tables else []
