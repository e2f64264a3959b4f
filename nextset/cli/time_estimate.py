"""The estimated time of a study's models: each model is timed on a few of the study's rows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.errors import NextsetError
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study

if TYPE_CHECKING:
    from nextset.forms import FormName
    from nextset.generation.preview import Preview
    from nextset.generation.section_preview import TimedModel
    from nextset.scoring.models.sources import ModelSource

__all__ = ["ModelTime", "estimate_time", "example_inputs"]

_ROWS = 16
"""Rows that a model is timed on: a few, so that the estimate takes seconds."""
_WRITTEN_TOKENS = 32
"""Tokens that a model that writes is timed on, to estimate the time of a whole answer."""


@short_repr
@dataclass(frozen=True, slots=True)
class ModelTime:
    """The estimated time of a model on this machine, from its loading time and a few rows."""

    model: str
    """The model, as the study names it."""
    role: str
    """fill; filter; held out and audit; or that of an extension, such as interventions."""
    inputs: int
    """The most inputs that it is asked: prompts of fill, pairs, or four per quad or statement."""
    seconds: float | None
    """The estimated time for all inputs if no score is in the cache; None if it was not measured."""
    why_not: str = ""
    """Why it was not measured."""


@of_study
def estimate_time(study: Study, preview: Preview) -> tuple[ModelTime, ...]:
    """Load each model of ``study`` and estimate its time for the rows of ``preview``, from a few.

    Models behind a server, which may cost money, and models that run on Ray are not asked. The row of a model
    that cannot be used says why.
    """
    from nextset.generation.preview import preview as study_preview

    settings = study.settings
    if not (preview.examples or preview.questions or any(preview.section_examples.values())):
        preview = study_preview(study, 1)
    times = []
    if preview.prompts:
        times.append(_timed(study, settings.fill.model, "fill", preview.prompts, preview))
    if settings.filter is not None:
        models = settings.filter.models
        later = (*settings.filter.held_out, *settings.audit.models)
        for role, names in (("filter", models), ("held out and audit, at most", later)):
            each = preview.scorings[role] // len(names) if names else 0
            times += [_timed(study, name, role, each, preview) for name in names]
    times += [_timed_model(study, model, preview) for model in preview.section_models]
    return tuple(times)


def _timed_model(study: Study, timed: TimedModel, preview: Preview) -> ModelTime:
    """Return the time of a model that the section of an extension asks."""
    if timed.form is None:
        return ModelTime(timed.model, timed.role, timed.inputs, None, timed.why_not)
    return _timed(study, timed.model, timed.role, timed.inputs, preview, timed)


def _timed(
    study: Study, model: str, role: str, inputs: int, preview: Preview, timed: TimedModel | None = None
) -> ModelTime:
    from nextset.scoring.models.sources import is_on_this_machine

    role = role.removesuffix(", at most")
    why_not = ""
    if model.startswith("openai:"):
        why_not = "it is behind a server"
    elif role != "fill" and study.settings.scoring.engine == "ray":
        why_not = "it runs on a Ray cluster"
    elif not is_on_this_machine(model, study.folder):
        why_not = "it is not downloaded yet"
    if why_not or not inputs:
        return ModelTime(model, role, inputs, None if why_not else 0.0, why_not)
    try:
        if role == "fill":
            load, each = _filling(study, model, preview)
        else:
            load, each = _scoring(study, model, preview, timed)
    except NextsetError as e:
        return ModelTime(model, role, inputs, None, str(e))
    return ModelTime(model, role, inputs, load + inputs * each)


def _filling(study: Study, model: str, preview: Preview) -> tuple[float, float]:
    from nextset.generation.mask_fills.filled_items import words_per_mask
    from nextset.scoring.masks.filler import MaskFiller
    from nextset.scoring.masks.masked_text import Masked, Prompt
    from nextset.scoring.model_kinds import fill_kind
    from nextset.scoring.study_models import source_of

    source = source_of(study, model)
    if fill_kind(source) != "masked_lm":
        return _writing(study, source)
    settings = study.settings.fill
    masked = [example for example in preview.examples if "{{MASK}}" in example.hypothesis]
    prompts = [Prompt((Masked(e.hypothesis, e.premise if settings.premise else ""),)) for e in masked]
    prompts += [Prompt((Masked(text),)) for text in preview.masked_sentences]
    begun = time.monotonic()
    filler = MaskFiller.load(source)
    load = time.monotonic() - begun
    return load, _each(lambda: filler.fill(prompts, words_per_mask(settings), settings.pieces), len(prompts))


def _writing(study: Study, source: ModelSource) -> tuple[float, float]:
    """Return the seconds to load a model that writes and to write an answer as long as it may be."""
    from nextset.generation.mask_fills.fill_model import check_fill_model
    from nextset.generation.writers.stage import tokens_per_proposal
    from nextset.scoring.generative.text_writer import text_writer
    from nextset.scoring.writer_protocol import WritingRequest
    from nextset.study.scoring_settings import ModelSettings

    check_fill_model(study)
    settings, writer = study.settings, study.settings.fill.writer
    begun = time.monotonic()
    loaded = text_writer(source, settings.scoring, settings.models.get(source.name, ModelSettings()))
    load = time.monotonic() - begun
    tokens = _WRITTEN_TOKENS
    requests = [WritingRequest("Write words, one per line.", tokens, writer.temperature, writer.seed)]
    whole = tokens_per_proposal(writer.propose) * writer.proposals
    return load, _each(lambda: loaded.write(requests), 1) * whole / tokens


def _scoring(study: Study, model: str, preview: Preview, timed: TimedModel | None) -> tuple[float, float]:
    from nextset.scoring.study_models import model_of

    form = timed.form() if timed is not None and timed.form is not None else _form(study, model)
    rows = (
        timed.rows() if timed is not None and timed.rows is not None else example_inputs(study, preview, form)
    )
    inputs = (list(rows) * _ROWS)[: max(len(rows), _ROWS)]  # too few rows are repeated to fill a batch
    begun = time.monotonic()
    scorer = model_of(study, model, form).scorer(None)
    load = time.monotonic() - begun
    return load, _each(lambda: scorer.scores(scorer.encoded(inputs)), len(inputs))


def _form(study: Study, model: str) -> FormName:
    """Return one of the forms that the study asks the model in."""
    from nextset.scoring.study_models import forms_of_audit

    settings = study.settings
    if settings.filter is None or model not in (*settings.filter.models, *settings.filter.held_out):
        return forms_of_audit(study, model)[0]
    return settings.filter.form


def example_inputs(study: Study, preview: Preview, asked: FormName) -> Sequence[Any]:
    """Return inputs of the form ``asked``, from the examples of ``preview``."""
    import pyarrow as pa

    from nextset.forms import FORMS
    from nextset.records.arrow_schema import arrow_schema, table_of
    from nextset.records.nli_items import NliItem
    from nextset.scoring.forms.scored_form import SCORED_FORMS
    from nextset.study.item_tables import imported_items

    form = SCORED_FORMS[asked]
    if asked in preview.section_rows:
        return form.inputs(
            pa.Table.from_pylist(list(preview.section_rows[asked]), arrow_schema(FORMS[asked].record))
        )
    if FORMS[asked].record is NliItem:
        items = [table_of(preview.examples, NliItem), imported_items(study.imported)]
        rows = pa.concat_tables([table.select(["premise", "hypothesis", "question"]) for table in items])
    else:
        column = f"{asked}_negated"
        rows = pa.Table.from_pylist([row for row in preview.questions if row.get(column)])
    return form.inputs(rows.slice(0, _ROWS))


def _each(ask: Any, n: int) -> float:
    """Return the seconds per row of ``ask``. Its first call is not timed, because it does extra work."""
    ask()
    begun = time.monotonic()
    ask()
    return (time.monotonic() - begun) / n
