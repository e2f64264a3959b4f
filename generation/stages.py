"""The stages of generation: templates are expanded, and masks filled."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from nextset.pipeline.stage import Stage

if TYPE_CHECKING:
    from nextset.artifacts.artifact import Artifact, Recipe
    from nextset.artifacts.progress_callback import Progress
    from nextset.study.study_folder import Study
    from nextset.study.study_sections import StudyFile

__all__ = ["FILL", "GENERATE", "PORT"]


class Generate(Stage):
    """Expands templates into items, and language packs into question sets."""

    name = "generate"
    section = "generate"
    hides_empty_tables = True
    place = "made"

    @property
    def shown_tables(self) -> tuple[str, ...]:
        """The items with and without masks, then the tables of the other forms."""
        from nextset.forms import FORMS, NLI

        return tuple(dict.fromkeys((NLI.generated, "masked", *(form.generated for form in FORMS))))

    def wanted(self, settings: StudyFile) -> bool:
        return settings.generates

    def path(self, study: Study) -> Path:
        return study.out / self.name

    def recipe(self, study: Study) -> Recipe:
        from nextset.generation.stage import generate_recipe

        return generate_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.generation.stage import generate

        return generate(study, progress)


class Fill(Stage):
    """Lets a model fill the masks, or propose whole hypotheses."""

    name = "fill"
    section = "fill"
    inputs = ("generate",)
    artifacts: ClassVar[Mapping[str, str]] = {
        "mask_words": "fill",
        "fill_claims": "fill",
        "fluency": "fill",
        "fill_marks": "fill",
    }
    hides_empty_tables = True
    place = "made"
    checked_last = True

    @property
    def shown_tables(self) -> tuple[str, ...]:
        """The filled rows of each form."""
        from nextset.forms import FORMS, NLI

        filled = (form.generated for form in FORMS if form.masked)
        return tuple(dict.fromkeys((NLI.generated, *filled)))

    def wanted(self, settings: StudyFile) -> bool:
        return settings.generates and settings.fills

    def check(self, study: Study) -> None:
        from nextset.generation.mask_fills.fill_model import check_fill_model

        check_fill_model(study)

    def path(self, study: Study) -> Path:
        from nextset.pipeline.stage_list import stages_of

        ends_here = study.settings.filter is None and stages_of(study)[-1] is self
        return study.out / (self.name if ends_here else "generate")

    def recipe(self, study: Study) -> Recipe:
        from nextset.generation.mask_fills.fill_recipes import fill_recipe

        return fill_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.generation.mask_fills.stage import fill

        return fill(study, progress)


class Port(Stage):
    """Shows the decisions on templates that are brought to another culture, and makes the survey on them."""

    name = "port"
    section = "choices.port"
    inputs = ("generate",)
    before = ("fill", "score")
    step = "generate"
    is_page = True
    place = "port"

    def recipe(self, study: Study) -> Recipe:
        from nextset.generation.choices.port.stage import port_recipe

        return port_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.generation.choices.port.stage import port

        return port(study, progress)


GENERATE, FILL, PORT = Generate(), Fill(), Port()
