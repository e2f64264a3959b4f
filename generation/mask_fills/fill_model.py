"""The model that fills the masks of a study: a masked language model, or one that writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nextset.errors import ModelError
from nextset.generation.forms.masked_form import MASKED_FORMS
from nextset.generation.mask_fills.fluency_stage import check_fluency_model
from nextset.generation.mask_fills.marks_stage import check_meaning_model
from nextset.generation.writers.stage import StudyWriter
from nextset.scoring.model_kinds import fill_kind
from nextset.scoring.study_models import located_model
from nextset.study.generation_settings import WriterSettings
from nextset.study.model_key import model_key
from nextset.study.study_folder import Study

if TYPE_CHECKING:
    from nextset.scoring.masks.filler import MaskFiller

__all__ = ["check_fill_model", "hypothesis_writer", "load_filler", "word_writer"]


def check_fill_model(study: Study) -> None:
    """Raise ModelError if a model of the section fill cannot be found, or is of the wrong kind.

    A run does this before its first stage. A study without masks has nothing to fill. Raises StudyError if
    the prompts of a writer are wrong.
    """
    if any(part.has_masks(study) for part in MASKED_FORMS):
        word_writer(study)
        check_fluency_model(study)
        check_meaning_model(study)


def load_filler(study: Study) -> MaskFiller:
    """Return the study's masked language model, loaded."""
    from nextset.scoring.masks.filler import MaskFiller

    with model_key(study.file, "fill", "model"):
        return MaskFiller.load(located_model(study, study.settings.fill.model))


def word_writer(study: Study) -> StudyWriter | None:
    """Return the study's writer; None if its model is a masked language model.

    Raises ModelError for other kinds of models, and if there are settings of a writer for a masked language
    model.
    """
    settings = study.settings.fill
    with model_key(study.file, "fill", "model"):
        source = located_model(study, settings.model)
        kind = fill_kind(source)
    if kind != "masked_lm":
        return StudyWriter.of(study, source)
    if settings.writer != WriterSettings():
        with model_key(study.file, "fill", "writer"):
            raise ModelError(
                f"fill.writer needs a model that writes, and {source.name} is a masked language model",
                remedy="remove fill.writer, or choose a causal language model or openai:MODEL as fill.model",
            )
    return None


def hypothesis_writer(study: Study) -> StudyWriter | None:
    """Return the study's writer if it proposes whole hypotheses, else None."""
    wanted = study.settings.fill.writer.propose == "hypotheses" and study.settings.templates
    return word_writer(study) if wanted else None
