"""The requests for scores of rows without one of their words."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass

import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import ModelError
from nextset.extensions.interventions.intervened_rows import INTERVENTION, applies
from nextset.extensions.interventions.intervention import KINDS, Intervention
from nextset.extensions.interventions.occlusion.even_sample import even_sample
from nextset.extensions.interventions.occlusion.occluded_rows import (
    OCCLUDED,
    OccludedRows,
    row_columns,
    tokenizer_of,
)
from nextset.extensions.interventions.settings.occlusion_settings import OcclusionSettings
from nextset.forms import FormName
from nextset.records.content_ids import content_id
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.row_chunks import Readable
from nextset.scoring.score_requests import Role, ScoringRequest
from nextset.scoring.subjects.masked_subject_scorer import HIDDEN

__all__ = ["OcclusionDesign", "OcclusionRequest", "occlusion_requests"]

_AT_ONCE = 32
"""The number of rows of a part; each becomes about twenty."""


@dataclass(frozen=True)
class OcclusionDesign:
    """The design of occlusion for rows of one form: units, interventions and models."""

    settings: OcclusionSettings
    """The sample, the units, and the text in their place."""
    form: FormName
    """The form of the rows."""
    rows: Callable[[], Iterator[Readable]]
    """The rows, in parts; they have the columns `occluded_rows.row_columns`, and
    NLI items have a label."""
    interventions: tuple[Intervention, ...]
    """The interventions; for each kind, a row gets the first one that applies to it."""
    sources: Mapping[str, ModelSource]
    """The models, by their names in the study."""


@dataclass(frozen=True)
class OcclusionRequest:
    """A request for scores, with the rows that it asks about."""

    form: FormName
    """The form of the rows."""
    asked: ScoringRequest
    parts: Callable[[], Iterator[OccludedRows]]
    """Its rows, in the parts that ``asked`` reads."""


def occlusion_requests(
    design: OcclusionDesign, inputs: Mapping[str, str], role: Role = "audit", stage: str = "score_occlusion"
) -> list[OcclusionRequest]:
    """Return the requests for ``design``: one request, or one per model if the texts depend on the model.

    They do if the units are the model's tokens, or if the model's mask token replaces them. ``inputs`` are
    the digests of the artifacts with the rows. Nothing is read until a request's rows are read; reading them
    raises ModelError if a model of the design lacks a tokenizer or a mask token that the design needs.
    """
    settings = design.settings
    hidden = settings.by == "mask" and design.form == "statement"
    together = settings.unit == "word" and (settings.by == "erase" or hidden)
    groups = [tuple(design.sources)] if together else [(name,) for name in design.sources]
    sample = functools.cache(lambda: _sampled(design))
    requests = []
    for number, models in enumerate(groups, 1):
        parts = functools.partial(_parts, design, sample, None if together else models[0])
        asked = ScoringRequest(
            stage=f"{stage}_{design.form}" if together else f"{stage}_{design.form}_{number}",
            form=design.form,
            rows=parts,
            inputs={**inputs, "occlusion": _digest(design)},
            models=models,
            role=role,
            carried=(INTERVENTION, OCCLUDED),
        )
        requests.append(OcclusionRequest(design.form, asked, parts))
    return requests


def _digest(design: OcclusionDesign) -> str:
    sentences = [json.dumps(asdict(i), sort_keys=True) for i in design.interventions]
    return content_id("occlusion", "1", design.form, design.settings.model_dump_json(), *sentences)


def _sampled(design: OcclusionDesign) -> pa.Table:
    settings = design.settings
    return even_sample(design.rows, design.form, row_columns(design.form), settings.rows, settings.seed)


def _parts(
    design: OcclusionDesign, sample: Callable[[], pa.Table], model: str | None
) -> Iterator[OccludedRows]:
    """Yield the sample without an intervention, then with the first intervention of each kind that applies.

    ``model`` is the model that is asked, if the texts depend on it; else None.
    """
    instead = _instead(design, model)
    tokens_of = design.sources[model] if model is not None and design.settings.unit == "token" else None
    if tokens_of is not None:
        for source in design.sources.values():  # before the first model is asked
            tokenizer_of(source)
    for intervention, rows in _with_interventions(sample(), design):
        for start in range(0, rows.num_rows, _AT_ONCE):
            batch = rows.slice(start, _AT_ONCE)
            yield OccludedRows(batch, design.form, intervention, instead, tokens_of)


def _with_interventions(
    rows: pa.Table, design: OcclusionDesign
) -> Iterator[tuple[Intervention | None, pa.Table]]:
    yield None, rows
    for kind in KINDS:
        left = pa.array([True] * rows.num_rows)
        for intervention in design.interventions:
            if intervention.kind == kind and rows.num_rows:
                applied = pc.and_(left, applies(intervention, rows, design.form))
                left = pc.and_(left, pc.invert(applied))
                yield intervention, rows.filter(applied)


def _instead(design: OcclusionDesign, model: str | None) -> str:
    """Return the text in the place of a unit; all models are checked before the first is asked."""
    if design.settings.by == "erase":
        return ""
    if design.form == "statement":
        return HIDDEN
    assert model is not None
    tokens = {name: tokenizer_of(known).mask_token for name, known in design.sources.items()}
    without = [name for name, token in tokens.items() if token is None]
    if without:
        raise ModelError(
            "interventions.occlusion.by: mask needs a mask token, but these models have none: "
            f"{', '.join(without)}",
            remedy="set interventions.occlusion.by: erase",
        )
    return str(tokens[model])
