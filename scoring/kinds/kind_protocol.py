"""The protocol of a kind of models: how to tell its models, the forms that they know, and their loading."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Any

from nextset.forms import FormName
from nextset.open_table import OpenTable
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import SCORED_FORMS, FormScorer
from nextset.scoring.model_server.stored_answers import AnswerReader
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import OUTCOME_COLUMNS, Scorer

__all__ = ["MODEL_KINDS", "ModelKind", "kinds_in_order"]


class ModelKind(ABC):
    """A kind of models; nextset registers its own in nextset.model_kinds."""

    name: str
    """The name of the kind, part of the keys of the score cache."""
    noun: str
    """The name of a model of the kind, as people read it."""
    place: int = 100
    """The place of the kind in lists of kinds; kinds with the same place are in alphabetical order."""
    listed: bool = True
    """True if errors recommend models of this kind."""
    endings: tuple[str, ...] = ()
    """The endings of the classes that the configs of its models name."""
    usual_form: FormName
    """The form that its models are asked about if none is named."""
    scorers: Mapping[FormName, FormScorer] = {}
    """The scorer for each form; a form can name more (`nextset.scoring.forms.scored_form.ScoredForm`)."""
    in_this_process: bool = True
    """True if models are loaded from a folder into this process."""
    writes: bool = False
    """True if models write text, and are asked in wordings."""
    fills_masks: bool = False
    """True if models fill masks."""
    may_fill_masks: bool = False
    """True if some models fill masks, which only loading one shows."""
    may_not_answer: bool = False
    """True if models can leave a prompt unanswered; then their numbers end with those of
    `nextset.scoring.scorer_protocol.OUTCOME_COLUMNS`."""
    other_uses: str = ""
    """Other settings that a model can be used for although it fails its canaries."""

    def has(self, source: ModelSource, architectures: Sequence[str]) -> bool:
        """Return True if the model in ``source`` is of this kind; its config names ``architectures``."""
        return any(name.endswith(ending) for name in architectures for ending in self.endings)

    def scorer(self, form: FormName) -> FormScorer | None:
        """Return the scorer for ``form``; None if models of this kind cannot be asked about it."""
        return self.scorers.get(form) or SCORED_FORMS[form].scorers.get(self.name)

    def numbers(self, form: FormName) -> tuple[str, ...]:
        """Return the names of the numbers that models of this kind give for an input of ``form``."""
        return SCORED_FORMS[form].numbers + (OUTCOME_COLUMNS if self.may_not_answer else ())

    def options(self, asking: Asking) -> dict[str, Any]:
        """Return the settings, except precision, that decide the answers, for JSON."""
        options: dict[str, Any] = {"form": asking.form}
        if not SCORED_FORMS[asking.form].windows:
            options["too_long"] = asking.model.too_long
        if self.in_this_process and asking.model.remote_code:
            options["remote_code"] = True
        scorer = self.scorer(asking.form)
        return {**options, **(scorer.options(asking) if scorer is not None else {})}

    def engine(self, asking: Asking) -> str:
        """Return the engine whose batched scores differ slightly from those of the engine local; else an
        empty text, which is the default."""
        return ""

    def check_engine(self, source: ModelSource, asking: Asking) -> None:
        """Raise ModelError or DependencyMissing if the study's engine cannot ask ``source``; by default, all
        engines can."""
        return

    def reused(self, scorer: Scorer[Any], asking: Asking) -> Scorer[Any] | None:
        """Return ``scorer``, whose model is the same, for the form and the prompts of ``asking``.

        None if it must be loaded again, which is the default.
        """
        return None

    def answer_reader(self, source: ModelSource, asking: Asking) -> AnswerReader | None:
        """Return a function that reads stored answers, with the thinking before them, and asks nothing.

        None if answers of the model are not stored, which is the default.
        """
        return None


MODEL_KINDS: OpenTable[ModelKind] = OpenTable("nextset.model_kinds", "kind of models")
"""The kinds of models of nextset and of installed packages."""


def kinds_in_order() -> list[ModelKind]:
    """Return all kinds, in the order of lists."""
    return sorted(MODEL_KINDS, key=lambda kind: kind.place)
