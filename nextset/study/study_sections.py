"""The whole of study.yaml; each section's settings have their own module."""

from __future__ import annotations

import difflib
from typing import Annotated, Literal

from pydantic import Field, model_validator

from nextset.extensions.ambiguity.settings.ambiguity_settings import AmbiguitySettings
from nextset.extensions.interventions.settings.intervention_settings import InterventionSettings
from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue, written_as
from nextset.study.audit_settings import AuditSettings
from nextset.study.field_types import Language, ModelName, Paths
from nextset.study.filter_settings import FilterSettings
from nextset.study.generation_settings import FillSettings, GenerateSettings, QuestionSettings
from nextset.study.release_settings import ReleaseSettings
from nextset.study.scoring_settings import ModelSettings, ScoringSettings
from nextset.study.validation_settings import ValidateSettings

__all__ = ["StudyFile"]


class StudyFile(HandWritten):
    """The whole of study.yaml."""

    format: Literal[1]
    name: Annotated[str, written_as(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}", "my-study")]
    about: str = ""
    language: Language = "en"
    templates: Paths = ()
    """Template files or folders, or builtin:bbnli, builtin:gender, builtin:gender/NAME, builtin:de."""
    overlays: Paths = ()
    """Overlay files or folders, which add to templates without touching their files."""
    questions: QuestionSettings | None = None
    interventions: InterventionSettings | None = None
    ambiguity: AmbiguitySettings | None = None
    generate: GenerateSettings = GenerateSettings()
    fill: FillSettings = FillSettings()
    models: dict[ModelName, ModelSettings] = Field(default_factory=dict)
    """Settings of single models, by their names in the other sections."""
    scoring: ScoringSettings = ScoringSettings()
    filter: FilterSettings | None = None
    validate_: ValidateSettings = Field(default=ValidateSettings(), alias="validate")
    release: ReleaseSettings | None = None
    audit: AuditSettings = AuditSettings()

    @model_validator(mode="after")
    def _whole(self) -> StudyFile:
        if not self.generates and self.ambiguity is None:
            raise WrongValue(
                "there is nothing to generate", 'add templates: ["builtin:gender"], questions, or ambiguity'
            )
        if self.filter is not None and self.filter.cascade and not self.scoring.cache:
            raise WrongValue("filter.cascade needs the score cache", "remove scoring.cache")
        self._models_fit()
        if self.filter is not None and self.filter.form != "nli":
            if (self.scoring.precision, self.scoring.mode) == ("bfloat16", "canonical"):
                raise WrongValue(
                    "scoring.precision: bfloat16 is too coarse for two subjects in canonical mode",
                    "write precision: float32, or mode: fast",
                )
            if self.questions is None:
                raise WrongValue(
                    f"'questions' is missing, but filter.candidates are {self.filter.form}s",
                    'add questions: {packs: ["builtin:en"]}',
                )
            if self.validate_.judge == "rule":
                raise WrongValue(
                    f"validate.judge: rule is for NLI items, but filter.candidates are {self.filter.form}s",
                    "write validate: {judge: people}",
                )
        elif self.filter is not None and self.release is None:
            raise WrongValue("'release' is missing", f"add release: {{name: {self.name}, version: 0.1.0}}")
        if self.filter is None and self.release is not None and self.templates:
            raise WrongValue(
                "'filter' is missing: items from templates are released once they are filtered",
                "add filter: {models: [MODEL, ...]}, or remove release",
            )
        return self

    @property
    def generates(self) -> bool:
        """True if templates or language packs are expanded, or imported items filtered."""
        return self.filter is not None or self.questions is not None or bool(self.templates)

    def _models_fit(self) -> None:
        filter_models = (*self.filter.models, *self.filter.held_out) if self.filter is not None else ()
        intervention_models = self.interventions.models if self.interventions is not None else ()
        ambiguity = self.ambiguity.models if self.ambiguity is not None else ()
        asked = (*filter_models, *self.audit.models, *intervention_models, *ambiguity)
        if self.scoring.engine == "ray" and any(name.startswith("openai:") for name in asked):
            raise WrongValue(
                "scoring.engine: ray cannot ask openai: models, because one process must count the limits of "
                "servers",
                "write engine: local",
            )
        for name, settings in self.models.items():
            if name in self.fill.models and name not in asked:
                ignored = sorted(settings.model_fields_set - {"label"})
                if ignored:
                    raise WrongValue(
                        f"models.{name}.{ignored[0]} would change nothing: the model only fills masks "
                        "or checks fills",
                        "remove it",
                    )
            elif name not in asked:
                near = difflib.get_close_matches(name, asked, n=1, cutoff=0.5)
                hint = (
                    f"did you mean {near[0]!r}?"
                    if near
                    else "remove it, or name it in filter, audit, interventions or ambiguity"
                )
                raise WrongValue(f"models: no section names a model {name!r}", hint)
