"""study.yaml: what a study is made of, as pydantic models, and the folder that it lives in."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NoReturn

from pydantic import Field, ValidationInfo, field_validator, model_validator

from nextset.errors import StudyError
from nextset.filter_rule import FilterRule, Form, checked
from nextset.hold import hold
from nextset.located_yaml import HandWritten, read_model
from nextset.scoring_settings import ModelSettings, ScoringSettings
from nextset.session_settings import ValidateSettings

__all__ = [
    "AuditSettings",
    "BalanceSettings",
    "FillSettings",
    "FilterSettings",
    "GenerateSettings",
    "QuestionSettings",
    "ReleaseSettings",
    "Study",
    "StudyFile",
]


def _paths(paths: tuple[str, ...]) -> tuple[str, ...]:
    for path in paths:
        if not path.strip() or "\0" in path:
            raise ValueError(f"{path!r} is no path")
    return paths


ModelName = Annotated[str, Field(min_length=1, pattern=r"^[^\s\x00]+$")]

PartOfSpeech = Literal[
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "SCONJ",
    "VERB",
]  # fmt: skip
"""The tags of Universal Dependencies that a word of letters can have."""


class GenerateSettings(HandWritten):
    """generate: templates become items."""

    tests: bool = True
    """Also expand the test hypotheses, whose labels are known."""
    max_rows: int = Field(default=50_000_000, ge=1)
    """A template set whose product is larger is refused before anything is expanded."""


ClassName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]


class QuestionSettings(HandWritten):
    """questions: language packs become underspecified questions and masked statements."""

    packs: tuple[str, ...] = Field(min_length=1)
    """builtin:en, folders of language packs, or folders in UnQover's published layout."""
    classes: tuple[ClassName, ...] = ()
    """The classes to expand; all of the packs' when empty."""
    forms: tuple[Literal["question", "statement"], ...] = Field(("question", "statement"), min_length=1)
    """question: for QA models. statement: for masked language models."""
    prefix: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9_-]{0,63})?$")
    """The name of a prefix that the pack lists, put before each context."""
    masked_for: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9_-]{0,63})?$")
    """Published layout: statements take the subjects listed for this model, such as roberta."""
    quirks: Literal["mended", "published"] = "mended"
    """Published layout: published keeps every slip of the published lists and generator."""
    subset: int | None = Field(default=None, ge=1, strict=True)
    """So many rows of each class and form, sampled evenly; all when left out."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the sample."""

    @field_validator("packs")
    @classmethod
    def _no_nul(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        return _paths(paths)


class FillSettings(HandWritten):
    """fill: a masked language model fills {{MASK}}."""

    model: ModelName = "builtin:masked-lm"
    top_k: int = Field(default=20, ge=1, le=1000)
    """Whole words kept a mask; with several masks in a sentence, combinations of words."""
    pieces: int = Field(default=1, ge=1, le=8)
    """The most tokens that a word may have."""
    groups: Literal["apart", "joint"] = "apart"
    """apart: each group's sentence gets its own words. joint: both get the same, scored on both."""
    premise: bool = False
    """The model sees the premise too."""
    group_words: bool = False
    """Keep fills that name one of the groups."""
    part_of_speech: tuple[PartOfSpeech, ...] = ()
    """Keep fills with one of these Universal POS tags only; empty keeps all."""
    tagger: str = Field(default="", pattern=r"^[^\s\x00]*$")
    """The spaCy model that judges parts of speech: an installed one or a folder."""
    fluency: bool = False
    """Score the fluency of every filled sentence."""

    @model_validator(mode="after")
    def _tagger_for_parts_of_speech(self) -> FillSettings:
        if bool(self.part_of_speech) != bool(self.tagger):
            raise ValueError("part_of_speech and tagger need each other: give both or neither")
        return self


Candidate = Literal["filled", "imported", "plain", "questions", "statements"]


class BalanceSettings(HandWritten):
    """filter.balance: what becomes of a shift between stances or groups."""

    by: Literal["stance", "group"] = "stance"
    """What is compared between kept items and candidates; questions and statements have groups alone."""
    warn_above: float = Field(default=0.1, gt=0, le=1)
    """A share that differs by more is warned of."""
    mend: bool = False
    """Leave out a random part of what is over-represented, until nothing differs by more."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the random part."""


class FilterSettings(HandWritten):
    """score and filter: which models are asked, and what is kept."""

    candidates: tuple[Candidate, ...] = Field(("filled", "imported"), min_length=1)
    """Which items can come into the new set: NLI items, or questions, or statements."""
    models: tuple[ModelName, ...] = Field(min_length=1)
    """The models that filter."""
    held_out: tuple[ModelName, ...] = ()
    """Models that never see the filter; asked only after it."""
    cascade: bool = False
    """Ask a model only about the items that no earlier model decided."""
    rule: FilterRule = Field(FilterRule(any_wrong=True), validate_default=True)
    """Which candidates are kept; any_wrong: what at least one model gets wrong."""
    pairs: Literal["whole", "apart"] = "whole"
    """whole: items that differ only by group are kept together. apart: each for itself, as in BBNLI-next."""
    balance: BalanceSettings = BalanceSettings()

    @property
    def form(self) -> Form:
        """What the candidates are."""
        return _form(self.candidates)

    @field_validator("candidates")
    @classmethod
    def _one_form(cls, given: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        alone = {"questions", "statements"} & set(given)
        if alone and len(given) > 1:
            raise ValueError(f"{min(alone)} cannot be chosen together with others")
        return given

    @field_validator("models", "held_out")
    @classmethod
    def _each_once(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        twice = next((name for i, name in enumerate(given) if name in given[:i]), None)
        if twice is not None:
            raise ValueError(f"{twice} is named twice: a model has one vote")
        return given

    @field_validator("rule")
    @classmethod
    def _rule_fits(cls, rule: FilterRule, info: ValidationInfo) -> FilterRule:
        known = info.data
        if not {"candidates", "models", "cascade"} <= known.keys():
            return rule  # one of them is wrong itself, and named
        form = _form(known["candidates"])
        return checked(rule, form, len(known["models"]), cascade=known["cascade"])


def _form(candidates: tuple[Candidate, ...]) -> Form:
    forms: dict[Candidate, Form] = {"questions": "question", "statements": "statement"}
    return forms.get(candidates[0], "nli")


class ReleaseSettings(HandWritten):
    """release: the dataset version."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$")
    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    license: str = "cc-by-4.0"
    authors: tuple[str, ...] = ()
    counterfactuals: bool = True
    """Add each item's counterpart, with the group swapped in the hypothesis alone."""


class AuditSettings(HandWritten):
    """audit: which models are measured besides those of the filter."""

    models: tuple[ModelName, ...] = ()


class StudyFile(HandWritten):
    """The whole of study.yaml."""

    format: Literal[1]
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$")
    about: str = ""
    language: str = Field(default="en", pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")
    templates: tuple[str, ...] = ()
    """Template files or folders, or builtin:bbnli, builtin:gender, builtin:gender/NAME."""
    overlays: tuple[str, ...] = ()
    """Overlay files or folders, which add to templates without touching their files."""
    questions: QuestionSettings | None = None
    generate: GenerateSettings = GenerateSettings()
    fill: FillSettings = FillSettings()
    models: dict[ModelName, ModelSettings] = Field(default_factory=dict)
    """What single models need, by the names that the other sections give them."""
    scoring: ScoringSettings = ScoringSettings()
    filter: FilterSettings | None = None
    validate_: ValidateSettings = Field(default=ValidateSettings(), alias="validate")
    release: ReleaseSettings | None = None
    audit: AuditSettings = AuditSettings()

    @model_validator(mode="after")
    def _whole(self) -> StudyFile:
        if self.filter is None and self.questions is None:
            raise ValueError("'filter' is missing: which models choose the new set")
        if self.filter is not None and self.filter.cascade and not self.scoring.cache:
            raise ValueError("filter.cascade needs the score cache: leave scoring.cache out")
        self._models_fit()
        if self.filter is not None and self.filter.form != "nli":
            if (self.scoring.precision, self.scoring.mode) == ("bfloat16", "canonical"):
                raise ValueError(
                    "scoring.precision: bfloat16 is too coarse for two subjects in canonical mode: "
                    "use float32, or mode: fast"
                )
            if self.questions is None:
                raise ValueError(f"'questions' is missing, and filter.candidates are {self.filter.form}s")
            if self.validate_.judge == "rule":
                raise ValueError(
                    f"validate.judge: rule is for NLI items, and filter.candidates are {self.filter.form}s"
                )
            if self.release is not None:
                raise ValueError(f"'release' is for NLI items, and filter.candidates are {self.filter.form}s")
        elif (self.filter is None) != (self.release is None):
            raise ValueError(f"{'release' if self.release is None else 'filter'!r} is missing")
        return self

    def _models_fit(self) -> None:
        chosen = (*self.filter.models, *self.filter.held_out) if self.filter is not None else ()
        asked = (*chosen, *self.audit.models)
        if self.scoring.engine == "ray" and any(name.startswith("openai:") for name in asked):
            raise ValueError(
                "scoring.engine: ray, but limits of servers are counted in one process: use local"
            )
        for name in self.models:
            if name not in asked:
                near = difflib.get_close_matches(name, asked, n=1, cutoff=0.5)
                hint = f"; is {near[0]!r} meant?" if near else ""
                raise ValueError(f"models: no section asks a model called {name!r}{hint}")

    @field_validator("templates", "overlays")
    @classmethod
    def _no_nul(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        return _paths(paths)


@dataclass(frozen=True)
class Study:
    """A study: its settings and its folder."""

    folder: Path
    settings: StudyFile
    file: Path

    @classmethod
    def load(cls, path: Path | str) -> Study:
        """The study in folder ``path`` (or in the study.yaml that ``path`` names).

        Raises StudyError with file, line and remedy.
        """
        path = Path(path)
        file = path / "study.yaml" if path.is_dir() else path
        if not file.is_file():
            raise StudyError(
                "no such study", file=file, remedy="name a folder with a study.yaml, or `nextset new` one"
            )
        settings, _ = read_model(file, StudyFile, StudyError)
        return cls(file.parent.resolve(), settings, file)

    @property
    def filter(self) -> FilterSettings:
        """The section filter; raises StudyError when the study has none."""
        if self.settings.filter is None:
            self._missing("filter", FilterSettings)
        return self.settings.filter

    @property
    def release(self) -> ReleaseSettings:
        """The section release; raises StudyError when the study has none."""
        if self.settings.release is None:
            self._missing("release", ReleaseSettings)
        return self.settings.release

    def _missing(self, section: str, settings: type[HandWritten]) -> NoReturn:
        needed = ", ".join(name for name, f in settings.model_fields.items() if f.is_required())
        raise StudyError(
            f"{section!r} is missing", file=self.file, line=1, remedy=f"add {section!r} with {needed}"
        )

    @property
    def out(self) -> Path:
        """Where the stages leave their results; can be deleted at any time."""
        return self.folder / "out"

    @property
    def judgments(self) -> Path:
        """Where people's judgments are kept; never under ``out``, never deleted by nextset."""
        return self.folder / "judgments"

    @property
    def imported(self) -> Path:
        """Where ``nextset import`` puts data."""
        return self.folder / "imported"

    def path(self, written: str) -> Path:
        """A path as study.yaml has it: relative to the study, or beginning with $VARIABLE."""
        match = re.match(r"\$([A-Z][A-Z0-9_]*)(?=/|$)", written)
        if match:
            name = match[1]
            value = os.environ.get(name)
            if not value:
                raise StudyError(
                    f"{written} needs the environment variable {name}, which is not set",
                    file=self.file,
                    remedy=f"export {name}=FOLDER and run again",
                )
            written = value + written[match.end() :]
        return self.folder / written

    @contextmanager
    def held(self, command: str) -> Iterator[None]:
        """Hold the study while ``command`` works on it; raises StudyHeld when another process does."""
        with hold(self.out, command):
            yield
