"""The whole of study.yaml; each section's settings have their own module."""

from __future__ import annotations

import difflib
import functools
from dataclasses import fields
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Field, create_model, model_validator

from nextset.files.yaml_model import HandWritten, Prose
from nextset.files.yaml_values import WrongValue, written_as
from nextset.forms import FORMS, Form, FormName
from nextset.study.audit_settings import AuditSettings
from nextset.study.extension_sections import ExtensionSection, extension_sections
from nextset.study.field_types import Language, ModelName, Paths
from nextset.study.filter_settings import CANDIDATE_FORMS, FILLED_FORMS, FilterSettings
from nextset.study.generation_settings import FillSettings, GenerateSettings, QuestionSettings
from nextset.study.release_settings import ReleaseSettings
from nextset.study.scoring_settings import ModelSettings, ScoringSettings
from nextset.study.validation_settings import ValidateSettings

__all__ = ["StudyFile", "study_file_model"]

Settings = TypeVar("Settings", bound=HandWritten)
WRITING_SETTINGS = {"label", "system_prompt", "thinking", "adapter", "server"}
"""The settings of models that a model which only fills masks can use."""


class StudyFile(HandWritten):
    """The whole of study.yaml, without the sections of extensions: `study_file_model` adds them."""

    unknown_section: ClassVar[str] = "if it is the section of an extension, install the package that adds it"

    format: Literal[1]
    """The version of this file's format."""
    name: Annotated[str, written_as(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}", "my-study")]
    """The name of the study: letters, digits, dots, dashes and underscores."""
    about: Prose = ""
    """The purpose of the study, which the report and the dataset card show."""
    language: Language = "en"
    """The language tag of imported pairs; templates have their own."""
    templates: Annotated[Paths, Field(min_length=1)] = ()
    """Template files or folders; a path may begin with an environment variable. nextset's own:
    builtin:bbnli (all in English), builtin:gender, builtin:gender/NAME, builtin:de."""
    overlays: Paths = ()
    """Overlay files or folders, which add to templates without touching their files."""
    questions: QuestionSettings | None = None
    generate: GenerateSettings = GenerateSettings()
    fill: FillSettings = FillSettings()
    models: dict[ModelName, ModelSettings] = Field(default_factory=dict)
    scoring: ScoringSettings = ScoringSettings()
    filter: FilterSettings | None = None
    validate_: ValidateSettings = Field(default=ValidateSettings(), alias="validate")
    release: ReleaseSettings | None = None
    audit: AuditSettings = AuditSettings()

    @model_validator(mode="after")
    def _whole(self) -> StudyFile:
        if not self.generates and not any(section.sufficient for section in self.sections.values()):
            sufficient = [key for key, section in extension_sections().items() if section.sufficient]
            *keys, last = ('templates: ["builtin:gender"]', "questions", *sufficient)
            comma = "," if len(keys) > 1 else ""
            raise WrongValue("there is nothing to generate", f"add {', '.join(keys)}{comma} or {last}")
        if self.filter is not None and self.filter.cascade and not self.scoring.cache:
            raise WrongValue("filter.cascade needs the score cache", "remove scoring.cache")
        if self.filter is not None and self.validate_.unit == "pair":
            form = FORMS[self.filter.form]
            if all(column.name != "premise" for column in fields(form.record)):
                raise WrongValue(
                    f"validate.unit: {form.noun} have no premise, so there are no pairs to judge",
                    "remove validate.unit",
                )
        self._models_fit()
        if self.filter is not None:
            self._candidates_made(FORMS[self.filter.form])
        if self.filter is None:
            self._unfiltered()
        return self

    def _candidates_made(self, form: Form) -> None:
        """Raise WrongValue if a section that candidates of ``form`` need is missing, or does not fit them."""
        self._candidates_named(form)
        if form.quads and (self.scoring.precision, self.scoring.mode) == ("bfloat16", "canonical"):
            raise WrongValue(
                "scoring.precision: bfloat16 is too coarse for two subjects in canonical mode",
                "write precision: float32, or mode: fast",
            )
        if self.validate_.unit == "answer" and not form.answerable:
            raise WrongValue(
                f"validate.unit: answer is for choice items, but filter.candidates are {form.noun}",
                "write unit: hypothesis",
            )
        if form.counterparts:
            if self.release is None:
                raise WrongValue(
                    "'release' is missing", f"add release: {{name: {self.name}, version: 0.1.0}}"
                )
            return
        if form.section and not getattr(self, form.section, None):
            raise WrongValue(
                f"{form.section!r} is missing, but filter.candidates are {form.noun}",
                f'add {form.section}: {{packs: ["builtin:en"]}}',
            )
        if self.validate_.judge == "rule":
            raise WrongValue(
                f"validate.judge: rule is for NLI items, but filter.candidates are {form.noun}",
                "leave the section validate out, or write validate: {session: …} if people judge them",
            )
        if "validate_" in self.model_fields_set and self.validate_.session is None:
            raise WrongValue(
                f"validate: it changes nothing without session, in which people judge {form.noun}",
                "add validate.session (docs/how_to/validation.md), also for judgments in files",
            )

    def _candidates_named(self, form: Form) -> None:
        """Raise WrongValue if candidates are left out, and the study makes rows of another form only."""
        assert self.filter is not None
        made = [FORMS[section.makes] for section in self.sections.values() if section.makes]
        if self.templates or not made or "candidates" in self.filter.model_fields_set:
            return
        names = [name for name, of in {**CANDIDATE_FORMS, **FILLED_FORMS}.items() if of in made]
        raise WrongValue(
            f"'filter.candidates' is missing: they would be {form.noun}, but the study makes {made[0].noun}",
            f"add candidates: [{', '.join(names)}]",
        )

    def _unfiltered(self) -> None:
        """Raise WrongValue for a section that a study without a filter would leave out."""
        written = self.model_fields_set
        add_filter = "add filter: {models: [MODEL, ...]}"
        asked = [section for section in ("release", "audit") if section in written]
        for section, done in (("release", "released"), ("audit", "audited")):
            if section in asked and self.templates:
                raise WrongValue(
                    f"'filter' is missing: items from templates are {done} once they are filtered",
                    f"{add_filter}, or remove {section}",
                )
            if section in asked and not self._made_forms:
                raise WrongValue(
                    f"{section}: the study makes no rows that could be {done}",
                    f"add questions, choices or filter, or remove {section}",
                )
        if "audit" in asked and not self.audit.models:
            raise WrongValue(
                "audit: no model is named; without a filter, only these models are audited",
                "add audit: {models: [MODEL, ...]}, or remove audit",
            )
        if "validate_" in written:
            raise WrongValue(
                "'filter' is missing: annotators judge the items that a filter keeps",
                f"{add_filter}, or remove validate",
            )
        if "fill" in written and not self.fills:
            raise WrongValue("fill: there are no templates with masks", "add templates, or remove fill")

    @property
    def generates(self) -> bool:
        """True if templates or language packs are expanded, or imported items filtered."""
        return self.filter is not None or bool(self.templates) or bool(self._made_forms)

    @property
    def fills(self) -> bool:
        """True if filled masks are candidates of the filter, or results of a study without a filter."""
        if self.filter is None:
            return bool(self.templates) or any(s.makes_masks for s in self.sections.values())
        return not {"filled", *FILLED_FORMS}.isdisjoint(self.filter.candidates)

    @property
    def audited_forms(self) -> tuple[FormName, ...]:
        """The forms of the rows that the audit measures: the filter's, or else those of `questions`
        and of the sections of extensions."""
        if self.filter is not None:
            return (self.filter.form,)
        return self._made_forms if self.audit.models else ()

    @property
    def _made_forms(self) -> tuple[FormName, ...]:
        """The forms of the rows that `questions` and the sections of extensions make."""
        questions = () if self.questions is None else self.questions.forms
        made = (section.makes for section in self.sections.values() if section.makes)
        return tuple(dict.fromkeys((*questions, *made)))

    @property
    def sections(self) -> dict[str, ExtensionSection]:
        """The sections of extensions that the study has, by key, in their order."""
        sections = ((key, getattr(self, key, None)) for key in extension_sections())
        return {key: section for key, section in sections if section is not None}

    def has(self, section: str) -> bool:
        """Return True if the study has ``section``, such as ambiguity or ambiguity.retrieval."""
        return self._value(section) is not None

    def section(self, section: str, settings: type[Settings]) -> Settings | None:
        """Return the ``settings`` of a section of an extension; None if the study does not have it."""
        value = self._value(section)
        assert value is None or isinstance(value, settings)
        return value

    def _value(self, section: str) -> Any:
        value: Any = self
        for key in section.split("."):
            value = getattr(value, key, None)
        return value

    @property
    def server_models(self) -> tuple[str, ...]:
        """The models behind servers that a section names, each once."""
        named = dict.fromkeys((*self._asked, *self.fill.models))
        return tuple(name for name in named if name.startswith("openai:"))

    @property
    def _asked(self) -> tuple[str, ...]:
        filter_models = (*self.filter.models, *self.filter.held_out) if self.filter is not None else ()
        extension_models = (model for section in self.sections.values() for model in section.asked_models())
        return (*filter_models, *self.audit.models, *extension_models)

    def _models_fit(self) -> None:
        asked = self._asked
        for name in self.server_models:
            self.models.get(name, ModelSettings()).server.check(name, self.scoring.server)
        for name, settings in self.models.items():
            file = ":" in name or name.startswith((".", "/", "~"))
            if not file and "server" in settings.model_fields_set:
                raise WrongValue(
                    f"models.{name}.server: only a model behind a server has it, and its name begins with "
                    "openai:",
                    f"did you mean openai:{name}? Write that name here and in each section that names it",
                )
            if name in self.fill.models and name not in asked:
                ignored = sorted(settings.model_fields_set - WRITING_SETTINGS)
                if ignored:
                    raise WrongValue(
                        f"models.{name}.{ignored[0]} would change nothing: the model only fills masks "
                        "or checks fills",
                        "remove it",
                    )
            elif name not in asked:
                near = difflib.get_close_matches(name, asked, n=1, cutoff=0.5)
                *keys, last = ("filter", "audit", *extension_sections())
                sections = f"{', '.join(keys)} or {last}"
                hint = f"did you mean {near[0]!r}?" if near else f"remove it, or name it in {sections}"
                raise WrongValue(f"models: no section names a model {name!r}", hint)


@functools.cache
def study_file_model() -> type[StudyFile]:
    """Return the model of study.yaml with the sections that installed extensions add."""
    fields: dict[str, Any] = {key: (section | None, None) for key, section in extension_sections().items()}
    return create_model("StudyFile", __base__=StudyFile, __module__=__name__, **fields)
